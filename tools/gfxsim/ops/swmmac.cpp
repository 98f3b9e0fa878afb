// SPDX-License-Identifier: MIT
// Sparse matrix instructions of gfx12: of every four elements along k, A has two, and an index says which.
#include "gfxsim/ops/wmma.hpp"

namespace gfxsim {
namespace {

using namespace matrix;

// How A, as stored, and B are spread over a wave.
template <int K, class Format>
struct Narrow {
    static constexpr int parts = is_half<Format> ? 2 : 1;
    using A = Spread<kEdge, K / 2, 1, parts, 32>;
    using B = Spread<kEdge, K, 1, parts, 32>;
};
template <int K, class Format>
struct Wide {
    // 16 elements of 4 bits are too few for 64 lanes and use the first 32.
    static constexpr bool few = K / 2 * Format::bits < 128 && Format::bits == 4;
    using Whole = Spread<kEdge, K / 2>;
    using A = std::conditional_t<few, Spread<kEdge, K / 2, 1, 1, 32>,
                                 std::conditional_t<is_half<Format>, Whole, Crossed<Whole>>>;
    using B = std::conditional_t<is_half<Format>, Spread<kEdge, K>, Crossed<Spread<kEdge, K>>>;
};

template <int K, class FormatA, class FormatB, class Out>
struct Swmmac {
    using T = typename FormatA::Value;

    static void run(Wave& wave, const Instr& instr) {
        if (wave.size == 32) run_spread<Narrow<K, FormatA>>(wave, instr);
        else run_spread<Wide<K, FormatA>>(wave, instr);
    }

private:
    template <class S>
    static void run_spread(Wave& wave, const Instr& instr) {
        if ((instr.mod.neg_lo | instr.mod.neg_hi) & 4) throw Fault(FaultKind::unsupported, "negates its index");
        alignas(64) T a[K / 2 * kEdge], b[K * kEdge];
        u8 indices[K / 2 * kEdge];
        unpack_wmma<typename S::A, FormatA>(wave, instr, 0, a);
        unpack_wmma<typename S::B, FormatB>(wave, instr, 1, b);
        unpack_indices<typename S::A>(vector_rows(wave, instr.src[2], 1)[0], instr.mod.abid, indices);
        const Tile<Out> tile(wave, instr);
        constexpr int count = Tile<Out>::count;
        alignas(64) Row rows[count];
        tile.load(wave, instr.dst[0], rows);
        if constexpr (is_integer<FormatA>) {
            alignas(64) Row sums[count] = {};
            multiply_sparse<kEdge, kEdge>(a, indices, b, K / 2, sums);
            add_integers(sums, instr.mod.clamp, rows, count);
        } else {
            if (instr.mod.clamp) throw Fault(FaultKind::unsupported, "clamps a matrix of real numbers");
            const u8 denormals = Out::denormals(wave);
            if (!(denormals & 1)) flush_rows(rows, count);
            multiply_sparse<kEdge, kEdge>(a, indices, b, K / 2, rows);
            if (!(denormals & 2)) flush_rows(rows, count);
        }
        tile.store(wave, instr.dst[0], rows);
    }
};

template <int K, class FormatA, class FormatB, class Out>
Definition swmmac(const char* name) {
    Definition d = define<FormatA>(name, &Swmmac<K, FormatA, FormatB, Out>::run, 2 * kEdge * kEdge * K);
    d.isas = kGfx12;
    d.dst[0] = Out::type, d.src[2] = Type::u32;
    d.traits.reads_dst = true;
    return d;
}

}  // namespace

Table matrix::swmmac_table() {
    return {
        swmmac<32, F16, F16, OutF32>("v_swmmac_f32_16x16x32_f16"),
        swmmac<32, BF16, BF16, OutF32>("v_swmmac_f32_16x16x32_bf16"),
        swmmac<32, F16, F16, OutF16>("v_swmmac_f16_16x16x32_f16"),
        swmmac<32, BF16, BF16, OutBF16>("v_swmmac_bf16_16x16x32_bf16"),
        swmmac<32, IU8, IU8, OutI32>("v_swmmac_i32_16x16x32_iu8"),
        swmmac<32, IU4, IU4, OutI32>("v_swmmac_i32_16x16x32_iu4"),
        swmmac<64, IU4, IU4, OutI32>("v_swmmac_i32_16x16x64_iu4"),
        swmmac<32, FP8, FP8, OutF32>("v_swmmac_f32_16x16x32_fp8_fp8"),
        swmmac<32, FP8, BF8, OutF32>("v_swmmac_f32_16x16x32_fp8_bf8"),
        swmmac<32, BF8, FP8, OutF32>("v_swmmac_f32_16x16x32_bf8_fp8"),
        swmmac<32, BF8, BF8, OutF32>("v_swmmac_f32_16x16x32_bf8_bf8"),
    };
}

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
// Dense matrix instructions of gfx11 and gfx12.
#include "gfxsim/ops/wmma.hpp"

namespace gfxsim {
namespace {

using namespace matrix;

// gfx11 wants A and B in every group of 16 lanes. What it does with groups that differ is not documented.
void check_repeated(const Wave& wave, const Operand& operand) {
    for (int row = 0; row < operand.dwords; ++row) {
        const u32* lanes = wave.v[operand.index + row];
        for (int group = 1; group < wave.size / kEdge; ++group) {
            if (std::memcmp(lanes, lanes + group * kEdge, sizeof(u32) * kEdge) != 0)
                throw Fault(FaultKind::unsupported, "has a matrix that is not the same in every 16 lanes");
        }
    }
}

template <int K, class Format>
void unpack_dense(const Wave& wave, const Instr& instr, int operand, typename Format::Value* to) {
    if (wave.isa == Isa::gfx11) {
        unpack_wmma<Spread<kEdge, K, 1, 1, kEdge>, Format>(wave, instr, operand, to);
        check_repeated(wave, instr.src[std::size_t(operand)]);
    } else if (wave.size == 32 || (K * Format::bits < 128 && is_integer<Format>)) {
        // 16 elements of 4 bits are too few for 64 lanes and use the first 32.
        unpack_wmma<Spread<kEdge, K, 1, is_half<Format> ? 2 : 1, 32>, Format>(wave, instr, operand, to);
    } else if constexpr (is_half<Format>) {
        unpack_wmma<Spread<kEdge, K>, Format>(wave, instr, operand, to);
    } else if constexpr (K * Format::bits >= 128) {
        unpack_wmma<Crossed<Spread<kEdge, K>>, Format>(wave, instr, operand, to);
    }
}

// NEG and NEG_HI of C are its negation and its absolute value.
void modify_start(const Modifiers& mod, Row* rows, int count) {
    const u32 keep = mod.neg_hi & 4 ? 0x7fffffff : ~u32(0), flip = mod.neg_lo & 4 ? 0x80000000 : 0;
    for (int row = 0; row < count; ++row) {
        for (u32& value : rows[row]) value = (value & keep) ^ flip;
    }
}

template <int K, class FormatA, class FormatB, class Out>
struct Wmma {
    using T = typename FormatA::Value;

    static void run(Wave& wave, const Instr& instr) {
        alignas(64) T a[K * kEdge], b[K * kEdge];
        unpack_dense<K, FormatA>(wave, instr, 0, a);
        unpack_dense<K, FormatB>(wave, instr, 1, b);
        const Tile<Out> tile(wave, instr);
        constexpr int count = Tile<Out>::count;
        alignas(64) Row rows[count];
        tile.load(wave, instr.src[2], rows);
        if constexpr (is_integer<FormatA>) {
            if ((instr.mod.neg_lo | instr.mod.neg_hi) & 4)
                throw Fault(FaultKind::unsupported, "negates an accumulator of integers");
            alignas(64) Row sums[count] = {};
            multiply<kEdge, kEdge>(a, b, 0, K, sums, sums);
            add_integers(sums, instr.mod.clamp, rows, count);
        } else {
            if (instr.mod.clamp) throw Fault(FaultKind::unsupported, "clamps a matrix of real numbers");
            modify_start(instr.mod, rows, count);
            const u8 denormals = Out::denormals(wave);
            if (!(denormals & 1)) flush_rows(rows, count);
            multiply<kEdge, kEdge>(a, b, 0, K, rows, rows);
            if (!(denormals & 2)) flush_rows(rows, count);
        }
        tile.store(wave, instr.dst[0], rows);
    }
};

template <int K, class FormatA, class FormatB, class Out>
Definition wmma(const char* name, u8 isas) {
    Definition d = define<FormatA>(name, &Wmma<K, FormatA, FormatB, Out>::run, 2 * kEdge * kEdge * K);
    d.isas = isas;
    d.dst[0] = d.src[2] = Out::type;
    return d;
}

}  // namespace

Table wmma_table() {
    Table table = {
        wmma<16, F16, F16, OutF32>("v_wmma_f32_16x16x16_f16", kGfx11And12),
        wmma<16, BF16, BF16, OutF32>("v_wmma_f32_16x16x16_bf16", kGfx11And12),
        wmma<16, F16, F16, OutF16>("v_wmma_f16_16x16x16_f16", kGfx11And12),
        wmma<16, BF16, BF16, OutBF16>("v_wmma_bf16_16x16x16_bf16", kGfx11And12),
        wmma<16, IU8, IU8, OutI32>("v_wmma_i32_16x16x16_iu8", kGfx11And12),
        wmma<16, IU4, IU4, OutI32>("v_wmma_i32_16x16x16_iu4", kGfx11And12),
        wmma<32, IU4, IU4, OutI32>("v_wmma_i32_16x16x32_iu4", kGfx12),
        wmma<16, FP8, FP8, OutF32>("v_wmma_f32_16x16x16_fp8_fp8", kGfx12),
        wmma<16, FP8, BF8, OutF32>("v_wmma_f32_16x16x16_fp8_bf8", kGfx12),
        wmma<16, BF8, FP8, OutF32>("v_wmma_f32_16x16x16_bf8_fp8", kGfx12),
        wmma<16, BF8, BF8, OutF32>("v_wmma_f32_16x16x16_bf8_bf8", kGfx12),
    };
    const Table sparse = swmmac_table();
    table.insert(table.end(), sparse.begin(), sparse.end());
    return table;
}

}  // namespace gfxsim

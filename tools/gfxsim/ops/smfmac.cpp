// SPDX-License-Identifier: MIT
// Sparse matrix instructions of gfx942 and gfx950: of every four elements along k, A has two, and an index says which.
#include "gfxsim/ops/matrix.hpp"

namespace gfxsim {
namespace {

using namespace matrix;

// `Parts`: gfx950's deeper shapes hold A and B in two parts, each half of the matrix deep.
template <int M, int N, int K, int Parts, class FormatA, class FormatB>
struct Smfmac {
    using T = typename FormatA::Value;
    using SpreadA = Spread<M, K / 2, 1, Parts>;
    using SpreadB = Spread<N, K, 1, Parts>;

    static void run(Wave& wave, const Instr& instr) {
        const Modifiers& mod = instr.mod;
        constexpr int dwords_a = SpreadA::per_lane * FormatA::bits / 32,
                      dwords_b = SpreadB::per_lane * FormatB::bits / 32;
        if (mod.blgp != 0)
            throw Fault(FaultKind::unsupported, "has a lane pattern, which does not exist for sparse matrices");
        alignas(64) T a[SpreadA::size];
        alignas(64) T b[SpreadB::size];
        unpack<SpreadA>(vector_rows(wave, instr.src[0], dwords_a), FormatA(wave), a);
        unpack<SpreadB>(vector_rows(wave, instr.src[1], dwords_b), FormatB(wave), b);

        // ABID names the set of indices unless CBSZ names the first.
        u8 indices[SpreadA::size];
        unpack_indices<SpreadA>(vector_rows(wave, instr.src[2], 1)[0], mod.cbsz & 3 ? 0 : mod.abid, indices);
        Row* rows = vector_rows(wave, instr.dst[0], Accumulator<M, N, T>::dwords(1));
        multiply_sparse<M, N>(a, indices, b, K / 2, rows);
    }
};

template <int M, int N, int K, int Parts, class FormatA, class FormatB = FormatA>
Definition smfmac(const char* name) {
    Definition d = define<FormatA>(name, &Smfmac<M, N, K, Parts, FormatA, FormatB>::run, 2 * M * N * K);
    d.isas = kGfx9;
    d.src[2] = Type::u32;
    d.traits.reads_dst = true;
    return d;
}

}  // namespace

Table matrix::smfmac_table() {
    return {
        smfmac<16, 16, 32, 1, F16>("v_smfmac_f32_16x16x32_f16"),
        smfmac<32, 32, 16, 1, F16>("v_smfmac_f32_32x32x16_f16"),
        smfmac<16, 16, 32, 1, BF16>("v_smfmac_f32_16x16x32_bf16"),
        smfmac<32, 32, 16, 1, BF16>("v_smfmac_f32_32x32x16_bf16"),
        smfmac<16, 16, 64, 1, I8>("v_smfmac_i32_16x16x64_i8"),
        smfmac<32, 32, 32, 1, I8>("v_smfmac_i32_32x32x32_i8"),
        smfmac<16, 16, 64, 1, FP8, FP8>("v_smfmac_f32_16x16x64_fp8_fp8"),
        smfmac<16, 16, 64, 1, FP8, BF8>("v_smfmac_f32_16x16x64_fp8_bf8"),
        smfmac<16, 16, 64, 1, BF8, FP8>("v_smfmac_f32_16x16x64_bf8_fp8"),
        smfmac<16, 16, 64, 1, BF8, BF8>("v_smfmac_f32_16x16x64_bf8_bf8"),
        smfmac<32, 32, 32, 1, FP8, FP8>("v_smfmac_f32_32x32x32_fp8_fp8"),
        smfmac<32, 32, 32, 1, FP8, BF8>("v_smfmac_f32_32x32x32_fp8_bf8"),
        smfmac<32, 32, 32, 1, BF8, FP8>("v_smfmac_f32_32x32x32_bf8_fp8"),
        smfmac<32, 32, 32, 1, BF8, BF8>("v_smfmac_f32_32x32x32_bf8_bf8"),

        smfmac<16, 16, 64, 2, F16>("v_smfmac_f32_16x16x64_f16"),
        smfmac<32, 32, 32, 2, F16>("v_smfmac_f32_32x32x32_f16"),
        smfmac<16, 16, 64, 2, BF16>("v_smfmac_f32_16x16x64_bf16"),
        smfmac<32, 32, 32, 2, BF16>("v_smfmac_f32_32x32x32_bf16"),
        smfmac<16, 16, 128, 2, I8>("v_smfmac_i32_16x16x128_i8"),
        smfmac<32, 32, 64, 2, I8>("v_smfmac_i32_32x32x64_i8"),
        smfmac<16, 16, 128, 2, FP8, FP8>("v_smfmac_f32_16x16x128_fp8_fp8"),
        smfmac<16, 16, 128, 2, FP8, BF8>("v_smfmac_f32_16x16x128_fp8_bf8"),
        smfmac<16, 16, 128, 2, BF8, FP8>("v_smfmac_f32_16x16x128_bf8_fp8"),
        smfmac<16, 16, 128, 2, BF8, BF8>("v_smfmac_f32_16x16x128_bf8_bf8"),
        smfmac<32, 32, 64, 2, FP8, FP8>("v_smfmac_f32_32x32x64_fp8_fp8"),
        smfmac<32, 32, 64, 2, FP8, BF8>("v_smfmac_f32_32x32x64_fp8_bf8"),
        smfmac<32, 32, 64, 2, BF8, FP8>("v_smfmac_f32_32x32x64_bf8_fp8"),
        smfmac<32, 32, 64, 2, BF8, BF8>("v_smfmac_f32_32x32x64_bf8_bf8"),
    };
}

}  // namespace gfxsim

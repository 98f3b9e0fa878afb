// SPDX-License-Identifier: MIT
// Dense matrix instructions of gfx9. gfx908 and gfx90a write v_mfma_f32_32x32x8f16, later GPUs v_mfma_f32_32x32x8_f16.
#include "gfxsim/ops/matrix.hpp"

namespace gfxsim {
namespace {

using namespace matrix;

// BLGP: which lane each lane of B is read from.
int pattern(int lane, int blgp) {
    switch (blgp) {
        case 1: return lane & 31;
        case 2: return lane | 32;
        case 3: return (lane + 16) & 63;
        case 4:
        case 5:
        case 6:
        case 7: return (lane & 15) + 16 * (blgp - 4);
        default: return lane;
    }
}

template <int M, int N, int K, int Blocks, class FormatA, class FormatB>
struct Mfma {
    using T = typename FormatA::Value;
    using SpreadA = Spread<M, K, Blocks>;
    using SpreadB = Spread<N, K, Blocks>;
    static constexpr bool is_double = std::is_same_v<T, f64>;

    static void run(Wave& wave, const Instr& instr) {
        const Modifiers& mod = instr.mod;
        constexpr int dwords_a = SpreadA::per_lane * FormatA::bits / 32,
                      dwords_b = SpreadB::per_lane * FormatB::bits / 32;
        const Row* rows_a = vector_rows(wave, instr.src[0], dwords_a);
        const Row* rows_b = vector_rows(wave, instr.src[1], dwords_b);
        // CBSZ and ABID: all blocks take block ABID of A. What fewer than all of them would do is not clearly
        // documented.
        const bool broadcasts = !is_double && mod.cbsz != 0;
        if (!is_double && (mod.abid >> mod.cbsz || (broadcasts && 1 << mod.cbsz != Blocks)))
            throw Fault(FaultKind::unsupported, "broadcasts A in a way that is not simulated");

        alignas(64) T a[SpreadA::size];
        alignas(64) T b[SpreadB::size];
        alignas(64) Row permuted[is_double ? 1 : dwords_b];
        if (mod.blgp != 0) {
            if constexpr (is_double) {
                throw Fault(FaultKind::unsupported, "has a lane pattern, which does not exist for f64");
            } else {
                for (int row = 0; row < dwords_b; ++row) {
                    for (int lane = 0; lane < kLanes; ++lane)
                        permuted[row][lane] = rows_b[row][pattern(lane, mod.blgp)];
                }
                rows_b = permuted;
            }
        }
        unpack<SpreadA>(rows_a, FormatA(wave), a);
        unpack<SpreadB>(rows_b, FormatB(wave), b);

        const bool flush = is_flushed<FormatA> && flushes(wave);
        constexpr int count = Accumulator<M, N, T>::dwords(Blocks);
        Start start(wave, instr.src[2], instr.dst[0], count, sizeof(T) / 4);
        if (flush) start.flush(count);
        if constexpr (is_double) negate(mod.neg_lo, a, b, start, count);
        Row* rows_d = vector_rows(wave, instr.dst[0], count);
        for (int block = 0; block < Blocks; ++block) {
            const int block_a = broadcasts ? mod.abid : block;
            multiply<M, N>(a + block_a * K * M, b + block * K * N, block, K, start.rows, rows_d);
        }
        if (flush) flush_rows(rows_d, count);
    }

private:
    // From gfx942 on, the field of the lane pattern negates the operands of f64.
    static void negate(u8 neg, T* a, T* b, Start& start, int count) {
        if (neg & 1) {
            for (int n = 0; n < SpreadA::size; ++n) a[n] = -a[n];
        }
        if (neg & 2) {
            for (int n = 0; n < SpreadB::size; ++n) b[n] = -b[n];
        }
        if (neg & 4) start.negate(count);
    }
};

template <int M, int N, int K, int Blocks, class FormatA, class FormatB = FormatA>
Definition mfma(const char* name) {
    Definition d = define<FormatA>(name, &Mfma<M, N, K, Blocks, FormatA, FormatB>::run, 2 * M * N * K * Blocks);
    d.isas = kGfx9;
    return d;
}

}  // namespace

Table mfma_table() {
    Table table = {
        mfma<32, 32, 1, 2, F32>("v_mfma_f32_32x32x1f32"),
        mfma<16, 16, 1, 4, F32>("v_mfma_f32_16x16x1f32"),
        mfma<4, 4, 1, 16, F32>("v_mfma_f32_4x4x1f32"),
        mfma<32, 32, 2, 1, F32>("v_mfma_f32_32x32x2f32"),
        mfma<16, 16, 4, 1, F32>("v_mfma_f32_16x16x4f32"),
        mfma<32, 32, 4, 2, F16>("v_mfma_f32_32x32x4f16"),
        mfma<16, 16, 4, 4, F16>("v_mfma_f32_16x16x4f16"),
        mfma<4, 4, 4, 16, F16>("v_mfma_f32_4x4x4f16"),
        mfma<32, 32, 8, 1, F16>("v_mfma_f32_32x32x8f16"),
        mfma<16, 16, 16, 1, F16>("v_mfma_f32_16x16x16f16"),
        mfma<32, 32, 2, 2, BF16>("v_mfma_f32_32x32x2bf16"),
        mfma<16, 16, 2, 4, BF16>("v_mfma_f32_16x16x2bf16"),
        mfma<4, 4, 2, 16, BF16>("v_mfma_f32_4x4x2bf16"),
        mfma<32, 32, 4, 1, BF16>("v_mfma_f32_32x32x4bf16"),
        mfma<16, 16, 8, 1, BF16>("v_mfma_f32_16x16x8bf16"),
        mfma<32, 32, 4, 2, BF16>("v_mfma_f32_32x32x4bf16_1k"),
        mfma<16, 16, 4, 4, BF16>("v_mfma_f32_16x16x4bf16_1k"),
        mfma<4, 4, 4, 16, BF16>("v_mfma_f32_4x4x4bf16_1k"),
        mfma<32, 32, 8, 1, BF16>("v_mfma_f32_32x32x8bf16_1k"),
        mfma<16, 16, 16, 1, BF16>("v_mfma_f32_16x16x16bf16_1k"),
        mfma<32, 32, 4, 2, I8>("v_mfma_i32_32x32x4i8"),
        mfma<16, 16, 4, 4, I8>("v_mfma_i32_16x16x4i8"),
        mfma<4, 4, 4, 16, I8>("v_mfma_i32_4x4x4i8"),
        mfma<32, 32, 8, 1, I8>("v_mfma_i32_32x32x8i8"),
        mfma<16, 16, 16, 1, I8>("v_mfma_i32_16x16x16i8"),
        mfma<16, 16, 4, 1, F64>("v_mfma_f64_16x16x4f64"),
        mfma<4, 4, 4, 4, F64>("v_mfma_f64_4x4x4f64"),

        mfma<32, 32, 1, 2, F32>("v_mfma_f32_32x32x1_2b_f32"),
        mfma<16, 16, 1, 4, F32>("v_mfma_f32_16x16x1_4b_f32"),
        mfma<4, 4, 1, 16, F32>("v_mfma_f32_4x4x1_16b_f32"),
        mfma<32, 32, 2, 1, F32>("v_mfma_f32_32x32x2_f32"),
        mfma<16, 16, 4, 1, F32>("v_mfma_f32_16x16x4_f32"),
        mfma<32, 32, 4, 1, XF32>("v_mfma_f32_32x32x4_xf32"),
        mfma<16, 16, 8, 1, XF32>("v_mfma_f32_16x16x8_xf32"),
        mfma<32, 32, 4, 2, F16>("v_mfma_f32_32x32x4_2b_f16"),
        mfma<16, 16, 4, 4, F16>("v_mfma_f32_16x16x4_4b_f16"),
        mfma<4, 4, 4, 16, F16>("v_mfma_f32_4x4x4_16b_f16"),
        mfma<32, 32, 8, 1, F16>("v_mfma_f32_32x32x8_f16"),
        mfma<16, 16, 16, 1, F16>("v_mfma_f32_16x16x16_f16"),
        mfma<32, 32, 16, 1, F16>("v_mfma_f32_32x32x16_f16"),
        mfma<16, 16, 32, 1, F16>("v_mfma_f32_16x16x32_f16"),
        mfma<32, 32, 4, 2, BF16>("v_mfma_f32_32x32x4_2b_bf16"),
        mfma<16, 16, 4, 4, BF16>("v_mfma_f32_16x16x4_4b_bf16"),
        mfma<4, 4, 4, 16, BF16>("v_mfma_f32_4x4x4_16b_bf16"),
        mfma<32, 32, 8, 1, BF16>("v_mfma_f32_32x32x8_bf16"),
        mfma<16, 16, 16, 1, BF16>("v_mfma_f32_16x16x16_bf16"),
        mfma<32, 32, 16, 1, BF16>("v_mfma_f32_32x32x16_bf16"),
        mfma<16, 16, 32, 1, BF16>("v_mfma_f32_16x16x32_bf16"),
        mfma<32, 32, 4, 2, I8>("v_mfma_i32_32x32x4_2b_i8"),
        mfma<16, 16, 4, 4, I8>("v_mfma_i32_16x16x4_4b_i8"),
        mfma<4, 4, 4, 16, I8>("v_mfma_i32_4x4x4_16b_i8"),
        mfma<32, 32, 16, 1, I8>("v_mfma_i32_32x32x16_i8"),
        mfma<16, 16, 32, 1, I8>("v_mfma_i32_16x16x32_i8"),
        mfma<32, 32, 32, 1, I8>("v_mfma_i32_32x32x32_i8"),
        mfma<16, 16, 64, 1, I8>("v_mfma_i32_16x16x64_i8"),
        mfma<32, 32, 16, 1, FP8, FP8>("v_mfma_f32_32x32x16_fp8_fp8"),
        mfma<32, 32, 16, 1, FP8, BF8>("v_mfma_f32_32x32x16_fp8_bf8"),
        mfma<32, 32, 16, 1, BF8, FP8>("v_mfma_f32_32x32x16_bf8_fp8"),
        mfma<32, 32, 16, 1, BF8, BF8>("v_mfma_f32_32x32x16_bf8_bf8"),
        mfma<16, 16, 32, 1, FP8, FP8>("v_mfma_f32_16x16x32_fp8_fp8"),
        mfma<16, 16, 32, 1, FP8, BF8>("v_mfma_f32_16x16x32_fp8_bf8"),
        mfma<16, 16, 32, 1, BF8, FP8>("v_mfma_f32_16x16x32_bf8_fp8"),
        mfma<16, 16, 32, 1, BF8, BF8>("v_mfma_f32_16x16x32_bf8_bf8"),
        mfma<16, 16, 4, 1, F64>("v_mfma_f64_16x16x4_f64"),
        mfma<4, 4, 4, 4, F64>("v_mfma_f64_4x4x4_4b_f64"),
    };
    for (const Table& more : {mfma_scaled_table(), smfmac_table()}) table.insert(table.end(), more.begin(), more.end());
    return table;
}

}  // namespace gfxsim

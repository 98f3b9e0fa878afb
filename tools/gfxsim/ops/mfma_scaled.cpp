// SPDX-License-Identifier: MIT
// gfx950: matrices whose formats the instruction's CBSZ and BLGP name, with or without a scale for every 32 elements
// along k.
#include <array>

#include "gfxsim/core/float_bits.hpp"
#include "gfxsim/ops/matrix.hpp"

namespace gfxsim {
namespace {

using namespace matrix;

constexpr int kScaleBlock = 32;

// Elements that do not end where a register ends; each lane has 32 of them.
template <class S, int Bits>
void unpack_small(const Row* rows, const f32* values, f32* to) {
    for (int e = 0; e < S::per_lane; ++e) {
        const int word = e * Bits / 32, shift = e * Bits % 32;
        const bool split = shift + Bits > 32;
        for (int lane = 0; lane < kLanes; ++lane) {
            u32 raw = rows[word][lane] >> shift;
            if (split) raw |= rows[word + 1][lane] << (32 - shift);
            to[S::k_of(lane / S::along, e) * S::along + lane % S::along] = values[raw & ((1u << Bits) - 1)];
        }
    }
}

template <int Along, int Deep>
void unpack_format(const Wave& wave, const Operand& operand, u8 format, f32* to) {
    // Elements of 8 bits come in two parts, each half of the matrix deep.
    using Bytes = Spread<Along, Deep, 1, 2>;
    using Narrow = Spread<Along, Deep>;
    switch (format) {
        case 0: return unpack_small<Bytes, 8>(vector_rows(wave, operand, 8), fp8_values(false), to);
        case 1: return unpack_small<Bytes, 8>(vector_rows(wave, operand, 8), bf8_values(false), to);
        case 2: return unpack_small<Narrow, 6>(vector_rows(wave, operand, 6), fp6_values(), to);
        case 3: return unpack_small<Narrow, 6>(vector_rows(wave, operand, 6), bf6_values(), to);
        case 4: return unpack_small<Narrow, 4>(vector_rows(wave, operand, 4), fp4_values(), to);
        default: throw Fault(FaultKind::unsupported, "names a matrix format that does not exist");
    }
}

// E8M0 in the chosen byte of a lane; a constant counts with the exponent that it has as f32.
void read_scales(const Wave& wave, const Operand& operand, int byte, f64* to) {
    const bool constant = operand.kind == OperandKind::constant;
    const Row* rows = constant ? nullptr : vector_rows(wave, operand, 1);
    for (int lane = 0; lane < kLanes; ++lane) {
        const u32 code = (constant ? u32(operand.value) >> 23 : rows[0][lane] >> 8 * byte) & 0xff;
        to[lane] = code == 0xff ? fp::invalid<f64>() : std::ldexp(1.0, int(code) - 127);
    }
}

template <int M, int N, int K>
struct MfmaF8F6F4 {
    using Acc = Accumulator<M, N, f32>;
    static constexpr int count = Acc::dwords(1);

    static void run_plain(Wave& wave, const Instr& instr) {
        alignas(64) f32 a[K * M], b[K * N];
        Row* rows_d = unpack(wave, instr, a, b);
        const Start start(wave, instr.src[2], instr.dst[0], count, 1);
        multiply<M, N>(a, b, 0, K, start.rows, rows_d);
    }

    // The scales apply to the sum of a block of k before it is added to the accumulator.
    static void run_scaled(Wave& wave, const Instr& instr) {
        alignas(64) f32 a[K * M], b[K * N];
        alignas(64) f64 scale_a[kLanes], scale_b[kLanes];
        static constexpr Row kZero[count] = {};
        alignas(64) Row sums[count];
        Row* rows_d = unpack(wave, instr, a, b);
        read_scales(wave, instr.src[3], byte(instr.mod, 0), scale_a);
        read_scales(wave, instr.src[4], byte(instr.mod, 1), scale_b);
        const Start start(wave, instr.src[2], instr.dst[0], count, 1);
        const Row* before = start.rows;
        for (int block = 0; block < K / kScaleBlock; ++block) {
            multiply<M, N>(a + block * kScaleBlock * M, b + block * kScaleBlock * N, 0, kScaleBlock, kZero, sums);
            for (int i = 0; i < M; ++i) {
                const int element = Acc::element(i, 0), lane = Acc::lane(i, 0);
                const f64 scale = scale_a[block * M + i];
                f32 part[N], start[N], result[N];
                for (int j = 0; j < N; ++j) {
                    part[j] = bit_cast<f32>(sums[element][lane + j]),
                    start[j] = bit_cast<f32>(before[element][lane + j]);
                    result[j] = f32(f64(part[j]) * (scale * scale_b[block * N + j]) + f64(start[j]));
                }
                if (fp::any_nan(result, N)) {
                    // Of a scale no more is wanted than whether it is a number.
                    for (int j = 0; j < N; ++j)
                        result[j] = fp::settled(result[j], part[j], f32(scale), f32(scale_b[block * N + j]), start[j]);
                }
                for (int j = 0; j < N; ++j) rows_d[element][lane + j] = bit_cast<u32>(result[j]);
            }
            before = rows_d;
        }
    }

private:
    static Row* unpack(Wave& wave, const Instr& instr, f32* a, f32* b) {
        unpack_format<M, K>(wave, instr.src[0], instr.mod.cbsz, a);
        unpack_format<N, K>(wave, instr.src[1], instr.mod.blgp, b);
        return vector_rows(wave, instr.dst[0], count);
    }
    static int byte(const Modifiers& mod, int operand) {
        const u8 high = mod.has_op_sel_hi ? mod.op_sel_hi : 7;
        return (mod.op_sel >> operand & 1) | (high >> operand & 1) << 1;
    }
};

template <int M, int N, int K>
Definition plain(const char* name) {
    Definition d = define<FP8>(name, &MfmaF8F6F4<M, N, K>::run_plain, 2 * M * N * K);
    d.isas = kGfx9;
    return d;
}

template <int M, int N, int K>
Definition scaled(const char* name) {
    Definition d = define<FP8>(name, &MfmaF8F6F4<M, N, K>::run_scaled, 2 * M * N * K);
    d.isas = kGfx9;
    d.src[3] = d.src[4] = Type::f32;
    return d;
}

}  // namespace

Table matrix::mfma_scaled_table() {
    return {
        plain<16, 16, 128>("v_mfma_f32_16x16x128_f8f6f4"),
        plain<32, 32, 64>("v_mfma_f32_32x32x64_f8f6f4"),
        scaled<16, 16, 128>("v_mfma_scale_f32_16x16x128_f8f6f4"),
        scaled<32, 32, 64>("v_mfma_scale_f32_32x32x64_f8f6f4"),
    };
}

}  // namespace gfxsim

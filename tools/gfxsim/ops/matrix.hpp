// SPDX-License-Identifier: MIT
// What the matrix instructions share: element formats, where elements lie in registers, and the sums.
//
// The order in which the hardware adds the products of one instruction is not documented. Here every element of the
// result is one chain in the order of k that starts with C: each product enters its addition unrounded, and the sum is
// rounded. What becomes of NaNs is not documented either: here it is what such a chain of v_fma_f32 makes of them.
// All matrix instructions round to nearest even. Those of gfx9 keep denormals whatever the MODE register says, except
// where noted; those of gfx11 and gfx12 follow it.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "gfxsim/core/float16.hpp"
#include "gfxsim/core/instr.hpp"
#include "gfxsim/core/wave.hpp"
#include "gfxsim/ops/isas.hpp"
#include "gfxsim/ops/small_floats.hpp"
#include "gfxsim/ops/tables.hpp"

namespace gfxsim::matrix {

using Row = u32[kLanes];

// Formats of elements: bits of one, and the number that its bits stand for.

/// gfx90a flushes denormals of 16-bit formats in matrix instructions, going in and coming out.
inline bool flushes(const Wave& wave) { return wave.gpu->spec->matrix_flushes_subnormals; }

struct F16 {
    static constexpr int bits = 16;
    using Value = f32;
    u32 denormal_bits;
    explicit F16(const Wave& wave) : denormal_bits(keeps_denormals(wave) ? 0x7fff : 0) {}
    // As to_f32, in 32-bit steps that a loop over lanes can take side by side.
    f32 operator()(u32 raw) const {
        const u32 magnitude = raw & (raw & 0x7c00 ? 0x7fff : denormal_bits);
        const f32 scaled = bit_cast<f32>(magnitude << 13) * bit_cast<f32>(u32(0x77800000));
        const u32 special = (raw & 0x7c00) == 0x7c00 ? 0x7f800000 : 0;
        return bit_cast<f32>(bit_cast<u32>(scaled) | special | (raw & 0x8000) << 16);
    }
    static bool keeps_denormals(const Wave& wave) {
        return wave.isa == Isa::gfx9 ? !flushes(wave) : wave.mode.denorm64 & 1;
    }
};

struct BF16 {
    static constexpr int bits = 16;
    using Value = f32;
    u32 denormal_bits;
    explicit BF16(const Wave& wave) : denormal_bits(keeps_denormals(wave) ? 0xffff : 0x8000) {}
    f32 operator()(u32 raw) const { return bit_cast<f32>((raw & 0x7f80 ? raw : raw & denormal_bits) << 16); }
    static bool keeps_denormals(const Wave& wave) {
        return wave.isa == Isa::gfx9 ? !flushes(wave) : wave.mode.denorm32 & 1;
    }
};

/// Follows the MODE register in whether denormal elements of A and B count.
struct F32 {
    static constexpr int bits = 32;
    using Value = f32;
    u32 denormal_bits;
    explicit F32(const Wave& wave) : denormal_bits(wave.mode.denorm32 & 1 ? ~u32(0) : 0x80000000) {}
    f32 operator()(u32 raw) const { return bit_cast<f32>(raw & 0x7f800000 ? raw : raw & denormal_bits); }
};

/// f32 with its mantissa cut to 10 bits.
struct XF32 {
    static constexpr int bits = 32;
    using Value = f32;
    explicit XF32(const Wave&) {}
    f32 operator()(u32 raw) const {
        const bool is_nan = (raw & 0x7fffffff) > 0x7f800000;
        return bit_cast<f32>(is_nan ? raw : raw & 0xffffe000);
    }
};

struct F64 {
    static constexpr int bits = 64;
    using Value = f64;
    explicit F64(const Wave&) {}
};

struct I8 {
    static constexpr int bits = 8;
    using Value = u32;
    explicit I8(const Wave&) {}
    u32 operator()(u32 raw) const { return u32(i32(i8(u8(raw)))); }
};

struct FP8 {
    static constexpr int bits = 8;
    using Value = f32;
    const f32* table;
    explicit FP8(const Wave& wave) : table(fp8_values(wave.gpu->fnuz())) {}
    f32 operator()(u32 raw) const { return table[raw & 0xff]; }
};

struct BF8 {
    static constexpr int bits = 8;
    using Value = f32;
    const f32* table;
    explicit BF8(const Wave& wave) : table(bf8_values(wave.gpu->fnuz())) {}
    f32 operator()(u32 raw) const { return table[raw & 0xff]; }
};

/// Whether the sums of a format are defined to the last bit, and whether gfx90a flushes its denormals.
template <class Format> constexpr bool is_integer = std::is_same_v<typename Format::Value, u32>;
template <class Format> constexpr bool is_flushed = std::is_same_v<Format, F16> || std::is_same_v<Format, BF16>;

inline f32 multiply_add(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
inline f64 multiply_add(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
inline u32 multiply_add(u32 a, u32 b, u32 c) { return a * b + c; }

/// The registers of an operand that must be in vector registers, `count` of them.
inline void check_rows(const Wave& wave, const Operand& operand, int count) {
    // The disassembler takes code of gfx11 and gfx12 for that of waves of 32, whose matrices often need more registers.
    const bool maybe_fewer = wave.isa != Isa::gfx9 && wave.size == 64;
    if (!operand.is_vector() || (maybe_fewer ? operand.dwords < count : operand.dwords != count))
        throw Fault(FaultKind::unsupported,
                    "has a matrix operand that is not " + std::to_string(count) + " vector registers");
}
inline const Row* vector_rows(const Wave& wave, const Operand& operand, int count) {
    check_rows(wave, operand, count);
    return &wave.v[operand.index];
}
inline Row* vector_rows(Wave& wave, const Operand& operand, int count) {
    check_rows(wave, operand, count);
    return &wave.v[operand.index];
}

inline u32 flush_denormal(u32 bits) { return bits & 0x7f800000 ? bits : bits & 0x80000000; }
inline void flush_rows(Row* rows, int count) {
    for (int row = 0; row < count; ++row) std::transform(rows[row], rows[row] + kLanes, rows[row], flush_denormal);
}

/// The accumulator that an instruction starts with: registers, or one constant for all elements.
struct Start {
    const Row* rows = copy;
    alignas(64) Row copy[32];

    /// `dwords`: of one element.
    Start(const Wave& wave, const Operand& operand, const Operand& dst, int count, int dwords) {
        if (operand.kind == OperandKind::constant) {
            for (int row = 0; row < count; ++row)
                std::fill_n(copy[row], kLanes, u32(operand.value >> row % dwords * 32));
            return;
        }
        rows = vector_rows(wave, operand, count);
        // Registers that are read after a part of them is written keep their old values.
        const int distance = int(operand.index) - int(dst.index);
        if (distance != 0 && distance < count && -distance < count) own(count);
    }
    void flush(int count) {
        own(count);
        flush_rows(copy, count);
    }
    /// Of f64.
    void negate(int count) {
        own(count);
        for (int row = 1; row < count; row += 2) {
            for (u32& high : copy[row]) high ^= 0x80000000;
        }
    }

private:
    void own(int count) {
        if (rows != copy) std::memcpy(copy, rows, sizeof(Row) * std::size_t(count));
        rows = copy;
    }
};

/// A matrix that is `Along` elements wide and `Deep` deep along k, `Blocks` times, in the order [block][k][along].
/// Groups of `Along` lanes hold one block each, and behind the last block the next elements along k: a lane has all of
/// its elements along k side by side, or in `Parts` that lie as far apart as the elements of all groups between them.
template <int Along_, int Deep_, int Blocks_ = 1, int Parts = 1, int Lanes = kLanes>
struct Spread {
    static constexpr int along = Along_, deep = Deep_, blocks = Blocks_, lanes = Lanes;
    static constexpr int size = along * deep * blocks;
    static constexpr int per_lane = size / lanes;
    static constexpr int part = per_lane / Parts;

    static constexpr int block_of(int group) { return group % blocks; }
    static constexpr int k_of(int group, int element) {
        const int k_groups = lanes / along / blocks;
        return (element / part * k_groups + group / blocks) * part + element % part;
    }
};

template <class S, class Format>
inline void unpack(const Row* rows, Format format, typename Format::Value* to) {
    using Value = typename Format::Value;
    for (int e = 0; e < S::per_lane; ++e) {
        // All lanes of a register at once, in a loop that the compiler vectorises, and then each group to its place.
        alignas(64) Value values[S::lanes];
        if constexpr (Format::bits == 64) {
            for (int lane = 0; lane < S::lanes; ++lane)
                values[lane] = bit_cast<f64>(u64(rows[2 * e][lane]) | u64(rows[2 * e + 1][lane]) << 32);
        } else {
            constexpr int per_row = 32 / Format::bits;
            const u32* row = rows[e / per_row];
            const int shift = e % per_row * Format::bits;
            for (int lane = 0; lane < S::lanes; ++lane) values[lane] = format(row[lane] >> shift);
        }
        for (int group = 0; group < S::lanes / S::along; ++group) {
            const int at = (S::block_of(group) * S::deep + S::k_of(group, e)) * S::along;
            std::memcpy(to + at, values + group * S::along, sizeof(Value) * S::along);
        }
    }
}

/// Where an M x N accumulator's element lies: for row i the first of N neighbouring lanes, and the element of the lane.
template <int M, int N, class T>
struct Accumulator {
    static constexpr int together = sizeof(T) == 8 ? 1 : 4;  // rows that follow each other in one lane
    static constexpr int lane_blocks = std::max(1, kLanes* together / (M * N));
    static constexpr int lane_rows = kLanes / lane_blocks / N;
    static constexpr int repeats = M / (together * lane_rows);

    static constexpr int dwords(int blocks) { return M * N * blocks / kLanes * int(sizeof(T) / 4); }
    static constexpr int element(int i, int block) {
        return i % together + together * (i / (together * lane_rows) % repeats + repeats * (block / lane_blocks));
    }
    static constexpr int lane(int i, int block) {
        return N * (block % lane_blocks + lane_blocks * (i / together % lane_rows));
    }

    static T load(const Row* rows, int element, int lane) {
        if constexpr (sizeof(T) == 8) {
            return bit_cast<T>(u64(rows[2 * element][lane]) | u64(rows[2 * element + 1][lane]) << 32);
        } else {
            return bit_cast<T>(rows[element][lane]);
        }
    }
    static void store(Row* rows, int element, int lane, T value) {
        if constexpr (sizeof(T) == 8) {
            const u64 bits = bit_cast<u64>(value);
            rows[2 * element][lane] = u32(bits), rows[2 * element + 1][lane] = u32(bits >> 32);
        } else {
            rows[element][lane] = bit_cast<u32>(value);
        }
    }
};

/// D = A * B + C of one block. a is [depth][M] and b [depth][N].
template <int M, int N, class T>
void multiply(const T* a, const T* b, int block, int depth, const Row* start, Row* rows);

/// For each stored element of a sparse A, as [k][along]: which k it has. `row` holds 2 bits for each element of a lane,
/// the place in its four neighbours along k, and several such sets where there is room.
template <class S>
inline void unpack_indices(const u32* row, int set, u8* to) {
    constexpr int bits = 2 * S::per_lane;
    set &= 32 / bits - 1;
    for (int lane = 0; lane < S::lanes; ++lane) {
        const u32 places = row[lane] >> set * bits;
        for (int e = 0; e < S::per_lane; ++e) {
            const int stored = S::k_of(lane / S::along, e);
            to[stored * S::along + lane % S::along] = u8(stored / 2 * 4 + int(places >> 2 * e & 3));
        }
    }
}

/// D += A * B with a sparse A of [stored][M].
template <int M, int N, class T>
void multiply_sparse(const T* a, const u8* indices, const T* b, int stored, Row* rows);

/// A definition with the operands D, A, B and C; `FormatA` says what is accumulated.
template <class FormatA>
Definition define(const char* name, RunFn run, u32 flops) {
    Definition d;
    d.name = name, d.run = run, d.dsts = 1;
    d.dst[0] = is_integer<FormatA> ? Type::i32 : FormatA::bits == 64 ? Type::f64 : Type::f32;
    d.src = {Type::wide, Type::wide, d.dst[0]};
    d.traits.klass = Class::matrix, d.traits.ignores_exec = true, d.traits.flops = flops;
    d.traits.exact = is_integer<FormatA> ? Exact::yes : Exact::rounding;
    return d;
}

/// Parts of mfma_table() and wmma_table().
Table mfma_scaled_table();
Table smfmac_table();
Table swmmac_table();

}  // namespace gfxsim::matrix

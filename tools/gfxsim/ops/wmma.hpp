// SPDX-License-Identifier: MIT
// What the matrix instructions of gfx11 and gfx12 share. Their matrices are 16 wide; the accumulator is brought into
// the layout that gfx9's sums work on.
#pragma once

#include "gfxsim/ops/matrix.hpp"

namespace gfxsim::matrix {

constexpr int kEdge = 16;

/// Integers whose sign NEG chooses.
template <int Bits>
struct Integer {
    static constexpr int bits = Bits;
    using Value = u32;
    bool is_signed;
    u32 operator()(u32 raw) const {
        const u32 value = raw << (32 - Bits);
        return is_signed ? u32(i32(value) >> (32 - Bits)) : value >> (32 - Bits);
    }
};
using IU8 = Integer<8>;
using IU4 = Integer<4>;

template <class Format> constexpr bool is_half = Format::bits == 16;

/// gfx12 in waves of 64: the second 32 lanes go between the first, 16 at a time.
template <class S>
struct Crossed : S {
    static constexpr int k_of(int group, int element) { return S::k_of(group % 2 * 2 + group / 2, element); }
};

/// Elements of an accumulator.
struct OutF32 {
    using Value = f32;
    static constexpr int bits = 32;
    static constexpr Type type = Type::f32;
    static u8 denormals(const Wave& wave) { return wave.mode.denorm32; }
    static f32 load(u32 raw) { return bit_cast<f32>(raw); }
    static u32 store(f32 value) { return bit_cast<u32>(value); }
};
struct OutF16 {
    using Value = f32;
    static constexpr int bits = 16;
    static constexpr Type type = Type::f16;
    static u8 denormals(const Wave& wave) { return wave.mode.denorm64; }
    static f32 load(u32 raw) { return to_f32(f16{u16(raw)}); }
    static u32 store(f32 value) { return to_f16(value).bits; }
};
struct OutBF16 {
    using Value = f32;
    static constexpr int bits = 16;
    static constexpr Type type = Type::bf16;
    static u8 denormals(const Wave& wave) { return wave.mode.denorm32; }
    static f32 load(u32 raw) { return bit_cast<f32>(raw << 16); }
    static u32 store(f32 value) {
        const u32 raw = bit_cast<u32>(value);
        if ((raw & 0x7fffffff) > 0x7f800000) return (raw >> 16 | 0x40) & 0xffff;
        return (raw + 0x7fff + (raw >> 16 & 1)) >> 16;
    }
};
struct OutI32 {
    using Value = u32;
    static constexpr int bits = 32;
    static constexpr Type type = Type::i32;
    static u32 load(u32 raw) { return raw; }
    static u32 store(u32 value) { return value; }
};

/// Where row i of the accumulator lies: the first of 16 neighbouring lanes, and which of a lane's elements it is.
struct RowPlace {
    int element;
    int lane;
};
inline RowPlace row_place(const Wave& wave, int i) {
    const int groups = wave.size / kEdge;
    if (wave.isa == Isa::gfx11) return {i / groups, i % groups * kEdge};
    if (wave.size == 32) return {i % 8, i / 8 * kEdge};
    return {i % 4, i / 4 % 2 * 32 + i / 8 * kEdge};
}

/// An accumulator of 16 x 16 in registers. 16-bit elements lie one to a register on gfx11, where OPSEL chooses the
/// half, and two to a register on gfx12.
template <class Out>
class Tile {
public:
    using Value = typename Out::Value;
    using Acc = Accumulator<kEdge, kEdge, Value>;
    static constexpr int count = Acc::dwords(1);

    Tile(const Wave& wave, const Instr& instr) : packed_(Out::bits == 16 && wave.isa == Isa::gfx12) {
        half_ = Out::bits == 16 && wave.isa == Isa::gfx11 && instr.mod.op_sel >> 2 & 1 ? 16 : 0;
    }
    int registers(const Wave& wave) const { return kEdge * kEdge / wave.size / (packed_ ? 2 : 1); }

    void load(const Wave& wave, const Operand& operand, Row* to) const {
        const bool constant = operand.kind == OperandKind::constant;
        const Row* rows = constant ? nullptr : vector_rows(wave, operand, registers(wave));
        for (int i = 0; i < kEdge; ++i) {
            const RowPlace place = row_place(wave, i);
            u32* out = to[Acc::element(i, 0)] + Acc::lane(i, 0);
            const u32* in = constant ? nullptr : rows[packed_ ? place.element / 2 : place.element] + place.lane;
            const int shift = packed_ ? place.element % 2 * 16 : half_;
            for (int j = 0; j < kEdge; ++j)
                out[j] = bit_cast<u32>(Out::load(constant ? u32(operand.value) : in[j] >> shift));
        }
    }
    void store(Wave& wave, const Operand& operand, const Row* from) const {
        Row* rows = vector_rows(wave, operand, registers(wave));
        for (int i = 0; i < kEdge; ++i) {
            const RowPlace place = row_place(wave, i);
            const u32* in = from[Acc::element(i, 0)] + Acc::lane(i, 0);
            u32* out = rows[packed_ ? place.element / 2 : place.element] + place.lane;
            const int shift = packed_ ? place.element % 2 * 16 : half_;
            const u32 keep = Out::bits == 16 ? ~(0xffffu << shift) : 0;
            for (int j = 0; j < kEdge; ++j) out[j] = (out[j] & keep) | Out::store(bit_cast<Value>(in[j])) << shift;
        }
    }

private:
    bool packed_;
    int half_;
};

/// Brings A or B (`operand` 0 or 1) into the order [k][16]. NEG is the sign of integers, and flips the sign of the
/// 16-bit elements in the lower halves of registers, NEG_HI that of those in the upper halves.
template <class S, class Format>
void unpack_wmma(const Wave& wave, const Instr& instr, int operand, typename Format::Value* to) {
    constexpr int count = S::per_lane * Format::bits / 32;
    const Row* rows = vector_rows(wave, instr.src[std::size_t(operand)], count);
    const bool low = instr.mod.neg_lo >> operand & 1, high = instr.mod.neg_hi >> operand & 1;
    if constexpr (is_integer<Format>) {
        if (high) throw Fault(FaultKind::unsupported, "has NEG_HI, which means nothing for integers");
        unpack<S>(rows, Format{low}, to);
    } else if (low || high) {
        if (!is_half<Format>)
            throw Fault(FaultKind::unsupported, "negates a matrix of 8-bit elements, which cannot be");
        alignas(64) Row flipped[count];
        const u32 flip = (low ? 0x8000 : 0) | (high ? 0x80000000 : 0);
        for (int row = 0; row < count; ++row) {
            for (int lane = 0; lane < kLanes; ++lane) flipped[row][lane] = rows[row][lane] ^ flip;
        }
        unpack<S>(flipped, Format(wave), to);
    } else {
        unpack<S>(rows, Format(wave), to);
    }
}

/// The sum of integers is added to C last, where CLAMP saturates it.
inline void add_integers(const Row* sums, bool clamp, Row* rows, int count) {
    for (int row = 0; row < count; ++row) {
        for (int lane = 0; lane < kLanes; ++lane) {
            const i64 exact = i64(i32(rows[row][lane])) + i64(i32(sums[row][lane]));
            const i64 inside = std::clamp<i64>(exact, INT32_MIN, INT32_MAX);
            rows[row][lane] = u32(clamp ? inside : exact);
        }
    }
}

}  // namespace gfxsim::matrix

// SPDX-License-Identifier: MIT
#include "gfxsim/core/lanes.hpp"

#include <cfenv>
#include <cmath>

#include "gfxsim/core/dpp.hpp"
#include "gfxsim/core/float16.hpp"

namespace gfxsim {
namespace {

bool is_wide(Type type) {
    return type == Type::u64 || type == Type::i64 || type == Type::f64 || type == Type::pkf32 || type == Type::pku32;
}

void broadcast(u32 value, u32* room) {
    for (int lane = 0; lane < kLanes; ++lane) room[lane] = value;
}

u32 select(u32 value, Sdwa part, bool sext) {
    switch (part) {
        case Sdwa::dword: return value;
        case Sdwa::byte0: return sext ? u32(i32(i8(value))) : value & 0xff;
        case Sdwa::byte1: return sext ? u32(i32(i8(value >> 8))) : value >> 8 & 0xff;
        case Sdwa::byte2: return sext ? u32(i32(i8(value >> 16))) : value >> 16 & 0xff;
        case Sdwa::byte3: return sext ? u32(i32(i8(value >> 24))) : value >> 24;
        case Sdwa::word0: return sext ? u32(i32(i16(value))) : value & 0xffff;
        case Sdwa::word1: return sext ? u32(i32(i16(value >> 16))) : value >> 16;
    }
    return value;
}

const u32* row_of(const Wave& wave, const Operand& operand, int dword, u32* room) {
    if (operand.is_vector()) return wave.v[operand.index + dword];
    u32 value;
    if (operand.is_scalar()) value = operand.index == sreg::null ? 0 : wave.s[operand.index + dword];
    else if (operand.kind == OperandKind::constant) value = u32(operand.value >> (32 * dword));
    else value = dword ? 0 : read_scalar32(wave, operand);
    broadcast(value, room);
    return room;
}

}  // namespace

u64 fetch(const Wave& wave, const Instr& instr, int n, Type type, Source& in) {
    // What accumulates has its destination as the source behind the last.
    const Operand& operand = n < instr.srcs || !instr.def->traits.reads_dst ? instr.src[n] : instr.dst[0];
    const Modifiers& mod = instr.mod;
    if (type == Type::mask) {
        in.mask = operand.is_scalar() ? wave.mask(operand.index) : read_scalar64(wave, operand);
        return ~u64(0);
    }
    u64 enabled = ~u64(0);
    in.row[0] = row_of(wave, operand, 0, in.room[0]);
    const bool wide = is_wide(type);
    if (wide) in.row[1] = row_of(wave, operand, 1, in.room[1]);

    if (n == 0 && mod.dpp.kind != DppKind::none) {
        alignas(64) u32 moved[kLanes];
        for (int dword = 0; dword < (wide ? 2 : 1); ++dword) {
            enabled &= dpp_move(wave, mod.dpp, in.row[dword], moved);
            std::memcpy(in.room[dword], moved, sizeof(moved));
            in.row[dword] = in.room[dword];
        }
    }
    if (mod.has_sdwa && operand.sdwa != Sdwa::dword) {
        for (int lane = 0; lane < kLanes; ++lane)
            in.room[0][lane] = select(in.row[0][lane], operand.sdwa, operand.sext);
        in.row[0] = in.room[0];
    }

    const u8 bit = u8(1u << n);
    if (is_packed16(type)) {
        // A constant has its value in the lower half alone, so op_sel means for it what it means for a register.
        in.shift = mod.op_sel & bit ? 16 : 0;
        in.shift_hi = mod.op_sel_hi & bit ? 16 : 0;
        in.flip = mod.neg_lo & bit ? 0x8000 : 0;
        in.flip_hi = mod.neg_hi & bit ? 0x8000 : 0;
        return enabled;
    }
    if (type == Type::pkf32 || type == Type::pku32) {
        const u32* low = in.row[0];
        const u32* high = in.row[1];
        in.row[0] = mod.op_sel & bit ? high : low;
        in.row[1] = mod.op_sel_hi & bit ? high : low;
        in.flip = mod.neg_lo & bit ? 0x80000000 : 0;
        in.flip_hi = mod.neg_hi & bit ? 0x80000000 : 0;
        return enabled;
    }
    const bool half = fills_half(type);
    if (half && operand.is_vector() && (operand.high || (!mod.has_sdwa && mod.op_sel & bit))) in.shift = 16;
    const u32 sign = half ? 0x8000 : 0x80000000;
    in.keep = operand.abs ? sign - 1 : half ? 0xffff : ~u32(0);
    in.flip = operand.neg ? sign : 0;
    return enabled;
}

namespace {

// Output modifiers scale first and clamp then. Scaling is not done in IEEE mode and where denormal results are kept;
// where it is done, neither denormals nor negative zeros come out. A clamped NaN becomes 0 with DX10_CLAMP.
struct OutputModifier {
    f64 scale;
    bool clamp, zero_nan;

    OutputModifier(const Wave& wave, const Modifiers& mod, u8 denorm)
        : scale(1), clamp(mod.clamp), zero_nan(wave.mode.dx10_clamp || wave.isa == Isa::gfx12) {
        const bool ieee = wave.mode.ieee && wave.isa != Isa::gfx12;
        if (!ieee && !(denorm & 2))
            scale = mod.omod == Omod::mul2 ? 2 : mod.omod == Omod::mul4 ? 4 : mod.omod == Omod::div2 ? 0.5 : 1;
    }

    f64 operator()(f64 value, f64 smallest_normal) const {
        if (scale != 1) {
            value *= scale;
            if (std::fabs(value) < smallest_normal) value = 0;
        }
        if (clamp) {
            if (std::isnan(value)) return zero_nan ? 0 : value;
            if (!(value > 0)) return 0;
            if (value > 1) return 1;
        }
        return value;
    }
    u32 half(u32 bits) const { return to_f16((*this)(to_f32(f16{u16(bits)}), 0x1p-14), Round::nearest).bits; }
    u32 brain(u32 bits) const { return bit_cast<u32>(f32((*this)(to_f32(bf16{u16(bits)}), 0x1p-126))) >> 16; }
    u32 single(u32 bits) const { return bit_cast<u32>(f32((*this)(bit_cast<f32>(bits), 0x1p-126))); }
};

void modify_results(const Wave& wave, Type type, const Modifiers& mod, Results& out) {
    const bool is32 = type == Type::f32 || type == Type::pkf32 || type == Type::bf16 || type == Type::pkbf16;
    const OutputModifier modify(wave, mod, is32 ? wave.mode.denorm32 : wave.mode.denorm64);
    for (int lane = 0; lane < wave.size; ++lane) {
        u32& lo = out.row[0][lane];
        u32& hi = out.row[1][lane];
        switch (type) {
            case Type::f32: lo = modify.single(lo); break;
            case Type::f16: lo = modify.half(lo & 0xffff); break;
            case Type::bf16: lo = modify.brain(lo & 0xffff); break;
            case Type::pkf16: lo = modify.half(lo & 0xffff) | modify.half(lo >> 16) << 16; break;
            case Type::pkbf16: lo = modify.brain(lo & 0xffff) | modify.brain(lo >> 16) << 16; break;
            case Type::pkf32: lo = modify.single(lo), hi = modify.single(hi); break;
            case Type::f64: {
                const u64 bits = bit_cast<u64>(modify(bit_cast<f64>(u64(lo) | u64(hi) << 32), 0x1p-1022));
                lo = u32(bits), hi = u32(bits >> 32);
                break;
            }
            default: return;  // integer instructions saturate by themselves
        }
    }
}

// SDWA writes a part of the register and pads, extends or keeps the rest.
u32 merged(u32 before, u32 value, Sdwa part, SdwaUnused unused) {
    if (part == Sdwa::dword) return value;
    const bool byte = part <= Sdwa::byte3;
    const unsigned shift =
        byte ? 8 * (unsigned(part) - unsigned(Sdwa::byte0)) : 16 * (unsigned(part) - unsigned(Sdwa::word0));
    const u32 field = byte ? 0xff : 0xffff;
    const u32 placed = (value & field) << shift;
    if (unused == SdwaUnused::preserve) return (before & ~(field << shift)) | placed;
    if (unused == SdwaUnused::pad) return placed;
    const bool negative = value >> (byte ? 7 : 15) & 1;
    const u32 above = shift + (byte ? 8 : 16) >= 32 ? 0 : ~u32(0) << (shift + (byte ? 8 : 16));
    return placed | (negative ? above : 0);
}

}  // namespace

void store(Wave& wave, const Instr& instr, Type type, Results& out, u64 enabled) {
    const Modifiers& mod = instr.mod;
    if (mod.clamp || mod.omod != Omod::none) modify_results(wave, type, mod, out);
    u32* low = wave.v[instr.dst[0].index];

    if (mod.has_sdwa && mod.sdwa_dst != Sdwa::dword) {
        for_lanes(enabled,
                  [&](int lane) { low[lane] = merged(low[lane], out.row[0][lane], mod.sdwa_dst, mod.sdwa_unused); });
        return;
    }
    if (fills_half(type)) {
        // Most instructions of gfx9 clear the other half of the register; later generations keep it.
        const bool high = instr.dst[0].high || mod.dst_high || instr.def->traits.writes_high;
        const bool keep = high || wave.isa != Isa::gfx9 || instr.def->traits.keeps_half;
        for_lanes(enabled, [&](int lane) {
            const u32 value = out.row[0][lane] & 0xffff;
            low[lane] = high ? (low[lane] & 0xffff) | value << 16 : keep ? (low[lane] & 0xffff0000) | value : value;
        });
        return;
    }
    const int dwords = is_wide(type) ? 2 : 1;
    for (int dword = 0; dword < dwords; ++dword) {
        u32* to = low + dword * kLanes;
        if (enabled == ~u64(0)) std::memcpy(to, out.row[dword], sizeof(out.row[dword]));
        else if (enabled == 0xffffffff) std::memcpy(to, out.row[dword], sizeof(out.row[dword]) / 2);
        else for_lanes(enabled, [&](int lane) { to[lane] = out.row[dword][lane]; });
    }
}

HostRounding::HostRounding(Round round) : before_(std::fegetround()) {
    constexpr int kModes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    std::fesetround(kModes[int(round)]);
}

HostRounding::~HostRounding() { std::fesetround(before_); }

}  // namespace gfxsim

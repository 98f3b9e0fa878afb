// SPDX-License-Identifier: MIT
// The MODE register and what else a wave can ask the hardware about itself.
#include <cstdio>

#include "gfxsim/core/wave.hpp"
#include "gfxsim/ops/control_tables.hpp"
#include "gfxsim/ops/isas.hpp"

namespace gfxsim {
namespace {

enum Register : u8 { kMode = 1, kHwId = 4, kXccId = 20, kHwId1 = 23, kHwId2 = 24, kCyclesLow = 29, kCyclesHigh = 30 };

// Rounding, denormals, DX10_CLAMP, IEEE.
constexpr u32 kFloatMode = 0x3ff;
// Only gfx9 skips vector instructions.
constexpr u32 kVskip = 1 << 28;
u32 mode_simulated(Isa isa) { return kFloatMode | (isa == Isa::gfx9 ? kVskip : 0); }

// Bits of MODE that a program may set without any effect on results: texture clamping, debugging, performance hints.
u32 mode_without_effect(Isa isa) {
    constexpr u32 kLodClamped = 1 << 10, kDebug = 1 << 11, kPrefetch = 1 << 24, kDisablePerf = 1 << 27;
    switch (isa) {
        case Isa::gfx9: return kLodClamped | kDebug;
        case Isa::gfx11: return kLodClamped | kDebug | kDisablePerf;
        case Isa::gfx12: return kLodClamped | kDebug | kPrefetch | kDisablePerf;
    }
    return 0;
}

// gfx12 has no DX10_CLAMP and no IEEE: it always behaves the same way.
constexpr u32 kGfx9And11Bits = 0x300;

u32 read_mode(const Wave& wave) {
    return (wave.mode.bits() & ~(wave.isa == Isa::gfx12 ? kGfx9And11Bits : 0)) | (wave.skips_vector ? kVskip : 0) |
           wave.mode_rest;
}

// Who runs a wave asks whether it skips only when a turn of the wave begins.
void set_skipping(Wave& wave, bool skips) {
    if (wave.skips_vector == skips) return;
    wave.skips_vector = skips, wave.state = State::yielded;
}

void write_mode(Wave& wave, u32 value, u32 mask) {
    const u32 after = (read_mode(wave) & ~mask) | (value & mask);
    const u32 unknown = after & ~mode_simulated(wave.isa) & ~mode_without_effect(wave.isa);
    if (unknown) {
        char text[64];
        std::snprintf(text, sizeof(text), "sets the bits 0x%x of MODE, which are not simulated", unknown);
        throw Fault(FaultKind::unsupported, text);
    }
    const Mode before = wave.mode;
    wave.mode.set_bits(after);
    if (wave.isa == Isa::gfx12) wave.mode.ieee = before.ieee, wave.mode.dx10_clamp = before.dx10_clamp;
    wave.mode_rest = after & ~mode_simulated(wave.isa);
    set_skipping(wave, after & kVskip);
}

u32 field_mask(const Modifiers& mod) {
    const u32 length = mod.hwreg_width >= 32 ? ~u32(0) : (u32(1) << mod.hwreg_width) - 1;
    return length << mod.hwreg_offset;
}

u32 read_register(const Wave& wave, const Instr& instr) {
    const bool gfx9 = wave.isa == Isa::gfx9;
    switch (instr.mod.hwreg) {
        case kMode: return read_mode(wave);
        // Every wave finds itself in the first slot of the first compute unit.
        case kHwId:
        case kXccId:
            if (gfx9) return 0;
            break;
        case kHwId1:
        case kHwId2:
            if (!gfx9) return 0;
            break;
        // A clock that counts the wave's own instructions, so that runs repeat.
        case kCyclesLow:
            if (!gfx9) return u32(wave.executed);
            break;
        case kCyclesHigh:
            if (wave.isa == Isa::gfx12) return u32(wave.executed >> 32);
            break;
        default: break;
    }
    throw Fault(FaultKind::unsupported, "reads a hardware register that is not simulated");
}

void run_getreg(Wave& wave, const Instr& instr) {
    write_scalar32(wave, instr.dst[0], (read_register(wave, instr) & field_mask(instr.mod)) >> instr.mod.hwreg_offset);
}

void run_setreg(Wave& wave, const Instr& instr) {
    if (instr.mod.hwreg != kMode)
        throw Fault(FaultKind::unsupported, "writes a hardware register that is not simulated");
    write_mode(wave, read_scalar32(wave, instr.src[0]) << instr.mod.hwreg_offset, field_mask(instr.mod));
}

void run_setvskip(Wave& wave, const Instr& instr) {
    set_skipping(wave, read_scalar32(wave, instr.src[0]) >> (read_scalar32(wave, instr.src[1]) & 31) & 1);
}

void run_round_mode(Wave& wave, const Instr& instr) { write_mode(wave, read_scalar32(wave, instr.src[0]), 0x0f); }
void run_denorm_mode(Wave& wave, const Instr& instr) { write_mode(wave, read_scalar32(wave, instr.src[0]) << 4, 0xf0); }

void run_clock(Wave& wave, const Instr& instr) { write_scalar64(wave, instr.dst[0], wave.executed); }

void run_sendmsg_rtn(Wave& wave, const Instr& instr) {
    if (wave.program->text(instr).find("MSG_RTN_GET_REALTIME") == std::string::npos)
        throw Fault(FaultKind::unsupported, "asks for something other than the time");
    run_clock(wave, instr);
}

Definition make(const char* name, RunFn run, Type dst, Type src, u8 isas = kAllIsas) {
    Definition d;
    d.name = name, d.run = run, d.isas = isas, d.traits.klass = Class::salu;
    d.dsts = dst == Type::none ? 0 : 1, d.dst[0] = dst, d.src[0] = d.src[1] = src;
    return d;
}

// The result comes by the way of scalar loads.
Definition clock(const char* name, RunFn run, u8 isas, Counter counter) {
    Definition d = make(name, run, Type::u64, Type::none, isas);
    d.traits.klass = Class::scalar_memory;
    d.traits.counter = counter;
    return d;
}

}  // namespace

Table hardware_register_table() {
    return {
        make("s_getreg_b32", &run_getreg, Type::u32, Type::none),
        make("s_setreg_b32", &run_setreg, Type::none, Type::u32),
        make("s_setreg_imm32_b32", &run_setreg, Type::none, Type::u32),
        make("s_setvskip", &run_setvskip, Type::none, Type::u32, kGfx9),
        make("s_round_mode", &run_round_mode, Type::none, Type::u32, kGfx11And12),
        make("s_denorm_mode", &run_denorm_mode, Type::none, Type::u32, kGfx11And12),
        clock("s_memtime", &run_clock, kGfx9, Counter::lgkm),
        clock("s_memrealtime", &run_clock, kGfx9, Counter::lgkm),
        clock("s_sendmsg_rtn_b64", &run_sendmsg_rtn, kGfx11, Counter::lgkm),
        clock("s_sendmsg_rtn_b64", &run_sendmsg_rtn, kGfx12, Counter::km),
    };
}

}  // namespace gfxsim

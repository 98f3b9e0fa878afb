// SPDX-License-Identifier: MIT
// The formats of 8 bits and less, for conversions from and to them.
#pragma once

#include "gfxsim/core/float8.hpp"
#include "gfxsim/ops/float_math.hpp"
#include "gfxsim/ops/small_floats.hpp"

namespace gfxsim::fp {

// Each has the number of its bits, how it is rounded to, and the values of its codes.
struct Fp8 {
    static constexpr int bits = 8;
    static const Format& format(const Wave& wave) { return wave.gpu->fnuz() ? kFp8Fnuz : kFp8; }
    static const f32* values(const Wave& wave) { return matrix::fp8_values(wave.gpu->fnuz()); }
};
struct Bf8 {
    static constexpr int bits = 8;
    static const Format& format(const Wave& wave) { return wave.gpu->fnuz() ? kBf8Fnuz : kBf8; }
    static const f32* values(const Wave& wave) { return matrix::bf8_values(wave.gpu->fnuz()); }
};
struct Fp6 {
    static constexpr int bits = 6;
    static const Format& format(const Wave&) { return kFp6; }
    static const f32* values(const Wave&) { return matrix::fp6_values(); }
};
struct Bf6 {
    static constexpr int bits = 6;
    static const Format& format(const Wave&) { return kBf6; }
    static const f32* values(const Wave&) { return matrix::bf6_values(); }
};
struct Fp4 {
    static constexpr int bits = 4;
    static const Format& format(const Wave&) { return kFp4; }
    static const f32* values(const Wave&) { return matrix::fp4_values(); }
};

/// What is written to and no more: one byte of the destination.
inline u32 into_byte(const Lane& lane, u32 byte, u32 value) {
    const u32 before = lane.wave.v[lane.instr.dst[0].index][lane.index];
    return (before & ~(u32(0xff) << 8 * byte)) | (value & 0xff) << 8 * byte;
}

/// The manuals do not say what clamping a result of these formats does.
inline void refuse_clamp(const Instr& instr) {
    if (instr.mod.clamp || instr.mod.omod != Omod::none)
        throw Fault(FaultKind::unsupported,
                    "changes a small floating-point result with clamp or omod, which is not simulated");
}

/// The next of the numbers with which hardware and programs round stochastically.
inline u32 next_random(u32 value) { return value << 1 ^ (value >> 31 ? 197 : 0); }

}  // namespace gfxsim::fp

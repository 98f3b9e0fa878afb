// SPDX-License-Identifier: MIT
// What the tables of integer vector instructions share.
#pragma once

#include "gfxsim/core/lanes.hpp"
#include "gfxsim/ops/integer.hpp"
#include "gfxsim/ops/isas.hpp"
#include "gfxsim/ops/tables.hpp"

namespace gfxsim {

/// An instruction that computes one function, or another one if "clamp" is set.
template <auto Plain, auto Saturated>
struct ClampedInstruction {
    static void run(Wave& wave, const Instr& instr) {
        if (instr.mod.clamp) LaneInstruction<Saturated, Into::vector>::run(wave, instr);
        else LaneInstruction<Plain, Into::vector>::run(wave, instr);
    }
};

template <auto Plain, auto Saturated>
constexpr Definition clamped(const char* name, Traits traits = {}, u8 isas = kAllIsas) {
    Definition d = lanes<Plain>(name, traits, isas);
    d.run = &ClampedInstruction<Plain, Saturated>::run;
    return d;
}

/// Of 16-bit instructions that gfx9 has in VOP3 alone: the other half of the register stays.
constexpr Traits keeps_half() {
    Traits traits;
    traits.keeps_half = true;
    return traits;
}

// Parts of vector_integer_table().
Table vector_arithmetic_table();
Table vector_multiply_table();
Table vector_bits_table();
Table vector_sad_table();

}  // namespace gfxsim

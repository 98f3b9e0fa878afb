// SPDX-License-Identifier: MIT
// Sets of generations, for the tables.
#pragma once

#include "gfxsim/core/instr.hpp"

namespace gfxsim {

constexpr u8 kGfx9 = isa_bit(Isa::gfx9);
constexpr u8 kGfx11 = isa_bit(Isa::gfx11);
constexpr u8 kGfx12 = isa_bit(Isa::gfx12);
constexpr u8 kGfx9And11 = kGfx9 | kGfx11;
constexpr u8 kGfx11And12 = kGfx11 | kGfx12;

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
// Registers and counters as the assembler writes them.
#pragma once

#include <string>

#include "gfxsim/core/instr.hpp"

namespace gfxsim {

std::string register_name(const Operand& operand, int dword);
const char* counter_name(Counter counter, Isa isa);

}  // namespace gfxsim

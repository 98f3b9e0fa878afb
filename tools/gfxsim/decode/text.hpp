// SPDX-License-Identifier: MIT
// One line of LLVM's AMDGPU disassembly, taken apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gfxsim/core/instr.hpp"

namespace gfxsim {

/// A line before a Definition has given its operands types. `problem` is empty unless the line was not understood.
struct Line {
    std::string mnemonic;  ///< without _e32, _e64, _dpp, _sdwa
    std::vector<Operand> operands;
    Modifiers mod;
    std::string second;  ///< the text behind "::" of a dual-issue instruction
    std::string problem;
};

Line parse_line(std::string_view text, Isa isa);

/// The mnemonic without its encoding suffix.
std::string_view plain_mnemonic(std::string_view mnemonic);

}  // namespace gfxsim

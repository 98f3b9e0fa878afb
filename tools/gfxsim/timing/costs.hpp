// SPDX-License-Identifier: MIT
// What each instruction of a program costs, whenever it runs.
#pragma once

#include <string>
#include <vector>

#include "gfxsim/core/program.hpp"
#include "gfxsim/timing/facts.hpp"

namespace gfxsim::timing {

/// What executes an instruction. A SIMD begins one of each kind at a time, of different waves.
enum class Unit : u8 { scalar, vector, matrix, lds, memory, branch, none };
constexpr int kUnits = 7;

struct Cost {
    Unit unit = Unit::none;
    u16 issue = 4;  ///< until the wave's next instruction
    u16 busy = 4;   ///< until its unit takes the next
    bool wait = false;
    bool barrier = false;
    bool ends = false;
};

/// One entry for each instruction. Throws std::runtime_error with a sentence for a matrix instruction whose time nobody
/// knows.
std::vector<Cost> costs_of(const Program& program, const Facts& facts);

/// Cycles of a SIMD for a vector or matrix instruction; 0 if the facts do not name it.
int cycles_of(std::string_view gpu, const Instr& instr);

}  // namespace gfxsim::timing

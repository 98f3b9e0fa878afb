// SPDX-License-Identifier: MIT
// What waves did, instruction by instruction, as far as time depends on it: results of instructions are not part of it.
#pragma once

#include <vector>

#include "gfxsim/core/wave.hpp"

namespace gfxsim::timing {

/// One memory instruction of a wave: the lines that it touched, or the cycles that LDS needs for it.
struct Touch {
    u32 first_line = 0;  ///< in GroupStream::lines
    u32 lines = 0;
    u32 bytes = 0;  ///< that lanes asked for
    u16 lds_cycles = 0;
    Space space = Space::global;
    Use use = Use::read;
};

constexpr u32 kNoTouch = ~u32(0);

struct Step {
    u32 instr;  ///< index in the program
    u32 touch;  ///< index in GroupStream::touches, or kNoTouch
};

/// The waves of one workgroup.
struct GroupStream {
    u64 index = 0;  ///< of the workgroup in its launch
    u64 steps = 0;  ///< of all waves
    std::vector<std::vector<Step>> waves;
    std::vector<Touch> touches;
    std::vector<u64> lines;  ///< addresses divided by the size of a line

    /// Of a workgroup that is not put into time: how many steps it has, and the lines that it reads, are all.
    bool lines_alone = false;
};

}  // namespace gfxsim::timing

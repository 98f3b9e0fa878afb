// SPDX-License-Identifier: MIT
// One compute unit in time: the waves of the workgroups on it, their SIMDs, LDS and the way to memory.
#pragma once

#include <array>
#include <vector>

#include "gfxsim/timing/costs.hpp"
#include "gfxsim/timing/memory_path.hpp"
#include "gfxsim/timing/stream.hpp"

namespace gfxsim::timing {

/// What a wave's cycles went to: the instruction's own unit, or what it waited for.
enum class Cause : u8 { scalar, vector, matrix, lds, memory, lds_wait, memory_wait, barrier, other };
constexpr int kCauses = 9;
const char* cause_name(Cause cause);

/// An instruction in all waves: how often it ran, and the cycles from when each wave came to it until it could go on.
struct Spent {
    u64 times = 0;
    u64 cycles = 0;
    std::array<u64, kCauses> causes{};  ///< of these cycles
};

/// A wave at one instruction, for a trace viewer: from when it came there until it could go on, and what that time went
/// to for the most part.
struct Stretch {
    u32 group, wave, instr;
    u64 begin, end;
    Cause cause;
};

/// What a viewer shows without a pause.
constexpr std::size_t kMostStretches = 250'000;

struct UnitTime {
    u64 cycles = 0;                     ///< from the first wave's start to the last one's end
    std::vector<u64> groups;            ///< when each workgroup ended
    std::array<u64, kCauses> causes{};  ///< wave cycles
    std::vector<Spent> instructions;    ///< by index in the program
    u64 matrix_busy = 0, lds_busy = 0;  ///< cycles: of all SIMDs, of LDS
    u64 wave_cycles = 0;
    std::vector<Stretch> stretches;  ///< if asked for, in the order of their ends
    u64 left_out = 0;                ///< stretches beyond kMostStretches
};

/// Runs the streams, as many as are `resident` from the beginning (0: all) and each of the others in the place of one
/// that has ended. A stream may be given several times, as several workgroups; those that come later have memory of
/// their own.
UnitTime run_unit(const Program& program, const std::vector<Cost>& costs, const Facts& facts, int simds,
                  const Shares& shares, const std::vector<const GroupStream*>& groups, std::size_t resident = 0,
                  bool trace = false);

}  // namespace gfxsim::timing

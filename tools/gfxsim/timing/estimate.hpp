// SPDX-License-Identifier: MIT
// The time of a launch: some workgroups in time on one compute unit, and the rest as rounds of them over all.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gfxsim/timing/compute_unit.hpp"
#include "gfxsim/timing/recorder.hpp"

namespace gfxsim::timing {

/// How a launch is spread over the GPU, and which of its workgroups are looked at.
struct Spread {
    u64 groups = 0;
    u32 units = 0;  ///< compute units, or pairs of them
    u32 xcds = 1;
    u32 simds = 4;                ///< of a unit
    u32 per_unit = 1;             ///< workgroups that a unit holds at a time
    u64 rounds = 0;               ///< of all units, full ones
    u64 rest = 0;                 ///< workgroups of the last round, if it is not full
    std::vector<u64> on_unit;     ///< workgroups that one unit holds in a full round, or in the only one
    std::vector<u64> first_unit;  ///< where all are there at once: those of the unit that got the first
    std::vector<u64> neighbours;  ///< a sample of those that its XCD holds at the same time, with those of the unit
    u64 on_xcd = 0;               ///< how many that are in all

    /// All that have to be run, in rising order.
    std::vector<u64> sample() const;
    /// Those of them that are not put into time, in rising order.
    std::vector<u64> lines_alone() const;
};

/// `together`: kernels that are taken to be variants in one function, which would have the registers of the largest.
Spread spread_of(const Launch& launch, u32 units, const std::vector<const Kernel*>& together = {});

struct LaunchTime {
    double us = 0;
    double cycles = 0;
    Spread spread;
    UnitTime unit;  ///< of the full round, or the only one
    double round_cycles = 0;
    double rest_cycles = 0;
    double shared = 0;                ///< mean number of workgroups of an XCD that ask for a line
    double fastest = 0, slowest = 0;  ///< cycles of workgroups of the sample
};

/// The GPU has facts. Throws std::runtime_error with a sentence for an instruction whose time nobody knows.
LaunchTime time_of(const Launch& launch, const Spread& spread, const std::vector<std::unique_ptr<GroupStream>>& streams,
                   bool trace = false);

}  // namespace gfxsim::timing

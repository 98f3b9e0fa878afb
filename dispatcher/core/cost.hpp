// SPDX-License-Identifier: MIT
// The documented cost model behind the rules strategy: docs/dispatcher.md explains every term. It predicts; it measures nothing.
#pragma once

#include <cstdint>

#include "arch/arch_types.hpp"
#include "ckdispatch/core/resources.hpp"

namespace ckdispatch {

/// A launch as the model sees it, whatever the family: workgroups that do the same work, padding included.
struct Work {
    double workgroups     = 0;  ///< in all
    double flops          = 0;  ///< matrix operations of one workgroup
    double element_bytes  = 2;  ///< of the operands: narrower ones multiply faster
    double l2_bytes       = 0;  ///< what one workgroup reads and writes, mostly through L2
    double memory_bytes   = 0;  ///< what must go through memory once, for all workgroups together
    double loops          = 0;  ///< trips of a workgroup's main loop, each with a wait for its loads
    double tiles_in_flight = 1; ///< loads that the pipeline has under way at once
    double compute_share  = 1;  ///< of the matrix peak that the inner loop can reach, from 0 to 1
    double extra_passes   = 0;  ///< bytes of further passes over memory, such as zeroing an output
    double launches       = 1;
    double extra_launches = 0;  ///< of those passes
    bool even             = false;  ///< the last round is shared out among all units, as if a workgroup could be divided
};

/// Workgroups of a kernel that the GPU runs at once.
double workgroups_at_once(const Resources& used, const arch::GpuSpec& gpu);

/// Of bytes that are copied from memory to memory.
double transfer_microseconds(std::uint64_t bytes, const arch::GpuSpec& gpu);

double predicted_microseconds(const Work& work, const Resources& used, const arch::GpuSpec& gpu);

}  // namespace ckdispatch

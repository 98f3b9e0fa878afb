// SPDX-License-Identifier: MIT
#pragma once

#include "gfxsim/core/program.hpp"

namespace gfxsim {

/// What HIP calls a multiprocessor: a compute unit, or a pair where workgroups run on pairs. There are no more than the
/// environment allows.
struct Multiprocessor {
    u32 count;
    u32 simds;
    u32 threads;
};
Multiprocessor multiprocessors(const Gpu& gpu);

/// Workgroups of `block` work items that one multiprocessor holds at a time.
u32 active_blocks(const Gpu& gpu, const Kernel& kernel, u32 block, u64 dynamic_lds);

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
// More channels in each group, for convolutions that no kernel takes as they are.
#pragma once

#include "ckdispatch/grouped_conv/family.hpp"

namespace ckdispatch {

/// Runs the best plan, as Dispatcher::run does. If no kernel takes the channels or the addresses, copies of the tensors are run in their place, with as many more
/// channels in and out of each group as the kernel wants that should take the least time; what is added is zero, and the result is copied back. The copies live as
/// long as the call, which then waits for the stream. The problem of the plan says which channels were run.
/// Throws Error (no_kernel) about the problem itself if no kernel takes it however many channels it has; nothing was launched then.
GroupedConvDispatcher::PlanPtr run_padded(GroupedConvDispatcher& dispatcher, const GroupedConvProblem& problem, Tensors tensors, const RunOptions& options = {});

}  // namespace ckdispatch

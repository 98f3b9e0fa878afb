// SPDX-License-Identifier: MIT
// Running a plan whose result is to be compared with the reference.
#pragma once

#include <algorithm>
#include <functional>

#include "ckdispatch/core/run.hpp"
#include "ckdispatch/product/fused_ops.hpp"
#include "ckdispatch/product/split_k.hpp"

namespace ckdispatch {

/// Runs the plan and waits for it; `result` is told who computed it, and where. What is to be read `before` may be
/// written by the run.
template <typename Dispatcher, typename Plan>
void run_to_validate(Dispatcher& dispatcher, const Plan& plan, Tensors tensors, const RunOptions& options,
                     Validation& result, const std::function<void()>& before = {}) {
    // Before anything runs: an operation that the reference does not know.
    (void)FusedOp::find(plan.problem.fused_op, plan.problem.d_count);
    if (before) {
        dispatcher.device().synchronize(options.stream);
        before();
    }
    dispatcher.run_plan(plan, tensors, options);
    dispatcher.device().synchronize(options.stream);
    result.kernel = plan.name();
    result.device = dispatcher.device().name();
}

/// How often a result may be rounded: once for each part of its sum that is added to it in memory.
template <typename Plan>
double roundings_of(const Plan& plan) {
    std::uint32_t most = 1;
    for (const auto& stage : plan.stages)
        if (stage.kernel->key().split_k == SplitK::words().atomic)
            most = std::max(most, std::uint32_t(stage.way.parts));
    return most;
}

}  // namespace ckdispatch

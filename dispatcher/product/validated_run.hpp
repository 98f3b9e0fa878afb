// SPDX-License-Identifier: MIT
// Running a problem whose result is to be compared with the reference.
#pragma once

#include <functional>

#include "ckdispatch/core/run.hpp"
#include "ckdispatch/product/fused_ops.hpp"
#include "ckdispatch/product/split_k.hpp"

namespace ckdispatch {

/// Runs the problem, waits for it and returns its plan; `result` is told who computed it, and where. What is to be read
/// `before` may be written by the run.
template <typename Dispatcher, typename Problem>
auto run_to_validate(Dispatcher& dispatcher, const Problem& problem, Tensors tensors, const RunOptions& options,
                     Validation& result, const std::function<void()>& before = {}) {
    // Before anything runs: an operation that the reference does not know.
    (void)FusedOp::find(problem.fused_op, problem.d_count);
    if (before) {
        dispatcher.device().synchronize(options.stream);
        before();
    }
    auto plan = dispatcher.run(problem, tensors, options);
    dispatcher.device().synchronize(options.stream);
    result.kernel = plan->name();
    result.device = dispatcher.device().name();
    return plan;
}

/// How often a result may be rounded: once for each part of its sum that is added to it in memory.
template <typename Stage>
double roundings_of(const Stage& stage) {
    return stage.kernel->key().split_k == SplitK::words().atomic ? double(stage.way.parts) : 1;
}

}  // namespace ckdispatch

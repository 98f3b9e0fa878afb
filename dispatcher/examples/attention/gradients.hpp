// SPDX-License-Identifier: MIT
// A causal attention, its gradients, and whether these are right.
#pragma once

#include "dispatcher/examples/attention/attention.hpp"
#include "dispatcher/examples/attention/by_hand.hpp"

struct Gradients {
    Operands operands;
    std::shared_ptr<const ckdispatch::FmhaPlan> plan;
    std::vector<float> slopes;
};

/// Of k and v with fewer heads than q the gradients are summed over the heads that share one.
inline Gradients gradients(ckdispatch::FmhaDispatcher& dispatcher, const std::shared_ptr<ckdispatch::Device>& device,
                           bool deterministic, const std::vector<float>& slopes = {}) {
    const auto builder = ckdispatch::FmhaProblemBuilder()
                             .dtype("fp16")
                             .sizes(1, 4, 2)
                             .lengths(70, 150)
                             .head_sizes(64)
                             .mask(ckdispatch::FmhaProblemBuilder::Mask::bottom_right, -1, 0)
                             .bias(slopes.empty() ? "none" : "alibi");

    // Gradients need what the forward call left: o and lse.
    const auto forward = ckdispatch::FmhaProblemBuilder(builder).with(CK_FMHA_LSE).build();
    Operands before(device, forward);
    if (!slopes.empty()) before.put(CK_FMHA_BIAS, slopes);
    dispatcher.run(forward, before);

    const auto backward = ckdispatch::FmhaProblemBuilder(builder).backward().deterministic(deterministic).build();
    Operands operands(device, backward, &before);
    const auto plan = dispatcher.run(backward, operands);
    device->synchronize();
    return {std::move(operands), plan, slopes};
}

inline int check_gradients(const Gradients& found) {
    const Operands& all = found.operands;
    const ByHandInputs inputs{all.numbers(CK_FMHA_Q),   all.numbers(CK_FMHA_K),
                              all.numbers(CK_FMHA_V),   {},
                              all.numbers(CK_FMHA_D_O), found.slopes};
    const ByHand expected = by_hand(found.plan->problem, inputs);
    std::int64_t wrong = differing(all.numbers(CK_FMHA_DQ), expected.dq, 4e-3);
    wrong += differing(all.numbers(CK_FMHA_DK), expected.dk, 4e-3);
    wrong += differing(all.numbers(CK_FMHA_DV), expected.dv, 4e-3);
    return report(*found.plan, std::int64_t(expected.dq.size() + expected.dk.size() + expected.dv.size()), wrong);
}

// SPDX-License-Identifier: MIT
// Attention of 8-bit numbers with a result of bf16, checked:
//     fp8 MANIFEST [DEVICE]
#include "dispatcher/examples/attention/attention.hpp"

using namespace ckdispatch;

namespace {

int attend(FmhaDispatcher& dispatcher, const std::shared_ptr<Device>& device) {
    // Say that q, k and v were divided by these to fit into 8 bits.
    constexpr float kScaleQ = 0.5f, kScaleK = 0.25f, kScaleV = 2;
    // The numerators of the softmax, up to 1, are made to fill what 8 bits hold: up to 240 on gfx942.
    constexpr float kLargest = 240;
    const auto problem = FmhaProblemBuilder()
                             .dtype("fp8bf16")
                             .sizes(1, 2)
                             .lengths(64, 100)
                             .head_sizes(64)
                             .scale(kScaleQ * kScaleK / 8)
                             .fp8_scales(kLargest, kScaleV / kLargest)
                             .build();
    return run_and_check(dispatcher, problem, Operands(device, problem));
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, attend); }

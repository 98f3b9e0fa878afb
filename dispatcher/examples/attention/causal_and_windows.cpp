// SPDX-License-Identifier: MIT
// Attention where a row sees some of the keys: those before it, or those in a window, checked:
//     causal_and_windows MANIFEST [DEVICE]
#include "dispatcher/examples/attention/attention.hpp"

using namespace ckdispatch;

namespace {

using Mask = FmhaProblemBuilder::Mask;

int attend(FmhaDispatcher& dispatcher, const std::shared_ptr<Device>& device) {
    struct {
        Mask from;
        std::int64_t left, right;
    } const masks[] = {
        {Mask::bottom_right, -1, 0},  // causal as flash-attn means it: the last row sees the last key
        {Mask::top_left, -1, 0},      // causal as torch means it: the first row sees the first key
        {Mask::bottom_right, 32, 0},  // the 32 keys before its own
        {Mask::top_left, 16, 16},     // on both sides
    };
    int failed = 0;
    for (const auto& mask : masks) {
        const auto problem = FmhaProblemBuilder()
                                 .dtype("fp16")
                                 .sizes(1, 2)
                                 .lengths(70, 100)
                                 .head_sizes(64)
                                 .mask(mask.from, mask.left, mask.right)
                                 .build();
        failed |= run_and_check(dispatcher, problem, Operands(device, problem));
    }
    return failed;
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, attend); }

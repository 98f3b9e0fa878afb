// SPDX-License-Identifier: MIT
// Attention with heads of several sizes, of which kernels have few: the others are served by larger ones, checked:
//     head_sizes MANIFEST [DEVICE]
#include "dispatcher/examples/attention/attention.hpp"

using namespace ckdispatch;

namespace {

int attend(FmhaDispatcher& dispatcher, const std::shared_ptr<Device>& device) {
    constexpr std::int64_t kSizes[][2] = {{64, 64}, {40, 40}, {52, 24}, {128, 128}};  // of q and k, and of v
    int failed = 0;
    for (const auto& [of_q, of_v] : kSizes) {
        const auto problem =
            FmhaProblemBuilder().dtype("fp16").sizes(1, 2).lengths(40, 70).head_sizes(of_q, of_v).build();
        failed |= run_and_check(dispatcher, problem, Operands(device, problem));
    }
    return failed;
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, attend); }

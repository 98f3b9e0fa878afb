// SPDX-License-Identifier: MIT
// Attention where several heads of q share one of k and v, in groups and all of them, checked:
//     gqa MANIFEST [DEVICE]
#include "dispatcher/examples/attention/attention.hpp"

using namespace ckdispatch;

namespace {

int attend(FmhaDispatcher& dispatcher, const std::shared_ptr<Device>& device) {
    int failed = 0;
    for (const std::int64_t heads_k : {2, 1}) {
        // Heads 0 to 3 of q share head 0 of k, if there are two.
        const auto problem =
            FmhaProblemBuilder().dtype("fp16").sizes(1, 8, heads_k).lengths(50, 70).head_sizes(64).build();
        failed |= run_and_check(dispatcher, problem, Operands(device, problem));
    }
    return failed;
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, attend); }

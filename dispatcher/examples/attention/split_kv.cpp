// SPDX-License-Identifier: MIT
// Attention of one row, whose keys are divided among workgroups that would be idle otherwise, checked:
//     split_kv MANIFEST [DEVICE]
#include "dispatcher/examples/attention/attention.hpp"

using namespace ckdispatch;

namespace {

int attend(FmhaDispatcher& dispatcher, const std::shared_ptr<Device>& device) {
    // Three parts are computed by one kernel, and put together by another; without split_kv the dispatcher chooses.
    const auto problem =
        FmhaProblemBuilder().dtype("fp16").sizes(2, 4, 2).lengths(1, 190).head_sizes(64).split_kv(3).build();
    return run_and_check(dispatcher, problem, Operands(device, problem));
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, attend); }

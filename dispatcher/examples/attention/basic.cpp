// SPDX-License-Identifier: MIT
// Attention of two sequences with the best kernel of a set, checked:
//     basic MANIFEST [DEVICE]
#include "dispatcher/examples/attention/attention.hpp"

using namespace ckdispatch;

namespace {

int attend(FmhaDispatcher& dispatcher, const std::shared_ptr<Device>& device) {
    // 100 rows of q and 130 keys, in 4 heads of 64; tensors are [batch, row, head, element], and the scale is 1 / 8.
    const auto problem = FmhaProblemBuilder().dtype("fp16").sizes(2, 4).lengths(100, 130).head_sizes(64).build();
    return run_and_check(dispatcher, problem, Operands(device, problem));
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, attend); }

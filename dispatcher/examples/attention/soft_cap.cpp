// SPDX-License-Identifier: MIT
// Attention whose scores are kept between -5 and 5 by 5 * tanh(score / 5), checked:
//     soft_cap MANIFEST [DEVICE]
#include "dispatcher/examples/attention/attention.hpp"

using namespace ckdispatch;

namespace {

int attend(FmhaDispatcher& dispatcher, const std::shared_ptr<Device>& device) {
    // With a scale of 1 many scores would be larger.
    const auto problem =
        FmhaProblemBuilder().dtype("fp16").sizes(1, 2).lengths(64, 100).head_sizes(64).scale(1).soft_cap(5).build();
    return run_and_check(dispatcher, problem, Operands(device, problem));
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, attend); }

// SPDX-License-Identifier: MIT
// Attention with a number that is added to each score, and with slopes that make keys count less the farther away they
// are, checked:
//     bias_and_alibi MANIFEST [DEVICE]
#include "dispatcher/examples/attention/attention.hpp"

using namespace ckdispatch;

namespace {

int attend(FmhaDispatcher& dispatcher, const std::shared_ptr<Device>& device) {
    const auto builder = FmhaProblemBuilder().dtype("fp16").sizes(2, 4).lengths(64, 96).head_sizes(64);

    // Of fp16 as q is, [batch, head, row, key].
    const auto biased = FmhaProblemBuilder(builder).bias("elementwise").build();
    int failed = run_and_check(dispatcher, biased, Operands(device, biased));

    // A float for each head of each sequence.
    const auto sloped =
        FmhaProblemBuilder(builder).bias("alibi").mask(FmhaProblemBuilder::Mask::bottom_right, -1, 0).build();
    Operands operands(device, sloped);
    operands.put(CK_FMHA_BIAS,
                 std::vector<float>{1 / 4.f, 1 / 16.f, 1 / 64.f, 1 / 256.f, 1 / 4.f, 1 / 16.f, 1 / 64.f, 1 / 256.f});
    return failed | run_and_check(dispatcher, sloped, operands);
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, attend); }

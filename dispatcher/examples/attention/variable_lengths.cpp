// SPDX-License-Identifier: MIT
// Attention of sequences of different lengths that lie one behind the other, one of them empty, checked:
//     variable_lengths MANIFEST [DEVICE]
#include "dispatcher/examples/attention/attention.hpp"

using namespace ckdispatch;

namespace {

int attend(FmhaDispatcher& dispatcher, const std::shared_ptr<Device>& device) {
    // Where each begins, and the last ends: 30, 0, 75 and 7 rows with 40, 5, 75 and 90 keys.
    const std::vector<std::int32_t> starts_q{0, 30, 30, 105, 112}, starts_k{0, 40, 45, 120, 210};
    const auto problem = FmhaProblemBuilder()
                             .dtype("fp16")
                             .sizes(4, 2)
                             .lengths(75, 90)  // the most that one has
                             .group(112, 210)
                             .head_sizes(64)
                             .mask(FmhaProblemBuilder::Mask::bottom_right, -1, 0)
                             .build();
    Operands operands(device, problem);
    operands.put(CK_FMHA_SEQSTART_Q, starts_q).put(CK_FMHA_SEQSTART_K, starts_k);
    return run_and_check(dispatcher, problem, operands);
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, attend); }

// SPDX-License-Identifier: MIT
// Attention over keys in pages, which a table lists for each sequence in their order, checked:
//     paged_cache MANIFEST [DEVICE]
#include "dispatcher/examples/attention/attention.hpp"

using namespace ckdispatch;

namespace {

int attend(FmhaDispatcher& dispatcher, const std::shared_ptr<Device>& device) {
    // Five pages of 128 keys for two sequences of at most 190.
    const auto problem = FmhaProblemBuilder()
                             .dtype("fp16")
                             .sizes(2, 4, 2)
                             .lengths(1, 190)
                             .head_sizes(64)
                             .pages(128, 5, 2)
                             .with(CK_FMHA_SEQLEN_K)
                             .build();
    Operands operands(device, problem);
    // The second sequence has one page; what a table has behind those in use is not looked at.
    operands.put(CK_FMHA_BLOCK_TABLE, std::vector<std::int32_t>{4, 1, 2, 0})
        .put(CK_FMHA_SEQLEN_K, std::vector<std::int32_t>{190, 77});
    return run_and_check(dispatcher, problem, operands);
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, attend); }

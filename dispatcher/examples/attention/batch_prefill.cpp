// SPDX-License-Identifier: MIT
// Attention of packed prompts over a cache where a list has the place of every key, checked:
//     batch_prefill MANIFEST [DEVICE]
#include "dispatcher/examples/attention/attention.hpp"

using namespace ckdispatch;

namespace {

int attend(FmhaDispatcher& dispatcher, const std::shared_ptr<Device>& device) {
    // Two prompts of 40 and 25 rows, whose 60 and 25 keys are somewhere in a cache of 200 rows.
    constexpr std::int64_t kRows = 200, kKeys = 85;
    const auto problem = FmhaProblemBuilder()
                             .dtype("fp16")
                             .sizes(2, 2)
                             .lengths(40, 60)
                             .group(65, kKeys)
                             .head_sizes(128)
                             .page_list(1, kRows, kKeys + 128)
                             .mask(FmhaProblemBuilder::Mask::bottom_right, -1, 0)
                             .build();
    std::vector<std::int32_t> places(kKeys + 128);  // kernels look at up to 128 places behind the last
    for (std::int64_t i = 0; i < kKeys; ++i) places[std::size_t(i)] = std::int32_t(i * 37 % kRows);
    Operands operands(device, problem);
    operands.put(CK_FMHA_SEQSTART_Q, std::vector<std::int32_t>{0, 40, 65});
    operands.put(CK_FMHA_KV_INDPTR, std::vector<std::int32_t>{0, 60, 85}).put(CK_FMHA_KV_PAGES, places);
    return run_and_check(dispatcher, problem, operands);
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, attend); }

// SPDX-License-Identifier: MIT
// Attention with a place for weight that no key deserves: a score of its own for each head, or the first keys, which no
// window leaves out, checked:
//     sinks MANIFEST [DEVICE]
#include "dispatcher/examples/attention/attention.hpp"

using namespace ckdispatch;

namespace {

int attend(FmhaDispatcher& dispatcher, const std::shared_ptr<Device>& device) {
    const auto builder = FmhaProblemBuilder().dtype("fp16").sizes(1, 2).lengths(60, 100).head_sizes(64);

    // As gpt-oss has it: one more column of the softmax, whose value is zero.
    const auto scored = FmhaProblemBuilder(builder).with(CK_FMHA_SINK).build();
    Operands operands(device, scored);
    operands.put(CK_FMHA_SINK, std::vector<float>{1.5f, -0.5f});
    const int failed = run_and_check(dispatcher, scored, operands);

    // As StreamingLLM has it: a window of 16 keys, and the first 4.
    const auto kept =
        FmhaProblemBuilder(builder).mask(FmhaProblemBuilder::Mask::bottom_right, 16, 0).sink_tokens(4).build();
    return failed | run_and_check(dispatcher, kept, Operands(device, kept));
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, attend); }

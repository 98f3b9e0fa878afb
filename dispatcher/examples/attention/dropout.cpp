// SPDX-License-Identifier: MIT
// Attention with dropout, whose random numbers are stored and say what was dropped, checked with them:
//     dropout MANIFEST [DEVICE]
#include "dispatcher/examples/attention/attention.hpp"
#include "dispatcher/examples/attention/by_hand.hpp"

using namespace ckdispatch;

namespace {

int attend(FmhaDispatcher& dispatcher, const std::shared_ptr<Device>& device) {
    // Seed and offset make the numbers, the same on every GPU; the next call takes an offset that is batch * heads * 64
    // more.
    constexpr float kDropped = 0.2f;
    const auto builder = FmhaProblemBuilder().dtype("fp16").sizes(2, 2).lengths(48, 80).head_sizes(64);
    const auto problem = FmhaProblemBuilder(builder).dropout(kDropped, 1234, 0).with(CK_FMHA_RANDVAL).build();
    const Operands operands(device, problem);
    const auto plan = dispatcher.run(problem, operands);
    device->synchronize();

    std::vector<double> kept;
    for (const std::uint8_t byte : operands.read<std::uint8_t>(CK_FMHA_RANDVAL))
        kept.push_back(float(byte) <= std::floor(255 * (1 - kDropped)) ? 1 / (1 - kDropped) : 0);
    const ByHand expected =
        by_hand(problem, {operands.numbers(CK_FMHA_Q), operands.numbers(CK_FMHA_K), operands.numbers(CK_FMHA_V), kept});
    const int failed =
        report(*plan, std::int64_t(expected.o.size()), differing(operands.numbers(CK_FMHA_O), expected.o, 2e-3));

    // The CPU makes the same numbers of seed and offset.
    return failed | run_and_check(dispatcher, problem, operands);
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, attend); }

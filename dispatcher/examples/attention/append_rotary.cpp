// SPDX-License-Identifier: MIT
// New keys are turned by their positions and put into a cache, q is turned too, and attends to all of them, checked:
//     append_rotary MANIFEST [DEVICE]
#include <algorithm>

#include "dispatcher/examples/attention/attention.hpp"
#include "dispatcher/examples/attention/rotary.hpp"

using namespace ckdispatch;

namespace {

constexpr std::int64_t kHeads = 2, kHead = 64, kRoom = 128, kNew = 3, kBefore = 60;

// The cache as it should be: its rows, and behind them the new ones.
std::vector<double> appended(std::vector<double> cache, std::vector<double> rows, const std::vector<double>& cosines,
                             const std::vector<double>& sines) {
    for (std::int64_t i = 0; i < kNew * kHeads; ++i) {
        const std::int64_t position = kBefore + i / kHeads;
        rotate_interleaved(rows.data() + i * kHead, kHead, cosines.data() + position * kHead / 2,
                           sines.data() + position * kHead / 2);
    }
    std::copy(rows.begin(), rows.end(), cache.begin() + kBefore * kHeads * kHead);
    return cache;
}

int attend(FmhaDispatcher& dispatcher, const std::shared_ptr<Device>& device) {
    // Three new rows of q see the 60 keys that there are, and those of the new ones that are not after them.
    auto builder = FmhaProblemBuilder()
                       .dtype("fp16")
                       .sizes(1, 4, kHeads)
                       .lengths(kNew, kRoom)
                       .head_sizes(kHead)
                       .with(CK_FMHA_SEQLEN_K);
    builder = builder.mask(FmhaProblemBuilder::Mask::bottom_right, -1, 0);
    const auto problem = FmhaProblemBuilder(builder).append(kNew).rotary("interleaved", kHead, kRoom).build();
    Operands operands(device, problem);
    const auto [cosines, sines] = rotations(kRoom, kHead);
    operands.put(CK_FMHA_ROTARY_COS, to_halves(cosines)).put(CK_FMHA_ROTARY_SIN, to_halves(sines));
    // q and the cache are written too, so that they have no numbers yet.
    operands.put(CK_FMHA_Q, to_halves(sixteenths(kNew * 4 * kHead, 1)))
        .put(CK_FMHA_K, to_halves(sixteenths(kRoom * kHeads * kHead, 2)));
    operands.put(CK_FMHA_V, to_halves(sixteenths(kRoom * kHeads * kHead, 3)))
        .put(CK_FMHA_SEQLEN_K, std::vector<std::int32_t>{kBefore});
    const auto expected = appended(operands.numbers(CK_FMHA_K), operands.numbers(CK_FMHA_K_NEW), cosines, sines);

    const auto plan = dispatcher.run(problem, operands);
    device->synchronize();
    const int failed =
        report(*plan, std::int64_t(expected.size()), differing(operands.numbers(CK_FMHA_K), expected, 2e-3));

    // q and the cache are now as the attention saw them.
    const auto after = builder.build();
    operands.put(CK_FMHA_SEQLEN_K, std::vector<std::int32_t>{kBefore + kNew});
    return failed | run_and_check(dispatcher, after, Operands(device, after, &operands));
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, attend); }

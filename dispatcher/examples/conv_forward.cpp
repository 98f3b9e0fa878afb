// SPDX-License-Identifier: MIT
// Convolves images with the best kernel of a set, and checks the result:
//     conv_forward MANIFEST [DEVICE]
// A simulated device needs CKDISPATCH_SIMULATOR, the path of the simulator's runtime.
#include "convolutions.hpp"

namespace {

int convolve(ckdispatch::GroupedConvDispatcher& dispatcher, const std::shared_ptr<ckdispatch::Device>& device) {
    // Two images of 14 x 14 with 2 groups of 16 channels, which become 24 each.
    const auto problem = ckdispatch::GroupedConvProblemBuilder()
                             .sizes(2, 2, 16, 24)
                             .input({14, 14})
                             .filter({3, 3})
                             .stride({2, 2})
                             .pad({1, 1})
                             .dtype("fp16")
                             .build();
    const auto x = whole_numbers(device, 2 * 14 * 14 * 2 * 16, 7);
    const auto w = whole_numbers(device, 2 * 24 * 3 * 3 * 16, 11);
    const ckdispatch::DeviceBuffer y(device, 2 * 7 * 7 * 2 * 24 * sizeof(std::uint16_t));
    return run_and_check(dispatcher, problem, {x.address(), w.address(), y.address()});
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, convolve); }

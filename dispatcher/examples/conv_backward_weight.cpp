// SPDX-License-Identifier: MIT
// Computes the gradient of the weights of a convolution with the best kernel of a set, and checks it:
//     conv_backward_weight MANIFEST [DEVICE]
// A simulated device needs CKDISPATCH_SIMULATOR, the path of the simulator's runtime.
#include "convolutions.hpp"

namespace {

int convolve(ckdispatch::GroupedConvDispatcher& dispatcher, const std::shared_ptr<ckdispatch::Device>& device) {
    // The sum is over all positions of all images: the dispatcher may divide it, but the result is to be the same every
    // time.
    const auto problem = ckdispatch::GroupedConvProblemBuilder()
                             .direction("backward_weight")
                             .sizes(2, 2, 16, 24)
                             .input({14, 14})
                             .filter({3, 3})
                             .stride({2, 2})
                             .pad({1, 1})
                             .dtype("fp16")
                             .split_k(0)
                             .deterministic(true)
                             .build();
    const auto x = whole_numbers(device, 2 * 14 * 14 * 2 * 16, 7);
    const ckdispatch::DeviceBuffer w(device, 2 * 24 * 3 * 3 * 16 * sizeof(std::uint16_t));
    const auto y = whole_numbers(device, 2 * 7 * 7 * 2 * 24, 11);
    return run_and_check(dispatcher, problem, {x.address(), w.address(), y.address()});
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, convolve); }

// SPDX-License-Identifier: MIT
// Computes the gradient of the images of a convolution with the best kernel of a set, and checks it:
//     conv_backward_data MANIFEST [DEVICE]
// A simulated device needs CKDISPATCH_SIMULATOR, the path of the simulator's runtime.
#include "convolutions.hpp"

namespace {

int convolve(ckdispatch::GroupedConvDispatcher& dispatcher, const std::shared_ptr<ckdispatch::Device>& device) {
    const auto problem = ckdispatch::GroupedConvProblemBuilder()
                             .direction("backward_data")
                             .sizes(2, 2, 16, 24)
                             .input({14, 14})
                             .filter({3, 3})
                             .stride({2, 2})
                             .pad({1, 1})
                             .dtype("fp16")
                             .build();
    // y is read and x is written, but the order of tensors stays.
    const ckdispatch::DeviceBuffer x(device, 2 * 14 * 14 * 2 * 16 * sizeof(std::uint16_t));
    const auto w = whole_numbers(device, 2 * 24 * 3 * 3 * 16, 11);
    const auto y = whole_numbers(device, 2 * 7 * 7 * 2 * 24, 7);
    return run_and_check(dispatcher, problem, {x.address(), w.address(), y.address()});
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, convolve); }

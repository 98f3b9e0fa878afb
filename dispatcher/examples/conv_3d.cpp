// SPDX-License-Identifier: MIT
// Convolves volumes, such as scans or short films, with the best kernel of a set, and checks the result:
//     conv_3d MANIFEST [DEVICE]
// In place of a manifest it takes the library of one kernel. A simulated device needs CKDISPATCH_SIMULATOR, the path of
// the simulator's runtime.
#include "convolutions.hpp"

namespace {

int convolve(ckdispatch::GroupedConvDispatcher& dispatcher, const std::shared_ptr<ckdispatch::Device>& device) {
    // Depth, height and width; the filter takes every position of the first and every other one of the rest.
    const auto problem = ckdispatch::GroupedConvProblemBuilder()
                             .sizes(1, 1, 16, 24)
                             .input({6, 8, 8})
                             .filter({3, 3, 3})
                             .stride({1, 2, 2})
                             .pad({1, 1, 1})
                             .dtype("fp16")
                             .build();
    const auto x = whole_numbers(device, 6 * 8 * 8 * 16, 7);
    const auto w = whole_numbers(device, 24 * 3 * 3 * 3 * 16, 11);
    const ckdispatch::DeviceBuffer y(device, 6 * 4 * 4 * 24 * sizeof(std::uint16_t));
    return run_and_check(dispatcher, problem, {x.address(), w.address(), y.address()});
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, convolve); }

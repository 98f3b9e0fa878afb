// SPDX-License-Identifier: MIT
// Computes the gradient of the images of a convolution with the best kernel of a set, and checks it:
//     conv_backward_data MANIFEST [DEVICE]
// A simulated device needs CKDISPATCH_SIMULATOR, the path of the simulator's runtime.
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>

#include "ckdispatch/grouped_conv/family.hpp"
#include "tensors.hpp"

namespace {

int convolve(int argc, char** argv) {
    const auto registry = std::make_shared<ckdispatch::GroupedConvRegistry>("example");
    registry->load_manifest(argv[1]);
    const auto device = ckdispatch::Device::open(argc > 2 ? argv[2] : "sim:gfx942");
    ckdispatch::GroupedConvDispatcher dispatcher(registry, device);

    const auto problem = ckdispatch::GroupedConvProblemBuilder().direction("backward_data").sizes(2, 2, 16, 24).input({14, 14}).filter({3, 3}).stride({2, 2}).pad({1, 1}).dtype("fp16").build();
    // y is read and x is written, but the order of tensors stays.
    const ckdispatch::DeviceBuffer x(device, 2 * 14 * 14 * 2 * 16 * sizeof(std::uint16_t));
    const auto w = whole_numbers(device, 2 * 24 * 3 * 3 * 16, 11);
    const auto y = whole_numbers(device, 2 * 7 * 7 * 2 * 24, 7);
    void* const tensors[] = {x.address(), w.address(), y.address()};

    const auto plan = dispatcher.run(problem, tensors);
    device->synchronize();
    std::cout << problem.text() << " with " << plan->name() << '\n';

    const ckdispatch::Validation checked = ckdispatch::validate(dispatcher, problem, tensors);
    std::cout << checked.checked << " values of x checked, " << checked.wrong << " wrong\n";
    return checked.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: conv_backward_data MANIFEST [DEVICE]\n";
        return 2;
    }
    try {
        return convolve(argc, argv);
    } catch (const std::exception& error) {  // ckdispatch::Error also has a code()
        std::cerr << error.what() << '\n';
        return EXIT_FAILURE;
    }
}

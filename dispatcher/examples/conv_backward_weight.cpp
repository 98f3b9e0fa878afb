// SPDX-License-Identifier: MIT
// Computes the gradient of the weights of a convolution with the best kernel of a set, and checks it:
//     conv_backward_weight MANIFEST [DEVICE]
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

    // The sum is over all positions of all images: the dispatcher may divide it, but the result is to be the same every time.
    const auto problem = ckdispatch::GroupedConvProblemBuilder().direction("backward_weight").sizes(2, 2, 16, 24).input({14, 14}).filter({3, 3}).stride({2, 2}).pad({1, 1}).dtype("fp16").split_k(0).deterministic(true).build();
    const auto x = whole_numbers(device, 2 * 14 * 14 * 2 * 16, 7);
    const ckdispatch::DeviceBuffer w(device, 2 * 24 * 3 * 3 * 16 * sizeof(std::uint16_t));
    const auto y = whole_numbers(device, 2 * 7 * 7 * 2 * 24, 11);
    void* const tensors[] = {x.address(), w.address(), y.address()};

    const auto plan = dispatcher.run(problem, tensors);
    device->synchronize();
    std::cout << problem.text() << " with " << plan->name() << '\n';

    const ckdispatch::Validation checked = ckdispatch::validate(dispatcher, problem, tensors);
    std::cout << checked.checked << " values of w checked, " << checked.wrong << " wrong\n";
    return checked.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: conv_backward_weight MANIFEST [DEVICE]\n";
        return 2;
    }
    try {
        return convolve(argc, argv);
    } catch (const std::exception& error) {  // ckdispatch::Error also has a code()
        std::cerr << error.what() << '\n';
        return EXIT_FAILURE;
    }
}

// SPDX-License-Identifier: MIT
// A small network with kernels of two families in one registry, a convolution and a product of its result, both
// checked:
//     mixed_families MANIFEST MANIFEST [DEVICE]
// A simulated device needs CKDISPATCH_SIMULATOR, the path of the simulator's runtime.
#include "ckdispatch/families/kernel_registry.hpp"
#include "convolutions.hpp"
#include "gemms.hpp"

namespace {

int compute(const ckdispatch::KernelRegistry& registry, const std::shared_ptr<ckdispatch::Device>& device) {
    // Each is told of the kernels of its family; the device is the same, and so is its memory.
    ckdispatch::GroupedConvDispatcher convolutions(registry.of<ckdispatch::GroupedConvRegistry>(), device);
    ckdispatch::GemmDispatcher products(registry.of<ckdispatch::GemmRegistry>(), device);

    // Four images of 6 x 6, and of each of their 16 features one row of A.
    constexpr std::int64_t images = 4, features = 6 * 6 * 16, classes = 64;
    const auto x = whole_numbers(device, images * 6 * 6 * 16, 7), w = whole_numbers(device, 16 * 3 * 3 * 16, 11),
               weights = whole_numbers(device, features * classes, 13);
    const ckdispatch::DeviceBuffer y(device, images * features * sizeof(std::uint16_t)),
        c(device, images * classes * sizeof(std::uint16_t));

    const auto convolution = ckdispatch::GroupedConvProblemBuilder()
                                 .sizes(images, 1, 16, 16)
                                 .input({6, 6})
                                 .filter({3, 3})
                                 .pad({1, 1})
                                 .dtype("fp16")
                                 .build();
    if (run_and_check(convolutions, convolution, {x.address(), w.address(), y.address()})) return EXIT_FAILURE;
    const auto product = ckdispatch::GemmProblemBuilder().sizes(images, classes, features).dtype("fp16").build();
    void* const tensors[] = {y.address(), weights.address(), c.address()};
    return run_and_check(products, product, tensors);
}

}  // namespace

int main(int argc, char** argv) {
    return program(argc, argv, 2, "MANIFEST MANIFEST [DEVICE]", [&] {
        ckdispatch::KernelRegistry registry("example");
        registry.load_manifest(argv[1]);
        registry.load_manifest(argv[2]);
        return compute(registry, ckdispatch::Device::open(argc > 3 ? argv[3] : "sim:gfx942"));
    });
}

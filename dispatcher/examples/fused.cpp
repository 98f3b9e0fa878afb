// SPDX-License-Identifier: MIT
// A layer of a network in one launch, C = max(0, A * B + bias), with a kernel that fuses all of it:
//     fused MANIFEST [DEVICE]
// A simulated device needs CKDISPATCH_SIMULATOR, the path of the simulator's runtime.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "ckdispatch/gemm/family.hpp"
#include "program.hpp"
#include "tensors.hpp"

namespace {

int compute(int argc, char** argv) {
    const auto registry = std::make_shared<ckdispatch::GemmRegistry>("example");
    registry->load_manifest(argv[1]);
    const auto device = ckdispatch::Device::open(argc > 2 ? argv[2] : "sim:gfx942");
    ckdispatch::GemmDispatcher dispatcher(registry, device);

    constexpr std::int64_t m = 96, n = 80, k = 72;
    // One D tensor, which is a single row that is added to every row of the product; then the activation.
    const auto problem = ckdispatch::GemmProblemBuilder()
                             .sizes(m, n, k)
                             .dtype("fp16")
                             .fused("MultiDAddRelu", 1)
                             .d_leading_dimensions({ckdispatch::GemmProblemBuilder::kRepeated})
                             .build();
    const auto a = whole_numbers(device, m * k, 7), b = whole_numbers(device, k * n, 11),
               bias = whole_numbers(device, n, 9);
    const ckdispatch::DeviceBuffer c(device, std::size_t(m * n) * sizeof(std::uint16_t));
    void* const tensors[] = {a.address(), b.address(), c.address(), bias.address()};

    const auto plan = dispatcher.run(problem, tensors);
    device->synchronize();
    std::cout << problem.text() << " with " << plan->name() << '\n';
    const ckdispatch::Validation checked = ckdispatch::validate(dispatcher, problem, tensors);
    std::cout << checked.checked << " values checked, " << checked.wrong << " wrong\n";
    return checked.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
    return program(argc, argv, 1, "MANIFEST [DEVICE]", [&] { return compute(argc, argv); });
}

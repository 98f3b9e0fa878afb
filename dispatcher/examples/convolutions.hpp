// SPDX-License-Identifier: MIT
// What the examples of convolutions share: tensors, running and checking, and main.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <vector>

#include "ckdispatch/grouped_conv/family.hpp"

/// Whole numbers from -2 to 2, as fp16, so that short sums are exact.
inline ckdispatch::DeviceBuffer whole_numbers(const std::shared_ptr<ckdispatch::Device>& device, std::int64_t count, std::int64_t period) {
    constexpr std::uint16_t halves[] = {0xc000, 0xbc00, 0x0000, 0x3c00, 0x4000};
    std::vector<std::uint16_t> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(halves[i % period % 5]);
    ckdispatch::DeviceBuffer buffer(device, values.size() * sizeof(values[0]));
    device->copy_to_device(buffer.address(), values.data(), buffer.size());
    return buffer;
}

/// Runs the best kernel, says which, and compares all of the result with the reference. The tensors are x, w and y, in every direction.
inline int run_and_check(ckdispatch::GroupedConvDispatcher& dispatcher, const ckdispatch::GroupedConvProblem& problem, void* const (&tensors)[3]) {
    const auto plan = dispatcher.run(problem, tensors);
    dispatcher.device().synchronize();
    std::cout << problem.text() << " with " << plan->name() << '\n';

    const ckdispatch::Validation checked = ckdispatch::validate(dispatcher, problem, tensors);
    std::cout << checked.checked << " values of " << "xwy"[problem.result()] << " checked, " << checked.wrong << " wrong\n";
    return checked.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// Opens what the command line names, MANIFEST [DEVICE], and computes.
template <class Convolve>
int example(int argc, char** argv, Convolve&& convolve) {
    if (argc < 2) {
        std::cerr << "usage: " << std::filesystem::path(argv[0]).filename().string() << " MANIFEST [DEVICE]\n";
        return 2;
    }
    try {
        const auto registry = std::make_shared<ckdispatch::GroupedConvRegistry>("example");
        registry->load_manifest(argv[1]);
        const auto device = ckdispatch::Device::open(argc > 2 ? argv[2] : "sim:gfx942");
        ckdispatch::GroupedConvDispatcher dispatcher(registry, device);
        return convolve(dispatcher, device);
    } catch (const std::exception& error) {  // ckdispatch::Error also has a code()
        std::cerr << error.what() << '\n';
        return EXIT_FAILURE;
    }
}

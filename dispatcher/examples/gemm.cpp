// SPDX-License-Identifier: MIT
// Multiplies two matrices with the best kernel of a set, checks the product and times it:
//     gemm MANIFEST [DEVICE [M N K]]
// A simulated device needs CKDISPATCH_SIMULATOR, the path of the simulator's runtime.
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "ckdispatch/gemm/family.hpp"

namespace {

// Whole numbers from -2 to 2, as fp16, so that the product is exact.
std::vector<std::uint16_t> numbers(std::int64_t count, std::int64_t period) {
    constexpr std::uint16_t halves[] = {0xc000, 0xbc00, 0x0000, 0x3c00, 0x4000};
    std::vector<std::uint16_t> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(halves[i % period % 5]);
    return values;
}

ckdispatch::DeviceBuffer copied(const std::shared_ptr<ckdispatch::Device>& device,
                                const std::vector<std::uint16_t>& values) {
    ckdispatch::DeviceBuffer buffer(device, values.size() * sizeof(values[0]));
    device->copy_to_device(buffer.address(), values.data(), buffer.size());
    return buffer;
}

std::int64_t extent(int argc, char** argv, int place, std::int64_t otherwise) {
    return argc > place ? std::atoll(argv[place]) : otherwise;
}

int multiply(int argc, char** argv) {
    const auto registry = std::make_shared<ckdispatch::GemmRegistry>("example");
    registry->load_manifest(argv[1]);
    const auto device = ckdispatch::Device::open(argc > 2 ? argv[2] : "sim:gfx942");
    ckdispatch::GemmDispatcher dispatcher(registry, device);

    const std::int64_t m = extent(argc, argv, 3, 256), n = extent(argc, argv, 4, 192), k = extent(argc, argv, 5, 128);
    // A in rows, B in columns, C in rows.
    const auto problem = ckdispatch::GemmProblemBuilder().sizes(m, n, k).dtype("fp16").layout("rcr").build();
    const auto a = copied(device, numbers(m * k, 7));
    const auto b = copied(device, numbers(k * n, 11));
    const ckdispatch::DeviceBuffer c(device, std::size_t(m * n) * sizeof(std::uint16_t));
    void* const tensors[] = {a.address(), b.address(), c.address()};

    const auto plan = dispatcher.run(problem, tensors);
    device->synchronize();
    std::cout << problem.text() << " on " << device->name() << " with " << plan->name() << '\n';

    const ckdispatch::Validation checked = ckdispatch::validate(dispatcher, problem, tensors);
    std::cout << checked.checked << " values checked, " << checked.wrong << " wrong, largest error " << checked.max_abs
              << '\n';

    ckdispatch::BenchmarkOptions options;
    options.warmup = 1;
    options.repeat = 3;
    const ckdispatch::BenchmarkResult timed = dispatcher.benchmark(*plan, tensors, options);
    std::cout << (timed.times == ckdispatch::TimesOf::simulator ? "the simulator needed " : "the GPU needed ")
              << timed.median() << " ms\n";
    return checked.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: gemm MANIFEST [DEVICE [M N K]]\n";
        return 2;
    }
    try {
        return multiply(argc, argv);
    } catch (const std::exception& error) {  // ckdispatch::Error also has a code()
        std::cerr << error.what() << '\n';
        return EXIT_FAILURE;
    }
}

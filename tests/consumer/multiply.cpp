// SPDX-License-Identifier: MIT
// Multiplies matrices with the kernels of this project: multiply_cc [DEVICE]
#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ckdispatch/gemm/family.hpp"
#include "tools/cpp/runfiles/runfiles.h"

using bazel::tools::cpp::runfiles::Runfiles;

// From -2 to 4 as fp16, so that the product is exact.
std::vector<std::uint16_t> whole_numbers(std::int64_t count) {
    constexpr std::uint16_t halves[] = {0xc000, 0xbc00, 0x0000, 0x3c00, 0x4000, 0x4200, 0x4400};
    std::vector<std::uint16_t> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(halves[i % 7]);
    return values;
}

double number(std::uint16_t half) {
    const int sign = half >> 15 ? -1 : 1, exponent = half >> 10 & 31, fraction = half & 1023;
    return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

void multiply(ckdispatch::GemmDispatcher& dispatcher, std::int64_t m, std::int64_t n, std::int64_t k) {
    const auto& device = dispatcher.shared_device();
    const auto problem = ckdispatch::GemmProblemBuilder().sizes(m, n, k).dtype("fp16").layout("rcr").build();
    const auto a = whole_numbers(m * k), b = whole_numbers(n * k);
    std::vector<std::uint16_t> c(std::size_t(m * n));
    const ckdispatch::DeviceBuffer a_buffer(device, 2 * a.size()), b_buffer(device, 2 * b.size()),
        c_buffer(device, 2 * c.size());
    device->copy_to_device(a_buffer.address(), a.data(), a_buffer.size());
    device->copy_to_device(b_buffer.address(), b.data(), b_buffer.size());
    void* const tensors[] = {a_buffer.address(), b_buffer.address(), c_buffer.address()};

    const auto checked = ckdispatch::validate(dispatcher, problem, tensors);
    if (!checked.ok()) throw std::runtime_error(std::to_string(checked.wrong) + " values are wrong.");
    device->copy_to_host(c.data(), c_buffer.address(), c_buffer.size());
    double total = 0;
    for (const std::uint16_t half : c) total += number(half);
    std::cout << m << 'x' << n << 'x' << k << ": " << std::int64_t(total) << " by " << checked.kernel << " on "
              << checked.device << '\n';
}

int main(int argc, char** argv) try {
    std::string error;
    const std::unique_ptr<Runfiles> files(Runfiles::Create(argv[0], BAZEL_CURRENT_REPOSITORY, &error));
    if (!files) throw std::runtime_error(error);

    const auto registry = std::make_shared<ckdispatch::GemmRegistry>("my_gemms");
    registry->load_manifest(files->Rlocation("my_gemms/my_gemms.manifest.json"));
    const auto device = ckdispatch::Device::open(argc > 1 ? argv[1] : "sim:gfx942", files->Rlocation(SIMULATOR));
    ckdispatch::GemmDispatcher dispatcher(registry, device);
    multiply(dispatcher, 128, 192, 256);
    multiply(dispatcher, 200, 136, 72);
    return 0;
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}

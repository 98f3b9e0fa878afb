// SPDX-License-Identifier: MIT
// fp16 matrices on the device with guard zones around them, and the product that a kernel must give.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "ckdispatch/gemm/family.hpp"

namespace ckdispatch::test {

using Halves = std::vector<std::uint16_t>;

/// A whole number of up to 2048, which fp16 holds exactly.
inline std::uint16_t half_of(int number) {
    if (number == 0) return 0;
    const unsigned magnitude = unsigned(number < 0 ? -number : number);
    int exponent = 0;
    while (magnitude >> (exponent + 1)) ++exponent;
    const unsigned mantissa = (magnitude << 10 >> exponent) & 0x3ff;
    return std::uint16_t((number < 0 ? 0x8000 : 0) | unsigned(exponent + 15) << 10 | mantissa);
}

/// Numbers from -1 to 1: a product of them is exact as long as K is at most 2048.
inline Halves small_numbers(std::size_t count, unsigned seed) {
    std::minstd_rand random(seed);
    Halves numbers(count);
    for (std::uint16_t& number : numbers) number = half_of(int(random() % 3) - 1);
    return numbers;
}

/// What is in an output before a run, and must stay where the run has nothing to write.
constexpr std::uint16_t kUntouched = 0x5a5a;

/// A tensor on the device between two zones that nothing may write to.
class GuardedTensor {
public:
    GuardedTensor(std::shared_ptr<Device> device, Halves content, std::size_t offset_bytes = 0)
        : device_(std::move(device)),
          buffer_(device_, content.size() * 2 + 2 * kZone),
          offset_(kZone + offset_bytes),
          size_(content.size()) {
        std::vector<char> all(buffer_.size(), kZoneByte);
        std::memcpy(all.data() + offset_, content.data(), content.size() * 2);
        device_->copy_to_device(buffer_.address(), all.data(), all.size());
    }

    void* address() const { return static_cast<char*>(buffer_.address()) + offset_; }

    /// The content; fails the test if a zone was written to.
    Halves read() const {
        std::vector<char> all(buffer_.size());
        device_->copy_to_host(all.data(), buffer_.address(), all.size());
        Halves content(size_);
        std::memcpy(content.data(), all.data() + offset_, size_ * 2);
        std::memset(all.data() + offset_, kZoneByte, size_ * 2);
        EXPECT_EQ(all, std::vector<char>(all.size(), kZoneByte)) << "Something was written outside of the tensor.";
        return content;
    }

private:
    static constexpr std::size_t kZone = 4096;
    static constexpr char kZoneByte = 0x33;

    std::shared_ptr<Device> device_;
    DeviceBuffer buffer_;
    std::size_t offset_, size_;
};

/// The three tensors of a problem, with numbers in A and B and nothing in C.
struct GemmTensors {
    GemmTensors(const std::shared_ptr<Device>& device, const GemmProblem& problem, unsigned seed = 1)
        : problem(problem),
          a_numbers(small_numbers(GemmFamily::tensor_bytes(problem, 0) / 2, seed)),
          b_numbers(small_numbers(GemmFamily::tensor_bytes(problem, 1) / 2, seed + 1)),
          a(device, a_numbers),
          b(device, b_numbers),
          c(device, Halves(GemmFamily::tensor_bytes(problem, 2) / 2, kUntouched)) {
        addresses[0] = a.address(), addresses[1] = b.address(), addresses[2] = c.address();
    }

    /// What C must hold: the product where it has elements, and what was there before between them.
    Halves expected() const {
        Halves product(GemmFamily::tensor_bytes(problem, 2) / 2, kUntouched);
        const GemmProblem& p = problem;
        for (std::int64_t batch = 0; batch < p.batch; ++batch)
            for (std::int64_t i = 0; i < p.m; ++i)
                for (std::int64_t j = 0; j < p.n; ++j) {
                    int sum = 0;
                    for (std::int64_t l = 0; l < p.k; ++l)
                        sum += sign(a_numbers[place(0, batch, i, l, p.stride_a, p.batch_stride_a)]) *
                               sign(b_numbers[place(1, batch, l, j, p.stride_b, p.batch_stride_b)]);
                    product[place(2, batch, i, j, p.stride_c, p.batch_stride_c)] = half_of(sum);
                }
        return product;
    }

    GemmProblem problem;
    Halves a_numbers, b_numbers;
    GuardedTensor a, b, c;
    void* addresses[3];

private:
    static int sign(std::uint16_t half) { return half == 0 ? 0 : half & 0x8000 ? -1 : 1; }
    std::size_t place(std::size_t tensor, std::int64_t batch, std::int64_t row, std::int64_t column,
                      std::int64_t stride, std::int64_t batch_stride) const {
        return std::size_t(batch * batch_stride +
                           (problem.layout.text()[tensor] == 'r' ? row * stride + column : column * stride + row));
    }
};

}  // namespace ckdispatch::test

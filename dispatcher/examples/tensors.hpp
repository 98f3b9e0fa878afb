// SPDX-License-Identifier: MIT
// Tensors for examples.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ckdispatch/core/device.hpp"

/// Whole numbers from -2 to 2, as fp16, so that short sums are exact.
inline std::vector<std::uint16_t> whole_numbers(std::int64_t count, std::int64_t period) {
    constexpr std::uint16_t halves[] = {0xc000, 0xbc00, 0x0000, 0x3c00, 0x4000};
    std::vector<std::uint16_t> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(halves[i % period % 5]);
    return values;
}

inline ckdispatch::DeviceBuffer copied(const std::shared_ptr<ckdispatch::Device>& device,
                                       const std::vector<std::uint16_t>& values) {
    ckdispatch::DeviceBuffer buffer(device, values.size() * sizeof(values[0]));
    device->copy_to_device(buffer.address(), values.data(), buffer.size());
    return buffer;
}

/// The same numbers on the device.
inline ckdispatch::DeviceBuffer whole_numbers(const std::shared_ptr<ckdispatch::Device>& device, std::int64_t count,
                                              std::int64_t period) {
    return copied(device, whole_numbers(count, period));
}

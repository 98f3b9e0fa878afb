// SPDX-License-Identifier: MIT
// Numbers of 16 bits on the host.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

/// From -1 to 1 in steps of 1/16, scattered.
inline std::vector<double> sixteenths(std::size_t count, std::size_t seed) {
    std::vector<double> values;
    std::uint32_t state = std::uint32_t(seed) * 2654435761u + 1;
    for (std::size_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        values.push_back((double((state >> 16) * 33 >> 16) - 16) / 16);
    }
    return values;
}

/// To the nearest fp16, of numbers that are not too large for it.
inline std::uint16_t to_half(double value) {
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    int exponent = 0;
    std::frexp(value, &exponent);
    exponent = value == 0 ? -13 : std::max(exponent, -13);  // less is subnormal
    // 11 bits, of which the first adds to the exponent.
    const auto magnitude = std::uint16_t(std::nearbyint(std::ldexp(std::fabs(value), 11 - exponent)));
    return std::uint16_t(sign | (((exponent + 13) << 10) + magnitude));
}

inline double from_half(std::uint16_t half) {
    const int exponent = half >> 10 & 31, mantissa = half & 1023;
    const double value = exponent ? std::ldexp(1024 + mantissa, exponent - 25) : std::ldexp(mantissa, -24);
    return half & 0x8000 ? -value : value;
}

inline std::vector<std::uint16_t> to_halves(const std::vector<double>& values) {
    std::vector<std::uint16_t> halves;
    halves.reserve(values.size());
    for (const double value : values) halves.push_back(to_half(value));
    return halves;
}

inline std::vector<double> from_halves(const std::vector<std::uint16_t>& halves) {
    std::vector<double> values;
    values.reserve(halves.size());
    for (const std::uint16_t half : halves) values.push_back(from_half(half));
    return values;
}

/// Of those that differ by more than `tolerance`.
inline std::int64_t differing(const std::vector<double>& actual, const std::vector<double>& expected,
                              double tolerance) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) count += !(std::fabs(actual[i] - expected[i]) <= tolerance);
    return count;
}

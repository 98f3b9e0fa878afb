// SPDX-License-Identifier: MIT
// Rotations by position.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

/// Cosines and sines, [position, dim / 2]: pair i turns by position / 10000^(2i / dim).
inline std::pair<std::vector<double>, std::vector<double>> rotations(std::int64_t positions, std::int64_t dim) {
    std::vector<double> cosines, sines;
    for (std::int64_t position = 0; position < positions; ++position)
        for (std::int64_t i = 0; i < dim / 2; ++i) {
            const double angle = double(position) * std::pow(10000.0, -2.0 * double(i) / double(dim));
            cosines.push_back(std::cos(angle)), sines.push_back(std::sin(angle));
        }
    return {cosines, sines};
}

/// Turns a head of `dim` elements, whose pairs are (2i, 2i + 1), in place.
inline void rotate_interleaved(double* head, std::int64_t dim, const double* cosines, const double* sines) {
    for (std::int64_t i = 0; i < dim / 2; ++i) {
        const double x = head[2 * i], y = head[2 * i + 1];
        head[2 * i] = x * cosines[i] - y * sines[i];
        head[2 * i + 1] = y * cosines[i] + x * sines[i];
    }
}

// SPDX-License-Identifier: MIT
// How a plan is run, and what is known afterwards.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace ckdispatch {

struct RunOptions {
    void* stream = nullptr;
    /// Device memory for plans that need some; the dispatcher keeps some of its own where none is given.
    void* workspace = nullptr;
    std::uint64_t workspace_size = 0;
};

enum class Timer { gpu, cpu };

struct BenchmarkOptions {
    int warmup = 3;
    int repeat = 10;
    /// Overwrites as much memory as the GPU's caches hold before each measured run.
    bool flush_cache = false;
    /// Copies of the operands that runs take in turn, so that they are not found in a cache.
    int rotating_buffers = 1;
    Timer timer = Timer::gpu;
    void* stream = nullptr;
};

/// What a time is of: a GPU; the simulated GPU, by a model of it; or the program that simulates, which says nothing
/// about a GPU.
enum class TimesOf { gpu, simulated_gpu, simulator };

struct BenchmarkResult {
    std::string kernel;
    std::string device;
    bool simulated = false;
    TimesOf times = TimesOf::gpu;
    /// Of each measured run, in milliseconds.
    std::vector<double> milliseconds;

    double median() const {
        if (milliseconds.empty()) return 0;
        std::vector<double> sorted = milliseconds;
        std::sort(sorted.begin(), sorted.end());
        const std::size_t half = sorted.size() / 2;
        return sorted.size() % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }
    double minimum() const {
        return milliseconds.empty() ? 0 : *std::min_element(milliseconds.begin(), milliseconds.end());
    }
    double mean() const {
        return milliseconds.empty()
                   ? 0
                   : std::accumulate(milliseconds.begin(), milliseconds.end(), 0.0) / double(milliseconds.size());
    }
};

/// A result against the reference.
struct Validation {
    std::string kernel;
    std::string device;
    double max_abs = 0;
    double max_over = 0;  ///< the worst difference as a multiple of what is allowed there
    std::int64_t checked = 0;
    std::int64_t wrong = 0;
    std::vector<std::int64_t> worst;  ///< the place of the worst of the wrong, in the order that the family documents;
                                      ///< empty if nothing is wrong
    double actual = 0, expected = 0;  ///< there

    bool ok() const { return wrong == 0; }
};

}  // namespace ckdispatch

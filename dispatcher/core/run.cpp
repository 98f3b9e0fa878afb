// SPDX-License-Identifier: MIT
#include "ckdispatch/core/run.hpp"

#include <algorithm>
#include <numeric>

namespace ckdispatch {

double BenchmarkResult::median() const {
    if (milliseconds.empty()) return 0;
    std::vector<double> sorted = milliseconds;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

double BenchmarkResult::minimum() const { return milliseconds.empty() ? 0 : *std::min_element(milliseconds.begin(), milliseconds.end()); }

double BenchmarkResult::mean() const {
    return milliseconds.empty() ? 0 : std::accumulate(milliseconds.begin(), milliseconds.end(), 0.0) / double(milliseconds.size());
}

}  // namespace ckdispatch

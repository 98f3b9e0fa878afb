// SPDX-License-Identifier: MIT
#include "ckdispatch/grouped_conv/residues.hpp"

#include <algorithm>
#include <numeric>

namespace ckdispatch {
namespace {

// More classes are taken to be alike: nobody has strides like that, and counting must not take long.
constexpr std::int64_t kMostClasses = 64;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Multiples of the stride beyond `first`, from `low` to `high`, both included.
std::int64_t steps(std::int64_t first, std::int64_t stride, std::int64_t low, std::int64_t high) {
    const std::int64_t rest = (low - first) % stride;
    const std::int64_t begin = low + (rest > 0 ? stride - rest : -rest);
    return begin > high ? 0 : (high - begin) / stride + 1;
}

}  // namespace

Residues residues_of(const GroupedConvAxis& a) {
    // Filter positions so far apart meet the same inputs again.
    const std::int64_t step = a.stride / std::gcd(a.stride, a.dilation), classes = std::min(step, a.filter);
    Residues all;
    all.all_met = classes == a.stride;
    if (classes > kMostClasses) {
        const double inputs = std::max(1.0, double(a.input) / double(a.stride));
        all.classes.push_back({double(classes), inputs, double(a.filter) / double(classes)});
        all.read = std::min(double(a.input), inputs * double(classes));
        return all;
    }
    for (std::int64_t f = 0; f < classes; ++f) {
        const std::int64_t filters = ceil_div(a.filter - f, step), first = f * a.dilation - a.left_pad;
        const std::int64_t last = (a.output - 1) * a.stride + first + (filters - 1) * step * a.dilation;
        all.read += double(steps(first, a.stride, std::max<std::int64_t>(first, 0), std::min(last, a.input - 1)));
        const double inputs = double(steps(first, a.stride, 0, a.input - 1));
        if (inputs == 0) continue;
        const auto same = std::find_if(all.classes.begin(), all.classes.end(), [&](const Residues::Class& one) {
            return one.inputs == inputs && one.filters == double(filters);
        });
        if (same == all.classes.end()) all.classes.push_back({1, inputs, double(filters)});
        else ++same->count;
    }
    // A filter may be so wide that its positions leave gaps between them.
    all.read = std::min(all.read, double(a.output) * double(a.filter));
    return all;
}

}  // namespace ckdispatch

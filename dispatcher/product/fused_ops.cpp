// SPDX-License-Identifier: MIT
#include "ckdispatch/product/fused_ops.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "ckdispatch/core/error.hpp"

namespace ckdispatch {
namespace {

constexpr double kUnit = 0x1p-24;  // the relative error of one step in float32
// What a reciprocal may lose: beyond the largest number it is zero, and before that subnormal.
constexpr double kLost = 1.0 / std::numeric_limits<float>::max() + 0x1p-149;

// Slopes bound how an error of x is passed on, and the rest counts the roundings of the steps.
Bounded relu(Bounded x) { return {x.value > 0 ? x.value : 0, x.error}; }

Bounded gelu(Bounded x) {
    const double y = 0.5 * x.value * (1 + std::erf(double(0.70710678118f) * x.value));
    // Where erf is near -1, 1 + erf cancels, and its error is not small next to y any more.
    return {y, 1.13 * x.error + kUnit * (2.75 * std::fabs(x.value) + 4 * std::fabs(y))};
}

Bounded fast_gelu(Bounded x) {
    const double exponent = x.value * (double(-2.f * 0.035677f) * x.value * x.value + double(-2.f * 0.797885f));
    const double y = x.value / (1 + std::exp(exponent));
    return {y, 1.13 * x.error + (y == 0 ? 0 : kUnit * (4 * std::fabs(exponent) + 8) * std::fabs(y))};
}

Bounded sigmoid(Bounded x) {
    const double y = 1 / (1 + std::exp(-x.value));
    return {y, 0.25 * x.error + 5 * kUnit * y + kLost};
}

Bounded silu(Bounded x) {
    const double y = x.value / (1 + std::exp(-x.value));
    return {y, 1.1 * x.error + 6 * kUnit * std::fabs(y) + std::fabs(x.value) * kLost};
}

Bounded tanh(Bounded x) {
    const double y = std::tanh(x.value);
    return {y, x.error + 5 * kUnit * std::fabs(y)};
}

struct Activations {
    std::string_view name;
    Bounded (*apply)(Bounded);
};
constexpr Activations kActivations[] = {{"Relu", relu}, {"Gelu", gelu},       {"FastGelu", fast_gelu},
                                        {"Silu", silu}, {"Sigmoid", sigmoid}, {"Tanh", tanh}};

}  // namespace

FusedOp FusedOp::find(Name name, int d_count) {
    FusedOp op;
    std::string_view rest = name.text();
    const auto begins = [&](std::string_view word) {
        return rest.substr(0, word.size()) == word ? (rest.remove_prefix(word.size()), true) : false;
    };
    if (begins("MultiDAdd")) op.combination_ = Combination::add;
    else if (begins("MultiDMultiply")) op.combination_ = Combination::multiply;
    else if (rest == "PassThrough") rest = {};
    for (const Activations& one : kActivations)
        if (rest == one.name) op.activation_ = one.apply, rest = {};
    if (!rest.empty())
        throw UnsupportedError("A result of " + std::string(name.text()) +
                               " was to be validated; the reference does not know that operation.");
    if ((d_count > 0) != (op.combination_ != Combination::none))
        throw InvalidArgumentError("A result of " + std::string(name.text()) + " with " + std::to_string(d_count) +
                                   " D tensors was to be validated; " +
                                   (d_count ? "it takes none." : "it takes at least one."));
    return op;
}

Bounded FusedOp::apply(Bounded x, const std::vector<double>& ds) const {
    if (combination_ == Combination::add) {
        double magnitude = std::fabs(x.value) + x.error;
        for (const double d : ds) x.value += d, magnitude += std::fabs(d);
        x.error += double(ds.size()) * kUnit * magnitude;
    }
    if (combination_ == Combination::multiply) {
        for (const double d : ds) x.value *= d, x.error *= std::fabs(d);
        x.error += double(ds.size()) * kUnit * (std::fabs(x.value) + x.error);
    }
    return activation_ ? activation_(x) : x;
}

}  // namespace ckdispatch

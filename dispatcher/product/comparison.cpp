// SPDX-License-Identifier: MIT
#include "ckdispatch/product/comparison.hpp"

#include <limits>

namespace ckdispatch {

// The sum's errors, those of the operation, and the last rounding.
Bounded Comparison::expected(const Sum& sum, const std::vector<double>& ds) const {
    const double roundoff = output_.unit_roundoff(), smallest = output_.smallest();
    // The accumulator rounds once for each term, in any order.
    const double accumulated = roundoff > 0 ? double(sum.terms) * std::ldexp(1.0, -24) * sum.magnitude : 0;
    const Bounded product{sum.value, accumulated + (roundings_ > 1 ? roundings_ * roundoff * sum.magnitude : 0) +
                                         (roundings_ - 1) * smallest};
    if (op_.changes_nothing()) return stored(product);
    // The product is stored first.
    Bounded result = op_.apply(stored(product), ds);
    // In between it was float32, and what is behind the point is cut off.
    if (roundoff == 0 && result.error > 0) result = {std::trunc(result.value), result.error + 1};
    return stored(result);
}

bool Comparison::is_worst(double actual, const Sum& sum, const std::vector<double>& ds) {
    const Bounded wanted = expected(sum, ds);
    const double largest = output_.largest();
    // What is too large for the dtype becomes infinite or the largest number.
    const bool overflow = std::fabs(wanted.value) + wanted.error > largest && std::fabs(actual) >= largest &&
                          std::signbit(actual) == std::signbit(wanted.value);
    const double error = overflow ? 0 : std::fabs(actual - wanted.value);
    // A NaN compares with nothing; where a number was expected it is as wrong as can be.
    const double ratio = error == 0 ? 0 : error / wanted.error,
                 over = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
    ++result_.checked;
    if (error > result_.max_abs) result_.max_abs = error;
    if (std::isnan(wanted.value) ? std::isnan(actual) : over <= 1) {
        if (over > result_.max_over && result_.wrong == 0) result_.max_over = over;
        return false;
    }
    ++result_.wrong;
    if (over <= result_.max_over) return false;
    result_.max_over = over;
    result_.actual = actual, result_.expected = wanted.value;
    return true;
}

}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// Powers, logarithms and circular functions in f64, accurate to a few units of its last place. Only additions, products
// and one quotient are used, so that all hosts give the same bits and loops over lanes become vector code.
#pragma once

#include "gfxsim/core/types.hpp"

namespace gfxsim::elementary {

/// Adding this makes the last bit of a small number one: the sum's lower bits are the nearest integer.
constexpr f64 kInteger = 0x1.8p52;
constexpr u64 kIntegerBit = 0x4338000000000000;

/// The nearest integer, for numbers much smaller than 2^51.
inline f64 nearest_integer(f64 x) { return (x + kInteger) - kInteger; }

/// ((first * x + next) * x + ...) + last
template <class... Factors>
inline f64 polynomial(f64 x, f64 first, Factors... rest) {
    f64 sum = first;
    ((sum = sum * x + rest), ...);
    return sum;
}

/// 2 to the power of x, for |x| < 1000.
inline f64 exp2(f64 x) {
    constexpr f64 kLn2 = 0.69314718055994530942;
    const f64 shifted = x + kInteger;
    const f64 y = (x - (shifted - kInteger)) * kLn2;
    const u64 whole = bit_cast<u64>(shifted) - kIntegerBit;
    const f64 sum = polynomial(y, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
                               1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0);
    return sum * bit_cast<f64>((1023 + whole) << 52);
}

/// The logarithm to base 2 of a positive normal number.
inline f64 log2(f64 x) {
    constexpr f64 kTwoOverLn2 = 2.8853900817779268147;
    // m * 2^e with m from sqrt(1/2) to sqrt(2); log(m) is a series in (m - 1) / (m + 1).
    constexpr u64 kRootHalf = 0x3fe6a09e667f3bcd, kOffset = 1024;
    const u64 bits = bit_cast<u64>(x);
    const u64 e = ((bits - kRootHalf + (kOffset << 52)) >> 52) - kOffset;
    const f64 m = bit_cast<f64>(bits - (e << 52));
    const f64 t = (m - 1) / (m + 1), square = t * t;
    const f64 sum = polynomial(square, 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9,
                               1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0);
    return (bit_cast<f64>(kIntegerBit + e) - kInteger) + kTwoOverLn2 * t * sum;
}

/// Sine and cosine of an angle given in whole turns, for |turns| < 2^50. `quarter` 0: sine, 1: cosine.
inline f64 circular(f64 turns, int quarter) {
    constexpr f64 kTwoPi = 6.28318530717958647693;
    const f64 part = turns - nearest_integer(turns);
    const f64 quarters = nearest_integer(part * 4);
    const f64 y = (part - quarters * 0.25) * kTwoPi;
    const f64 square = y * y;
    const f64 sine = y * polynomial(square, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880,
                                    -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1.0);
    const f64 cosine = polynomial(square, 1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
                                  1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5, 1.0);
    const int turn = (int(quarters) + quarter) & 3;
    const f64 result = turn & 1 ? cosine : sine;
    return turn & 2 ? -result : result;
}

}  // namespace gfxsim::elementary

// SPDX-License-Identifier: MIT
// Functions of one number, the same for f16, f32 and f64: parts of it, neighbours, powers of two.
#pragma once

#include "gfxsim/ops/float_math.hpp"

namespace gfxsim::fp {

/// Integers and fractions that come from an f16 are f16 themselves, so no rounding is involved.
template <class T, class W>
inline T narrowed(W value) {
    if constexpr (std::is_same_v<T, f16>) return to_f16(f32(value));
    else return value;
}

template <class T> inline T floor(T a) { return is_nan(a) ? quiet(a) : narrowed<T>(std::floor(wide(a))); }
template <class T> inline T ceil(T a) { return is_nan(a) ? quiet(a) : narrowed<T>(std::ceil(wide(a))); }
template <class T> inline T trunc(T a) { return is_nan(a) ? quiet(a) : narrowed<T>(std::trunc(wide(a))); }

/// To the nearest integer, halves to the even one, whatever the mode is.
template <class W>
inline W nearest_even(W value) {
    const W below = std::floor(value), rest = value - below;
    const bool up = rest > W(0.5) || (rest == W(0.5) && below != W(2) * std::floor(below / 2));
    return std::copysign(up ? below + 1 : below, value);
}
template <class T>
inline T rndne(const Lane& lane, T a) {
    return is_nan(a) ? quiet(a) : narrowed<T>(lane.plain ? std::nearbyint(wide(a)) : nearest_even(wide(a)));
}

/// Always below one, although a tiny negative number is nearer to one than to any number below.
template <class T>
inline T fract(const Lane& lane, T a) {
    const T below_one = bit_cast<T>(bits_type<T>((bits_type<T>(FloatBits<T>::bias) << FloatBits<T>::mantissa) - 1));
    const auto rest = wide(a) - std::floor(wide(a));
    const T result = [&] {
        if constexpr (std::is_same_v<T, f16>) return rounded_f16(lane, f64(wide(a)) - std::floor(f64(wide(a))));
        else return rest;
    }();
    return settled(wide(result) >= 1 ? below_one : result, a, a);
}

/// The exponent that makes the mantissa at least one half and less than one; 0 for what has none.
template <class T>
inline int frexp_exponent(T a) {
    if (is_zero(a) || magnitude_of(a) >= kInfinityBits<T>) return 0;
    int shift = 0;
    bits_type<T> magnitude = magnitude_of(a);
    while (!(magnitude >> FloatBits<T>::mantissa)) magnitude = bits_type<T>(magnitude << 1), ++shift;
    return int(magnitude >> FloatBits<T>::mantissa) - shift - FloatBits<T>::bias + 1;
}
template <class T>
inline T frexp_mantissa(T a) {
    if (is_zero(a) || magnitude_of(a) >= kInfinityBits<T>) return quieted(a);
    bits_type<T> magnitude = magnitude_of(a);
    while (!(magnitude >> FloatBits<T>::mantissa)) magnitude = bits_type<T>(magnitude << 1);
    constexpr bits_type<T> fraction = bits_type<T>((bits_type<T>(1) << FloatBits<T>::mantissa) - 1);
    const bits_type<T> half = bits_type<T>(bits_type<T>(FloatBits<T>::bias - 1) << FloatBits<T>::mantissa);
    return with_sign(bit_cast<T>(bits_type<T>((magnitude & fraction) | half)), is_negative(a));
}

/// 2 to the power of an integer that an f64 can have as an exponent.
inline f64 power_of_two(int exponent) { return bit_cast<f64>(u64(1023 + exponent) << 52); }

/// Rounded once, also where the result is denormal.
inline f32 ldexp(const Lane&, f32 a, i32 by) {
    const int exponent = by < -400 ? -400 : by > 400 ? 400 : by;
    return is_nan(a) ? quiet(a) : f32(f64(a) * power_of_two(exponent));
}
inline f16 ldexp(const Lane& lane, f16 a, i16 by) {
    const int exponent = by < -100 ? -100 : by > 100 ? 100 : by;
    return is_nan(a) ? quiet(a) : rounded_f16(lane, f64(wide(a)) * power_of_two(exponent));
}
inline f64 ldexp(const Lane&, f64 a, i32 by) { return is_nan(a) ? quiet(a) : std::ldexp(a, by); }

}  // namespace gfxsim::fp

// SPDX-License-Identifier: MIT
// The bits of floating-point numbers, and what becomes of NaNs.
#pragma once

#include "gfxsim/core/types.hpp"

namespace gfxsim::fp {

template <class T> struct FloatBits;
template <> struct FloatBits<f16> {
    using type = u16;
    static constexpr int mantissa = 10, bias = 15;
};
template <> struct FloatBits<bf16> {
    using type = u16;
    static constexpr int mantissa = 7, bias = 127;
};
template <> struct FloatBits<f32> {
    using type = u32;
    static constexpr int mantissa = 23, bias = 127;
};
template <> struct FloatBits<f64> {
    using type = u64;
    static constexpr int mantissa = 52, bias = 1023;
};

template <class T> using bits_type = typename FloatBits<T>::type;

template <class T> inline constexpr bits_type<T> kSignBit = bits_type<T>(bits_type<T>(1) << (8 * sizeof(T) - 1));
template <class T> inline constexpr bits_type<T> kQuietBit =
    bits_type<T>(bits_type<T>(1) << (FloatBits<T>::mantissa - 1));
template <class T> inline constexpr bits_type<T> kInfinityBits =
    bits_type<T>(bits_type<T>(2 * FloatBits<T>::bias + 1) << FloatBits<T>::mantissa);

template <class T> inline bits_type<T> bits_of(T value) { return bit_cast<bits_type<T>>(value); }
template <class T> inline bits_type<T> magnitude_of(T value) { return bits_type<T>(bits_of(value) & ~kSignBit<T>); }
template <class T> inline bool is_negative(T value) { return (bits_of(value) & kSignBit<T>) != 0; }
template <class T> inline bool is_nan(T value) { return magnitude_of(value) > kInfinityBits<T>; }
template <class T> inline bool is_infinite(T value) { return magnitude_of(value) == kInfinityBits<T>; }
template <class T> inline bool is_zero(T value) { return magnitude_of(value) == 0; }
template <class T> inline bool is_denormal(T value) {
    return !is_zero(value) && magnitude_of(value) < bits_type<T>(bits_type<T>(1) << FloatBits<T>::mantissa);
}
template <class T> inline bool is_signalling(T value) { return is_nan(value) && !(bits_of(value) & kQuietBit<T>); }
template <class T> inline T quiet(T value) { return bit_cast<T>(bits_type<T>(bits_of(value) | kQuietBit<T>)); }
template <class T> inline T quieted(T value) { return is_nan(value) ? quiet(value) : value; }
template <class T> inline T infinity(bool negative) {
    return bit_cast<T>(bits_type<T>(kInfinityBits<T> | (negative ? kSignBit<T> : 0)));
}
template <class T> inline T zero(bool negative) { return bit_cast<T>(bits_type<T>(negative ? kSignBit<T> : 0)); }
/// What an invalid sum or product is, and what an invalid quotient or function is.
template <class T> inline T invalid() { return bit_cast<T>(bits_type<T>(kInfinityBits<T> | kQuietBit<T>)); }
template <class T> inline T negative_nan() {
    return bit_cast<T>(bits_type<T>(kSignBit<T> | kInfinityBits<T> | kQuietBit<T>));
}
template <class T> inline T negated(T value) { return bit_cast<T>(bits_type<T>(bits_of(value) ^ kSignBit<T>)); }
template <class T> inline T with_sign(T value, bool negative) {
    return bit_cast<T>(bits_type<T>(magnitude_of(value) | (negative ? kSignBit<T> : 0)));
}
/// The exponent's field.
template <class T> inline int exponent_field(T value) { return int(magnitude_of(value) >> FloatBits<T>::mantissa); }

/// `yes` or `no`, written so that compilers make vector code of loops over lanes: branches hinder them, and masks of 64
/// bits do too.
template <class T>
inline T pick(bool condition, T yes, T no) {
    if constexpr (sizeof(T) == 8) {
        return condition ? yes : no;
    } else {
        const bits_type<T> mask = bits_type<T>(-bits_type<T>(condition));
        return bit_cast<T>(bits_type<T>((bits_of(yes) & mask) | (bits_of(no) & ~mask)));
    }
}

/// The first operand that is a NaN, with its sign and payload and made quiet; if none is, what an invalid operation
/// gives.
template <class T> inline T first_nan() { return invalid<T>(); }
template <class T, class... Rest>
inline T first_nan(T first, Rest... rest) {
    return pick(is_nan(first), quiet(first), first_nan<T>(rest...));
}

/// The rule for NaNs, which every instruction that computes with real numbers follows: a result that is a NaN is the
/// first one among the operands, in the order in which the instruction names them; memory that is added to comes first.
/// AMD documents it for vector instructions. That matrix instructions, atomics and conversions with a scale do the same
/// is a choice. Hosts have rules of their own, and compilers exchange operands: no NaN that a host has made may be a
/// result.
template <class T, class... Operands>
inline T settled(T result, Operands... operands) {
    return pick(is_nan(result), first_nan<T>(operands...), result);
}

/// Whether any of `count` results is a NaN, so that ordinary numbers need not be settled one by one.
template <class T>
inline bool any_nan(const T* results, int count) {
    bits_type<T> found = 0;
    for (int n = 0; n < count; ++n) found |= bits_type<T>(is_nan(results[n]));
    return found != 0;
}

}  // namespace gfxsim::fp

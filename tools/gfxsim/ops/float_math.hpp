// SPDX-License-Identifier: MIT
// Arithmetic of f16, f32 and f64 as the vector instructions do it: NaNs by the rule of core/float_bits.hpp and not the
// host's, f16 rounded once from a wider type, as the mode says.
#pragma once

#include <cmath>
#include <type_traits>

#include "gfxsim/core/float16.hpp"
#include "gfxsim/core/float_bits.hpp"
#include "gfxsim/core/lanes.hpp"
#include "gfxsim/ops/isas.hpp"
#include "gfxsim/ops/tables.hpp"

namespace gfxsim::fp {

/// A type in which sums and products of two f16 are exact or rounded harmlessly, and a T itself otherwise.
inline f32 wide(f16 value) { return to_f32(value); }
inline f32 wide(f32 value) { return value; }
inline f64 wide(f64 value) { return value; }

/// Rounds an exact f16 result as the mode says.
inline f16 rounded_f16(const Lane& lane, f64 value) {
    return lane.plain ? to_f16(value) : to_f16(value, lane.wave.mode.round64);
}

template <class T>
inline T add(const Lane& lane, T a, T b) {
    if constexpr (std::is_same_v<T, f16>) {
        // An f32 has more than twice the digits of an f16, so rounding twice to nearest is rounding once.
        if (lane.plain) return settled(to_f16(wide(a) + wide(b)), a, b);
        return settled(to_f16(f64(wide(a)) + f64(wide(b)), lane.wave.mode.round64), a, b);
    } else {
        return settled(a + b, a, b);
    }
}
template <class T> inline T sub(const Lane& lane, T a, T b) { return add(lane, a, is_nan(b) ? b : negated(b)); }
template <class T> inline T subrev(const Lane& lane, T a, T b) { return sub(lane, b, a); }

template <class T>
inline T mul(const Lane& lane, T a, T b) {
    if constexpr (std::is_same_v<T, f16>) {
        if (lane.plain) return settled(to_f16(wide(a) * wide(b)), a, b);
        return settled(to_f16(f64(wide(a)) * f64(wide(b)), lane.wave.mode.round64), a, b);
    } else {
        return settled(a * b, a, b);
    }
}

/// Rounded once. Where an f64 rounds the exact sum of an f16 fma, nothing is lost that an f16 could tell.
template <class T>
inline T fma(const Lane& lane, T a, T b, T c) {
    if constexpr (std::is_same_v<T, f16>)
        return settled(rounded_f16(lane, f64(wide(a)) * f64(wide(b)) + f64(wide(c))), a, b, c);
    else return settled(std::fma(a, b, c), a, b, c);
}

/// Product and sum are each rounded.
template <class T> inline T mad(const Lane& lane, T a, T b, T c) { return add(lane, mul(lane, a, b), c); }

// Minimum and maximum. -0 is less than +0.

/// Not for NaNs. The bits of negative numbers are in reverse order.
template <class T>
inline bool less(T a, T b) {
    using Signed = std::make_signed_t<bits_type<T>>;
    const auto key = [](T x) { return Signed(bits_of(x) ^ (is_negative(x) ? bits_type<T>(~kSignBit<T>) : 0)); };
    return key(a) < key(b);
}

/// Until gfx11: a number beats a NaN, but a signalling NaN wins in IEEE mode. Of two NaNs gfx9 gives the second.
template <class T, bool largest>
inline T extreme(const Lane& lane, T a, T b) {
    const T number = pick(less(a, b) == largest, b, a);
    const T other = pick(is_nan(a) && (lane.wave.isa == Isa::gfx9 || !is_nan(b)), b, a);
    const T loud = pick(is_signalling(a), quiet(a), quiet(b));
    const T chosen = pick(is_nan(a) || is_nan(b), other, number);
    return pick(lane.wave.mode.ieee && (is_signalling(a) || is_signalling(b)), loud, chosen);
}
template <class T> inline T min(const Lane& lane, T a, T b) { return extreme<T, false>(lane, a, b); }
template <class T> inline T max(const Lane& lane, T a, T b) { return extreme<T, true>(lane, a, b); }

/// gfx12's "num": a number beats every NaN.
template <class T, bool largest>
inline T extreme_num(const Lane&, T a, T b) {
    const T number = pick(less(a, b) == largest, b, a);
    const T either = pick(is_nan(a), pick(is_nan(b), quiet(a), b), a);
    return pick(is_nan(a) || is_nan(b), either, number);
}
template <class T> inline T min_num(const Lane& lane, T a, T b) { return extreme_num<T, false>(lane, a, b); }
template <class T> inline T max_num(const Lane& lane, T a, T b) { return extreme_num<T, true>(lane, a, b); }

/// A NaN beats every number, a signalling one beats a quiet one.
template <class T, bool largest>
inline T extreme_nan(const Lane&, T a, T b) {
    const T number = pick(less(a, b) == largest, b, a);
    const T nan = pick(is_nan(a) && (is_signalling(a) || !is_signalling(b)), a, b);
    return pick(is_nan(a) || is_nan(b), quiet(nan), number);
}
template <class T> inline T minimum(const Lane& lane, T a, T b) { return extreme_nan<T, false>(lane, a, b); }
template <class T> inline T maximum(const Lane& lane, T a, T b) { return extreme_nan<T, true>(lane, a, b); }

/// Two in a row: min3 is <min, min>, minmax is <min, max>.
template <class T, T (*first)(const Lane&, T, T), T (*second)(const Lane&, T, T)>
inline T chained(const Lane& lane, T a, T b, T c) {
    return second(lane, first(lane, a, b), c);
}

template <class T, T (*low)(const Lane&, T, T), T (*high)(const Lane&, T, T)>
inline T median(const Lane& lane, T a, T b, T c) {
    if (is_nan(a) || is_nan(b) || is_nan(c)) return low(lane, low(lane, a, b), c);
    const T most = high(lane, high(lane, a, b), c);
    if (wide(most) == wide(a)) return high(lane, b, c);
    if (wide(most) == wide(b)) return high(lane, a, c);
    return high(lane, a, b);
}

// Traits that tables share.

constexpr Traits inexact() {
    Traits traits;
    traits.exact = Exact::rounding;
    return traits;
}
constexpr Traits splatting(Traits traits) {
    traits.splats_constants = true;
    return traits;
}

constexpr Traits accumulating() {
    Traits traits;
    traits.reads_dst = true;
    return traits;
}
constexpr Traits keeping_half() {
    Traits traits;
    traits.keeps_half = true;
    return traits;
}

/// Puts tables together.
inline void append(Table& table, const Table& more) { table.insert(table.end(), more.begin(), more.end()); }

}  // namespace gfxsim::fp

// SPDX-License-Identifier: MIT
// Integer functions that scalar and vector instructions share. Arithmetic wraps unless a name says otherwise.
#pragma once

#include <limits>
#include <type_traits>

#include "gfxsim/core/types.hpp"

namespace gfxsim::integer {

template <class T> inline constexpr u32 width = 8 * sizeof(T);

template <class T> inline T same(T a) { return a; }
template <class T> inline T bit_not(T a) { return T(~a); }
template <class T> inline T bit_and(T a, T b) { return T(a & b); }
template <class T> inline T bit_or(T a, T b) { return T(a | b); }
template <class T> inline T bit_xor(T a, T b) { return T(a ^ b); }
template <class T> inline T bit_xnor(T a, T b) { return T(~(a ^ b)); }
template <class T> inline T bit_nand(T a, T b) { return T(~(a & b)); }
template <class T> inline T bit_nor(T a, T b) { return T(~(a | b)); }
template <class T> inline T and_not(T a, T b) { return T(a & ~b); }
template <class T> inline T not_and(T a, T b) { return T(~a & b); }
template <class T> inline T or_not(T a, T b) { return T(a | ~b); }
template <class T> inline T not_or(T a, T b) { return T(~a | b); }

template <class T> inline T add(T a, T b) { return T(u64(a) + u64(b)); }
template <class T> inline T sub(T a, T b) { return T(u64(a) - u64(b)); }
template <class T> inline T subrev(T a, T b) { return sub(b, a); }
template <class T> inline T mul(T a, T b) { return T(u64(a) * u64(b)); }
inline u32 mul_hi_u32(u32 a, u32 b) { return u32(u64(a) * u64(b) >> 32); }
inline i32 mul_hi_i32(i32 a, i32 b) { return i32(i64(a) * i64(b) >> 32); }

template <class T> inline T minimum(T a, T b) { return a < b ? a : b; }
template <class T> inline T maximum(T a, T b) { return a < b ? b : a; }

// Shifts use as many bits of the amount as the value has positions.
template <class T, class N = u32> inline T lshl(T a, N by) { return T(u64(a) << (by & (width<T> - 1))); }
template <class T, class N = u32> inline T lshr(T a, N by) { return T(a >> (by & (width<T> - 1))); }
template <class T, class N = u32> inline T lshlrev(N by, T a) { return lshl<T, N>(a, by); }
template <class T, class N = u32> inline T lshrrev(N by, T a) { return lshr<T, N>(a, by); }

/// A field of `length` bits from `first` on; a length beyond the value's own takes all of it.
template <class T>
inline T field(T value, u32 first, u32 length) {
    const T rest = T(value >> first);
    return length >= width<T> ? rest : T(rest & ((T(1) << length) - 1));
}
template <class T>
inline T signed_field(T value, u32 first, u32 length) {
    const T rest = T(value >> first);
    if (length == 0) return 0;
    if (length >= width<T>) return rest;
    using U = std::make_unsigned_t<T>;
    const u32 unused = width<T> - length;
    return T(T(U(rest) << unused) >> unused);
}

template <class T> inline T mask_of(u32 length, u32 first) {
    return T(((T(1) << (length & (width<T> - 1))) - 1) << (first & (width<T> - 1)));
}

template <class T> inline T reversed(T value) {
    T result = 0;
    for (u32 i = 0; i < width<T>; ++i) result = T(result << 1 | (value >> i & 1));
    return result;
}

inline u32 count_ones(u32 value) {
    value -= value >> 1 & 0x55555555;
    value = (value & 0x33333333) + (value >> 2 & 0x33333333);
    return ((value + (value >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
inline u32 count_ones(u64 value) { return count_ones(u32(value)) + count_ones(u32(value >> 32)); }

/// The place of the first one from the lowest or the highest bit; -1 if there is none.
inline i32 first_one(u64 value) { return value ? __builtin_ctzll(value) : -1; }
inline i32 leading_zeros(u32 value) { return value ? __builtin_clz(value) : -1; }
inline i32 leading_zeros(u64 value) { return value ? __builtin_clzll(value) : -1; }
/// How many of the highest bits equal the sign; -1 if all do.
inline i32 sign_bits(i32 value) { return leading_zeros(u32(value < 0 ? ~value : value)); }
inline i32 sign_bits(i64 value) { return leading_zeros(u64(value < 0 ? ~value : value)); }

/// The nearest value of a type.
template <class T> inline T saturated(i64 value) {
    constexpr i64 low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    return T(value < low ? low : value > high ? high : value);
}

}  // namespace gfxsim::integer

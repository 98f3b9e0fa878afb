// SPDX-License-Identifier: MIT
// Integer products in vector registers.
#include "gfxsim/ops/vector_integer.hpp"

namespace gfxsim {
namespace {

using namespace integer;

u64 low24(u32 a) { return a & 0xffffff; }
i64 low24(i32 a) { return i32(u32(a) << 8) >> 8; }

template <class T> T mul24(T a, T b) { return T(low24(a) * low24(b)); }
template <class T> T mul24_saturated(T a, T b) { return saturated<T>(i64(low24(a) * low24(b))); }
template <class T> T mul24_high(T a, T b) { return T(low24(a) * low24(b) >> 32); }
template <class T> T mad24(T a, T b, T c) { return T(low24(a) * low24(b) + c); }
template <class T> T mad24_saturated(T a, T b, T c) { return saturated<T>(i64(low24(a) * low24(b)) + c); }

template <class T> T mul16_saturated(T a, T b) { return saturated<T>(i64(a) * b); }
template <class T> T mad16(T a, T b, T c) { return T(u32(a) * u32(b) + u32(c)); }
template <class T> T mad16_saturated(T a, T b, T c) { return saturated<T>(i64(a) * b + c); }
template <class T, class W> W mad16_wide(T a, T b, W c) { return W(u32(a) * u32(b) + u32(c)); }
template <class T, class W> W mad16_wide_saturated(T a, T b, W c) { return saturated<W>(i64(a) * b + c); }

template <bool saturating> with_bit<u64> mad_u64(u32 a, u32 b, u64 c) {
    const u64 sum = u64(a) * b + c;
    const bool over = sum < c;
    return {saturating && over ? ~u64(0) : sum, over};
}
// The bit is the sign of the exact sum.
template <bool saturating> with_bit<i64> mad_i64(i32 a, i32 b, i64 c) {
    const i64 product = i64(a) * b;
    const i64 sum = i64(u64(product) + u64(c));
    const bool over = ((product ^ sum) & (c ^ sum)) < 0;
    const bool sign = (sum < 0) != over;
    const i64 nearest = sign ? std::numeric_limits<i64>::min() : std::numeric_limits<i64>::max();
    return {saturating && over ? nearest : sum, sign};
}

constexpr Traits kKeeps = keeps_half();

}  // namespace

Table vector_multiply_table() {
    return {
        lanes<mul<u32>>("v_mul_lo_u32"),
        lanes<mul_hi_u32>("v_mul_hi_u32"),
        lanes<mul_hi_i32>("v_mul_hi_i32"),
        clamped<mul<u16>, mul16_saturated<u16>>("v_mul_lo_u16"),
        clamped<mul24<i32>, mul24_saturated<i32>>("v_mul_i32_i24"),
        clamped<mul24<u32>, mul24_saturated<u32>>("v_mul_u32_u24"),
        lanes<mul24_high<i32>>("v_mul_hi_i32_i24"),
        lanes<mul24_high<u32>>("v_mul_hi_u32_u24"),
        clamped<mad24<i32>, mad24_saturated<i32>>("v_mad_i32_i24"),
        clamped<mad24<u32>, mad24_saturated<u32>>("v_mad_u32_u24"),
        clamped<mad16<i16>, mad16_saturated<i16>>("v_mad_i16", kKeeps),
        clamped<mad16<u16>, mad16_saturated<u16>>("v_mad_u16", kKeeps),
        clamped<mad16<i16>, mad16_saturated<i16>>("v_mad_legacy_i16", {}, kGfx9),
        clamped<mad16<u16>, mad16_saturated<u16>>("v_mad_legacy_u16", {}, kGfx9),
        clamped<mad16_wide<i16, i32>, mad16_wide_saturated<i16, i32>>("v_mad_i32_i16"),
        clamped<mad16_wide<u16, u32>, mad16_wide_saturated<u16, u32>>("v_mad_u32_u16"),
        clamped<mad_u64<false>, mad_u64<true>>("v_mad_u64_u32", {}, kGfx9And11),
        clamped<mad_i64<false>, mad_i64<true>>("v_mad_i64_i32", {}, kGfx9And11),
        clamped<mad_u64<false>, mad_u64<true>>("v_mad_co_u64_u32", {}, kGfx12),
        clamped<mad_i64<false>, mad_i64<true>>("v_mad_co_i64_i32", {}, kGfx12),
    };
}

}  // namespace gfxsim

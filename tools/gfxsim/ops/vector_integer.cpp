// SPDX-License-Identifier: MIT
// Integer sums, minima and maxima in vector registers.
#include "gfxsim/ops/vector_integer.hpp"

namespace gfxsim {
namespace {

using namespace integer;

template <class T> T add_saturated(T a, T b) { return saturated<T>(i64(a) + i64(b)); }
template <class T> T sub_saturated(T a, T b) { return saturated<T>(i64(a) - i64(b)); }
template <class T> T subrev_saturated(T a, T b) { return sub_saturated(b, a); }

// Carries. "saturating" is for clamp, which stops at the ends and still tells the carry.
using Carry = with_bit<u32>;
template <bool saturating> Carry add_with(u32 a, u32 b, bool carry) {
    const u64 sum = u64(a) + b + carry;
    const bool over = sum > 0xffffffff;
    return {saturating && over ? 0xffffffff : u32(sum), over};
}
template <bool saturating> Carry sub_with(u32 a, u32 b, bool borrow) {
    const bool under = u64(b) + borrow > a;
    return {saturating && under ? 0 : a - b - borrow, under};
}
template <bool saturating> Carry subrev_with(u32 a, u32 b, bool borrow) { return sub_with<saturating>(b, a, borrow); }
template <bool saturating> Carry add_co(u32 a, u32 b) { return add_with<saturating>(a, b, false); }
template <bool saturating> Carry sub_co(u32 a, u32 b) { return sub_with<saturating>(a, b, false); }
template <bool saturating> Carry subrev_co(u32 a, u32 b) { return sub_with<saturating>(b, a, false); }

u32 add3(u32 a, u32 b, u32 c) { return a + b + c; }
u32 add_lshl(u32 a, u32 b, u32 c) { return (a + b) << (c & 31); }
u32 lshl_add(u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }
u64 lshl_add_64(u64 a, u32 b, u64 c) { return (a << (b & 7)) + c; }
u32 xad(u32 a, u32 b, u32 c) { return (a ^ b) + c; }

template <class T> T min3(T a, T b, T c) { return minimum(minimum(a, b), c); }
template <class T> T max3(T a, T b, T c) { return maximum(maximum(a, b), c); }
template <class T> T med3(T a, T b, T c) { return maximum(minimum(a, b), minimum(maximum(a, b), c)); }
template <class T> T minmax(T a, T b, T c) { return maximum(minimum(a, b), c); }
template <class T> T maxmin(T a, T b, T c) { return minimum(maximum(a, b), c); }

constexpr Traits kKeeps = keeps_half();

}  // namespace

Table vector_arithmetic_table() {
    return {
        clamped<add<u32>, add_saturated<u32>>("v_add_u32", {}, kGfx9),
        clamped<sub<u32>, sub_saturated<u32>>("v_sub_u32", {}, kGfx9),
        clamped<subrev<u32>, subrev_saturated<u32>>("v_subrev_u32", {}, kGfx9),
        clamped<add<u32>, add_saturated<u32>>("v_add_nc_u32", {}, kGfx11And12),
        clamped<sub<u32>, sub_saturated<u32>>("v_sub_nc_u32", {}, kGfx11And12),
        clamped<subrev<u32>, subrev_saturated<u32>>("v_subrev_nc_u32", {}, kGfx11And12),
        clamped<add<i32>, add_saturated<i32>>("v_add_i32", {}, kGfx9),
        clamped<sub<i32>, sub_saturated<i32>>("v_sub_i32", {}, kGfx9),
        clamped<add<i32>, add_saturated<i32>>("v_add_nc_i32", {}, kGfx11And12),
        clamped<sub<i32>, sub_saturated<i32>>("v_sub_nc_i32", {}, kGfx11And12),
        clamped<add<u16>, add_saturated<u16>>("v_add_u16", {}, kGfx9),
        clamped<sub<u16>, sub_saturated<u16>>("v_sub_u16", {}, kGfx9),
        clamped<subrev<u16>, subrev_saturated<u16>>("v_subrev_u16", {}, kGfx9),
        clamped<add<u16>, add_saturated<u16>>("v_add_nc_u16", {}, kGfx11And12),
        clamped<sub<u16>, sub_saturated<u16>>("v_sub_nc_u16", {}, kGfx11And12),
        clamped<add<i16>, add_saturated<i16>>("v_add_i16", kKeeps, kGfx9),
        clamped<sub<i16>, sub_saturated<i16>>("v_sub_i16", kKeeps, kGfx9),
        clamped<add<i16>, add_saturated<i16>>("v_add_nc_i16", {}, kGfx11And12),
        clamped<sub<i16>, sub_saturated<i16>>("v_sub_nc_i16", {}, kGfx11And12),

        clamped<add_co<false>, add_co<true>>("v_add_co_u32"),
        clamped<sub_co<false>, sub_co<true>>("v_sub_co_u32"),
        clamped<subrev_co<false>, subrev_co<true>>("v_subrev_co_u32"),
        clamped<add_with<false>, add_with<true>>("v_addc_co_u32", {}, kGfx9),
        clamped<sub_with<false>, sub_with<true>>("v_subb_co_u32", {}, kGfx9),
        clamped<subrev_with<false>, subrev_with<true>>("v_subbrev_co_u32", {}, kGfx9),
        clamped<add_with<false>, add_with<true>>("v_add_co_ci_u32", {}, kGfx11And12),
        clamped<sub_with<false>, sub_with<true>>("v_sub_co_ci_u32", {}, kGfx11And12),
        clamped<subrev_with<false>, subrev_with<true>>("v_subrev_co_ci_u32", {}, kGfx11And12),

        lanes<add3>("v_add3_u32"),
        lanes<add_lshl>("v_add_lshl_u32"),
        lanes<lshl_add>("v_lshl_add_u32"),
        lanes<lshl_add_64>("v_lshl_add_u64", {}, kGfx9),
        lanes<xad>("v_xad_u32"),

        lanes<minimum<i16>>("v_min_i16"),
        lanes<minimum<u16>>("v_min_u16"),
        lanes<minimum<i32>>("v_min_i32"),
        lanes<minimum<u32>>("v_min_u32"),
        lanes<maximum<i16>>("v_max_i16"),
        lanes<maximum<u16>>("v_max_u16"),
        lanes<maximum<i32>>("v_max_i32"),
        lanes<maximum<u32>>("v_max_u32"),
        lanes<min3<i16>>("v_min3_i16", kKeeps),
        lanes<min3<u16>>("v_min3_u16", kKeeps),
        lanes<min3<i32>>("v_min3_i32"),
        lanes<min3<u32>>("v_min3_u32"),
        lanes<max3<i16>>("v_max3_i16", kKeeps),
        lanes<max3<u16>>("v_max3_u16", kKeeps),
        lanes<max3<i32>>("v_max3_i32"),
        lanes<max3<u32>>("v_max3_u32"),
        lanes<med3<i16>>("v_med3_i16", kKeeps),
        lanes<med3<u16>>("v_med3_u16", kKeeps),
        lanes<med3<i32>>("v_med3_i32"),
        lanes<med3<u32>>("v_med3_u32"),
        lanes<minmax<i32>>("v_minmax_i32", {}, kGfx11And12),
        lanes<minmax<u32>>("v_minmax_u32", {}, kGfx11And12),
        lanes<maxmin<i32>>("v_maxmin_i32", {}, kGfx11And12),
        lanes<maxmin<u32>>("v_maxmin_u32", {}, kGfx11And12),
    };
}

Table vector_integer_table() {
    Table all;
    for (auto table : {vector_arithmetic_table, vector_multiply_table, vector_bits_table, vector_sad_table}) {
        for (const Definition& def : table()) all.push_back(def);
    }
    return all;
}

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
// Conversions between integers and the IEEE formats.
#include <limits>

#include "gfxsim/ops/float_parts.hpp"
#include "gfxsim/ops/integer.hpp"
#include "gfxsim/ops/vector_parts.hpp"

namespace gfxsim {
namespace {

using namespace fp;

/// The nearest integer of a type towards zero; 0 for a NaN.
template <class To, class From>
To truncated(From a) {
    constexpr f64 low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
    const f64 x = std::trunc(f64(wide(a)));
    return is_nan(a) ? To(0) : x <= low ? To(low) : x >= high ? To(high) : To(i64(x));
}

f32 f32_of_f16(f16 a) { return quieted(to_f32(a)); }
f16 f16_of_f32(const Lane& lane, f32 a) { return lane.plain ? to_f16(a) : to_f16(f64(a), lane.wave.mode.round64); }
f32 f32_of_f64(f64 a) { return f32(a); }
f64 f64_of_f32(f32 a) { return f64(a); }
f32 f32_of_i32(i32 a) { return f32(a); }
f32 f32_of_u32(u32 a) { return f32(a); }
f64 f64_of_i32(i32 a) { return a; }
f64 f64_of_u32(u32 a) { return a; }
f16 f16_of_i16(const Lane& lane, i16 a) { return rounded_f16(lane, a); }
f16 f16_of_u16(const Lane& lane, u16 a) { return rounded_f16(lane, a); }
i32 i32_of_i16(i16 a) { return a; }
u32 u32_of_u16(u16 a) { return a; }
template <int byte> f32 f32_of_byte(u32 a) { return f32(a >> (8 * byte) & 0xff); }

// The sums are exact in f64.
i32 rounded_up(f32 a) { return truncated<i32>(is_nan(a) ? f64(a) : std::floor(f64(a) + 0.5)); }
i32 rounded_down(f32 a) { return truncated<i32>(is_nan(a) ? f64(a) : std::floor(f64(a))); }

/// Four bits as sixteenths from -1/2 on, for the offsets of samples.
f32 offset_of_i4(u32 a) { return f32(i32(a << 28) >> 28) / 16; }

f16 toward_zero(f32 value) {
    const u32 bits = bit_cast<u32>(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    const u32 exponent = magnitude >> 23;
    u32 result;
    if (magnitude >= 0x7f800000) {
        result = magnitude > 0x7f800000 ? 0x7e00 | (magnitude >> 13 & 0x3ff) : 0x7c00;
    } else if (magnitude >= 0x47800000) {
        result = 0x7bff;
    } else if (magnitude < 0x38800000) {
        const u32 places = exponent < 96 ? 31 : 126 - exponent;
        result = ((magnitude & 0x7fffff) | 0x800000) >> places;
    } else {
        result = (magnitude - 0x38000000) >> 13;
    }
    return f16{u16(sign | result)};
}
pair<f16> pk_toward_zero(f32 a, f32 b) { return {toward_zero(a), toward_zero(b)}; }

f16 to_nearest(const Lane& lane, f32 a) { return lane.plain ? to_f16(a) : to_f16(f64(a), Round::nearest); }
pair<f16> pk_f16_of_f32(const Lane& lane, f32 a, f32 b) { return {to_nearest(lane, a), to_nearest(lane, b)}; }

/// -1 to 1, or 0 to 1, as integers of 16 bits.
template <class To, class From>
To normalized(From a) {
    constexpr f64 one = std::numeric_limits<To>::max(), low = std::is_signed_v<To> ? -one : 0;
    const f64 x = is_nan(a) ? 0 : f64(wide(a)) * one;
    return To(i64(x <= low ? low : x >= one ? one : nearest_even(x)));
}
template <class To, class From> pair<To> pk_normalized(From a, From b) {
    return {normalized<To>(a), normalized<To>(b)};
}
template <class To, class From> pair<To> pk_truncated(From a, From b) { return {truncated<To>(a), truncated<To>(b)}; }

pair<i16> pk_i16_of_i32(i32 a, i32 b) { return {integer::saturated<i16>(a), integer::saturated<i16>(b)}; }
pair<u16> pk_u16_of_u32(u32 a, u32 b) { return {integer::saturated<u16>(a), integer::saturated<u16>(b)}; }

/// Puts a number of 8 bits, rounded to nearest, into one byte of another operand.
u32 byte_of_f32(f32 a, u32 byte, u32 rest) {
    const u32 value = is_nan(a) || a <= 0 ? 0 : a >= 255 ? 255 : u32(nearest_even(a));
    const u32 places = 8 * (byte & 3);
    return (rest & ~(u32(0xff) << places)) | value << places;
}

Table own_table() {
    // Whether a byte is rounded or truncated is not documented.
    constexpr Traits last = inexact();
    Traits into = inexact();
    into.reads_dst = true;
    return {
        lanes<truncated<i32, f32>>("v_cvt_i32_f32"),
        lanes<truncated<u32, f32>>("v_cvt_u32_f32"),
        lanes<truncated<i32, f64>>("v_cvt_i32_f64"),
        lanes<truncated<u32, f64>>("v_cvt_u32_f64"),
        lanes<truncated<i16, f16>>("v_cvt_i16_f16"),
        lanes<truncated<u16, f16>>("v_cvt_u16_f16"),
        lanes<f32_of_i32>("v_cvt_f32_i32"),
        lanes<f32_of_u32>("v_cvt_f32_u32"),
        lanes<f64_of_i32>("v_cvt_f64_i32"),
        lanes<f64_of_u32>("v_cvt_f64_u32"),
        lanes<f16_of_i16>("v_cvt_f16_i16"),
        lanes<f16_of_u16>("v_cvt_f16_u16"),
        lanes<f16_of_f32>("v_cvt_f16_f32"),
        lanes<f32_of_f16>("v_cvt_f32_f16"),
        lanes<f32_of_f64>("v_cvt_f32_f64"),
        lanes<f64_of_f32>("v_cvt_f64_f32"),
        lanes<i32_of_i16>("v_cvt_i32_i16", {}, kGfx11And12),
        lanes<u32_of_u16>("v_cvt_u32_u16", {}, kGfx11And12),

        lanes<rounded_up>("v_cvt_rpi_i32_f32", {}, kGfx9),
        lanes<rounded_up>("v_cvt_nearest_i32_f32", {}, kGfx11And12),
        lanes<rounded_down>("v_cvt_flr_i32_f32", {}, kGfx9),
        lanes<rounded_down>("v_cvt_floor_i32_f32", {}, kGfx11And12),
        lanes<offset_of_i4>("v_cvt_off_f32_i4"),
        lanes<f32_of_byte<0>>("v_cvt_f32_ubyte0"),
        lanes<f32_of_byte<1>>("v_cvt_f32_ubyte1"),
        lanes<f32_of_byte<2>>("v_cvt_f32_ubyte2"),
        lanes<f32_of_byte<3>>("v_cvt_f32_ubyte3"),

        lanes<pk_toward_zero>("v_cvt_pkrtz_f16_f32", {}, kGfx9),
        lanes<pk_toward_zero>("v_cvt_pk_rtz_f16_f32", {}, kGfx11And12),
        lanes<pk_f16_of_f32>("v_cvt_pk_f16_f32", {}, kGfx9),
        lanes<normalized<i16, f16>>("v_cvt_norm_i16_f16"),
        lanes<normalized<u16, f16>>("v_cvt_norm_u16_f16"),
        lanes<pk_normalized<i16, f32>>("v_cvt_pknorm_i16_f32", {}, kGfx9),
        lanes<pk_normalized<u16, f32>>("v_cvt_pknorm_u16_f32", {}, kGfx9),
        lanes<pk_normalized<i16, f16>>("v_cvt_pknorm_i16_f16", {}, kGfx9),
        lanes<pk_normalized<u16, f16>>("v_cvt_pknorm_u16_f16", {}, kGfx9),
        lanes<pk_normalized<i16, f32>>("v_cvt_pk_norm_i16_f32", {}, kGfx11And12),
        lanes<pk_normalized<u16, f32>>("v_cvt_pk_norm_u16_f32", {}, kGfx11And12),
        lanes<pk_normalized<i16, f16>>("v_cvt_pk_norm_i16_f16", {}, kGfx11And12),
        lanes<pk_normalized<u16, f16>>("v_cvt_pk_norm_u16_f16", {}, kGfx11And12),
        lanes<pk_truncated<i16, f32>>("v_cvt_pk_i16_f32", {}, kGfx11And12),
        lanes<pk_truncated<u16, f32>>("v_cvt_pk_u16_f32", {}, kGfx11And12),
        lanes<pk_i16_of_i32>("v_cvt_pk_i16_i32"),
        lanes<pk_u16_of_u32>("v_cvt_pk_u16_u32"),
        lanes<byte_of_f32>("v_cvt_pk_u8_f32", last),
        lanes<byte_of_f32>("v_cvt_pkaccum_u8_f32", into, kGfx9),
    };
}

}  // namespace

Table vector_convert_table() {
    Table table = own_table();
    for (auto part : {vector_convert_small_table, vector_convert_scaled_table}) fp::append(table, part());
    return table;
}

}  // namespace gfxsim

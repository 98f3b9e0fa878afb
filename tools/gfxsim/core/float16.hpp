// SPDX-License-Identifier: MIT
// Half precision and bfloat16 in terms of the host's types.
#pragma once

#include "gfxsim/core/types.hpp"
#include "gfxsim/core/wave.hpp"

namespace gfxsim {

inline f32 to_f32(bf16 value) { return bit_cast<f32>(u32(value.bits) << 16); }

/// Exact, also for denormals; a NaN keeps its payload.
inline f32 to_f32(f16 value) {
    // Shifting the exponent into place leaves it 112 too small; the multiplication mends it and normalises denormals.
    const u32 shifted = u32(value.bits & 0x7fff) << 13;
    const u32 sign = u32(value.bits & 0x8000) << 16;
    const f32 scaled = bit_cast<f32>(shifted) * bit_cast<f32>(u32(0x77800000));
    const bool special = (value.bits & 0x7c00) == 0x7c00;
    return bit_cast<f32>(sign | (special ? shifted | 0x7f800000 : bit_cast<u32>(scaled)));
}

/// Rounded once, whatever the host's rounding is.
f16 to_f16(f64 value, Round round);

/// Rounded to nearest even where the host rounds so too: the quick way for the common case.
inline f16 to_f16(f32 value) {
    const u32 bits = bit_cast<u32>(value);
    const u32 sign = bits >> 16 & 0x8000;
    u32 magnitude = bits & 0x7fffffff;
    u32 result;
    if (magnitude >= 0x47800000) {
        // Too large, infinite or NaN; a NaN stays quiet.
        result = magnitude > 0x7f800000 ? 0x7e00 | (magnitude >> 13 & 0x3ff) : 0x7c00;
    } else if (magnitude < 0x38800000) {
        // Denormal: adding one half puts the result's last bit at the sum's last bit.
        result = bit_cast<u32>(bit_cast<f32>(magnitude) + 0.5f) - 0x3f000000;
    } else {
        magnitude += 0xc8000fff + (magnitude >> 13 & 1);
        result = magnitude >> 13;
    }
    return f16{u16(sign | result)};
}

inline f16 to_f16(f64 value) {
    const u64 bits = bit_cast<u64>(value);
    const u64 sign = bits >> 48 & 0x8000;
    u64 magnitude = bits & 0x7fffffffffffffff;
    u64 result;
    if (magnitude >= 0x40f0000000000000) {
        result = magnitude > 0x7ff0000000000000 ? 0x7e00 | (magnitude >> 42 & 0x3ff) : 0x7c00;
    } else if (magnitude < 0x3f10000000000000) {
        result = bit_cast<u64>(bit_cast<f64>(magnitude) + 0x1p28) - 0x41b0000000000000;
    } else {
        magnitude += 0xc100000000000000 + 0x1ffffffffff + (magnitude >> 42 & 1);
        result = magnitude >> 42;
    }
    return f16{u16(sign | result)};
}

/// Rounded to nearest even; a NaN keeps what fits of its payload and is quiet.
inline bf16 to_bf16(f32 value) {
    const u32 bits = bit_cast<u32>(value);
    const bool nan = (bits & 0x7fffffff) > 0x7f800000;
    return bf16{u16(nan ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

}  // namespace gfxsim

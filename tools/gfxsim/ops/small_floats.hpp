// SPDX-License-Identifier: MIT
// The values of floating-point formats of 8 bits and less, as tables from bits to f32.
#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "gfxsim/core/types.hpp"

namespace gfxsim::matrix {

/// What the highest exponent or the negative zero of a format stands for.
enum class Special : u8 { none, ieee, last_is_nan, negative_zero_is_nan };

template <int Exponent, int Mantissa, int Bias, Special special>
std::array<f32, 256> make_values() {
    std::array<f32, 256> values{};
    constexpr int count    = 1 << (1 + Exponent + Mantissa);
    constexpr u32 top      = (1u << Exponent) - 1;
    constexpr u32 sign_bit = 1u << (Exponent + Mantissa);
    constexpr f32 nan      = std::numeric_limits<f32>::quiet_NaN();
    for (u32 bits = 0; bits < u32(count); ++bits) {
        const u32 exponent = bits >> Mantissa & top, mantissa = bits & ((1u << Mantissa) - 1);
        const f32 sign     = bits & sign_bit ? -1.0f : 1.0f;
        f32 value = exponent ? std::ldexp(f32(mantissa | 1u << Mantissa), int(exponent) - Bias - Mantissa)
                             : std::ldexp(f32(mantissa), 1 - Bias - Mantissa);
        if (special == Special::ieee && exponent == top) value = mantissa ? nan : std::numeric_limits<f32>::infinity();
        if (special == Special::last_is_nan && (bits & ~sign_bit) == sign_bit - 1) value = nan;
        if (special == Special::negative_zero_is_nan && bits == sign_bit) value = nan;
        values[bits] = sign * value;
    }
    return values;
}

/// E4M3; the FNUZ encoding of gfx942 or the OCP encoding of later GPUs.
inline const f32* fp8_values(bool fnuz) {
    static const auto fnuz_values = make_values<4, 3, 8, Special::negative_zero_is_nan>();
    static const auto ocp_values  = make_values<4, 3, 7, Special::last_is_nan>();
    return fnuz ? fnuz_values.data() : ocp_values.data();
}

/// E5M2.
inline const f32* bf8_values(bool fnuz) {
    static const auto fnuz_values = make_values<5, 2, 16, Special::negative_zero_is_nan>();
    static const auto ocp_values  = make_values<5, 2, 15, Special::ieee>();
    return fnuz ? fnuz_values.data() : ocp_values.data();
}

/// E2M3, E3M2 and E2M1: 64, 64 and 16 entries.
inline const f32* fp6_values() {
    static const auto values = make_values<2, 3, 1, Special::none>();
    return values.data();
}
inline const f32* bf6_values() {
    static const auto values = make_values<3, 2, 3, Special::none>();
    return values.data();
}
inline const f32* fp4_values() {
    static const auto values = make_values<2, 1, 1, Special::none>();
    return values.data();
}

}  // namespace gfxsim::matrix

// SPDX-License-Identifier: MIT
// The values of floating-point formats of 8 bits and less, as tables from bits to f32.
#pragma once

#include <array>
#include <cmath>

#include "gfxsim/core/float_bits.hpp"

namespace gfxsim::matrix {

/// What the highest exponent or the negative zero of a format stands for. A NaN has a sign where there are two of them,
/// and no payload that it could keep.
enum class Special : u8 { none, ieee, last_is_nan, negative_zero_is_nan };

template <int Exponent, int Mantissa, int Bias, Special special>
std::array<f32, 256> make_values() {
    std::array<f32, 256> values{};
    constexpr int count = 1 << (1 + Exponent + Mantissa);
    constexpr u32 top = (1u << Exponent) - 1;
    constexpr u32 sign_bit = 1u << (Exponent + Mantissa);
    for (u32 bits = 0; bits < u32(count); ++bits) {
        const u32 exponent = bits >> Mantissa & top, mantissa = bits & ((1u << Mantissa) - 1);
        bool negative = bits & sign_bit;
        f32 value = exponent ? std::ldexp(f32(mantissa | 1u << Mantissa), int(exponent) - Bias - Mantissa)
                             : std::ldexp(f32(mantissa), 1 - Bias - Mantissa);
        if (special == Special::ieee && exponent == top)
            value = mantissa ? fp::invalid<f32>() : fp::infinity<f32>(false);
        if (special == Special::last_is_nan && (bits & ~sign_bit) == sign_bit - 1) value = fp::invalid<f32>();
        if (special == Special::negative_zero_is_nan && bits == sign_bit) value = fp::invalid<f32>(), negative = false;
        values[bits] = fp::with_sign(value, negative);
    }
    return values;
}

/// E4M3; the FNUZ encoding of gfx942 or the OCP encoding of later GPUs.
inline const f32* fp8_values(bool fnuz) {
    static const auto fnuz_values = make_values<4, 3, 8, Special::negative_zero_is_nan>();
    static const auto ocp_values = make_values<4, 3, 7, Special::last_is_nan>();
    return fnuz ? fnuz_values.data() : ocp_values.data();
}

/// E5M2.
inline const f32* bf8_values(bool fnuz) {
    static const auto fnuz_values = make_values<5, 2, 16, Special::negative_zero_is_nan>();
    static const auto ocp_values = make_values<5, 2, 15, Special::ieee>();
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

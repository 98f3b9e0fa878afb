// SPDX-License-Identifier: MIT
// Rounding to the formats of at most 16 bits, in integers: the host's rounding has no say.
#pragma once

#include "gfxsim/core/types.hpp"
#include "gfxsim/core/wave.hpp"

namespace gfxsim {

/// A format with a sign, an exponent and a mantissa. Codes are without the sign.
struct Format {
    int mantissa_bits;
    int bias;
    u16 sign;                        ///< the sign's bit
    u16 largest;                     ///< the code of the largest number
    u16 infinite;                    ///< what an infinity and what is too large become
    u16 nan;                         ///< what a NaN becomes
    bool unsigned_specials = false;  ///< FNUZ: zero, NaN and what is too large have no sign of their own
};

constexpr Format kF16 = {10, 15, 0x8000, 0x7bff, 0x7c00, 0x7e00};
constexpr Format kBf16 = {7, 127, 0x8000, 0x7f7f, 0x7f80, 0x7fc0};
constexpr Format kFp8 = {3, 7, 0x80, 0x7e, 0x7f, 0x7f};
constexpr Format kBf8 = {2, 15, 0x80, 0x7b, 0x7c, 0x7f};
constexpr Format kFp8Fnuz = {3, 8, 0x80, 0x7f, 0x80, 0x80, true};
constexpr Format kBf8Fnuz = {2, 16, 0x80, 0x7f, 0x80, 0x80, true};
// Formats that have nothing but numbers saturate.
constexpr Format kFp6 = {3, 1, 0x20, 0x1f, 0x1f, 0x1f};
constexpr Format kBf6 = {2, 3, 0x20, 0x1f, 0x1f, 0x1f};
constexpr Format kFp4 = {1, 1, 0x8, 0x7, 0x7, 0x7};

/// `value` rounded once.
u32 encode(const Format& format, f64 value, Round round = Round::nearest);

/// `value` rounded up with a probability that is its distance from the number below, for an evenly distributed seed.
/// The highest bits of the seed are added behind the last place of an f32's mantissa that the format has.
u32 encode_stochastic(const Format& format, f64 value, u32 seed);

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
#include "gfxsim/core/float8.hpp"

namespace gfxsim {
namespace {

constexpr int kMantissa64 = 52;
constexpr int kMostPlaces = 62;

// A positive number in units of the last place that it has in a format: the whole part and what is below it.
struct Split {
    u32 base;  ///< the code of the exponent's first number, without its leading one
    u64 whole;
    u64 rest;
    int places;  ///< of the rest
};

Split split(const Format& format, u64 magnitude) {
    const int exponent = int(magnitude >> kMantissa64) - 1023;
    u64 mantissa = (magnitude & ((u64(1) << kMantissa64) - 1)) | u64(1) << kMantissa64;
    const int lowest = 1 - format.bias;
    const int used = exponent < lowest ? lowest : exponent;
    int places = kMantissa64 - format.mantissa_bits + (used - exponent);
    // Far below the last place: moved into reach, with one bit for all that falls off.
    if (places > kMostPlaces) {
        const int excess = places - kMostPlaces;
        mantissa = excess > kMantissa64 ? 1 : mantissa >> excess | 1;
        places = kMostPlaces;
    }
    // The leading one of a normal number adds one to the exponent's field.
    return {u32(used - lowest) << format.mantissa_bits, mantissa >> places, mantissa & ((u64(1) << places) - 1),
            places};
}

u32 finish(const Format& format, u32 code, bool negative, bool overflow_stays) {
    if (code > format.largest) {
        code = overflow_stays ? format.largest : format.infinite;
        if (format.unsigned_specials && code == format.infinite) return code;
    }
    if (format.unsigned_specials && code == 0) return 0;
    return code | (negative ? format.sign : 0);
}

// A code for what is no number of the ordinary kind, or false.
bool special(const Format& format, u64 magnitude, bool negative, u32& code) {
    constexpr u64 kInfinity = u64(0x7ff) << kMantissa64;
    if (magnitude == 0) {
        code = finish(format, 0, negative, false);
    } else if (magnitude >= kInfinity) {
        code = magnitude > kInfinity ? format.nan : format.infinite;
        if (!format.unsigned_specials && negative) code |= format.sign;
    } else {
        return false;
    }
    return true;
}

}  // namespace

u32 encode(const Format& format, f64 value, Round round) {
    const u64 bits = bit_cast<u64>(value);
    const bool negative = bits >> 63;
    const u64 magnitude = bits & ~(u64(1) << 63);
    u32 code;
    if (special(format, magnitude, negative, code)) return code;
    const Split parts = split(format, magnitude);
    const u64 half = u64(1) << (parts.places - 1);
    bool away = false;
    switch (round) {
        case Round::nearest: away = parts.rest > half || (parts.rest == half && (parts.whole & 1)); break;
        case Round::up: away = parts.rest && !negative; break;
        case Round::down: away = parts.rest && negative; break;
        case Round::zero: break;
    }
    const bool stays = round == Round::zero || (round == Round::up && negative) || (round == Round::down && !negative);
    return finish(format, u32(parts.base + parts.whole + away), negative, stays);
}

u32 encode_stochastic(const Format& format, f64 value, u32 seed) {
    const u64 bits = bit_cast<u64>(value);
    const bool negative = bits >> 63;
    const u64 magnitude = bits & ~(u64(1) << 63);
    u32 code;
    if (special(format, magnitude, negative, code)) return code;
    const Split parts = split(format, magnitude);
    const int added = 23 - format.mantissa_bits;
    const u64 sum = (parts.rest >> (parts.places - added)) + (seed >> (32 - added));
    return finish(format, u32(parts.base + parts.whole + (sum >> added)), negative, false);
}

}  // namespace gfxsim

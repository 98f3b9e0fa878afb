// SPDX-License-Identifier: MIT
// The steps of a division: scale what would overflow or become denormal on the way, refine, undo the scaling, mend the
// special cases. The middle is done with ordinary multiply-adds.
#include "gfxsim/ops/float_parts.hpp"
#include "gfxsim/ops/vector_parts.hpp"

namespace gfxsim {
namespace {

using namespace fp;

/// How far operands are scaled, from which ratio on, and below which exponent a numerator is tiny.
template <class T> struct Scaling;
template <> struct Scaling<f32> {
    static constexpr int power = 64, large_ratio = 96, tiny_numerator = 23, vanishing_ratio = -150;
};
template <> struct Scaling<f64> {
    static constexpr int power = 128, large_ratio = 768, tiny_numerator = 53, vanishing_ratio = -1075;
};

/// Whether a quotient is less than every normal number.
template <class T> bool is_small_ratio(T numerator, T denominator) {
    return exponent_field(numerator / denominator) == 0;
}

/// Scales `a`, which is either the denominator or the numerator. The bit tells div_fmas to scale the quotient back.
template <class T>
with_bit<T> div_scale(const Lane& lane, T a, T denominator, T numerator) {
    constexpr int power = Scaling<T>::power;
    const int ratio = exponent_field(numerator) - exponent_field(denominator);
    if (is_zero(numerator) || is_zero(denominator)) return {invalid<T>(), false};
    if (ratio >= Scaling<T>::large_ratio) return {a == denominator ? ldexp(lane, a, power) : quieted(a), true};
    if (is_denormal(denominator)) return {ldexp(lane, a, power), false};
    const bool small_reciprocal = is_small_ratio(T(1), denominator),
               small_ratio = is_small_ratio(numerator, denominator);
    // The manual has a positive power here, which would make the denominator infinite.
    if (small_reciprocal && small_ratio) return {a == denominator ? ldexp(lane, a, -power) : quieted(a), true};
    if (small_reciprocal) return {ldexp(lane, a, -power), false};
    if (small_ratio) return {a == numerator ? ldexp(lane, a, power) : quieted(a), true};
    if (exponent_field(numerator) <= Scaling<T>::tiny_numerator) return {ldexp(lane, a, power), false};
    return {quieted(a), false};
}

// Which way a sum was rounded: 1 if the exact one has the larger magnitude, -1 if the smaller.
int direction(f64 sum, f64 lost) { return lost == 0 ? 0 : (lost > 0) == (sum > 0) ? 1 : -1; }

// What the sum of two numbers lost when it was rounded, whichever of them is larger.
f64 lost_in_sum(f64 a, f64 b, f64 sum) {
    const f64 from_b = sum - a;
    return (a - (sum - from_b)) + (b - from_b);
}

// A multiply-add whose result is made smaller before it is rounded.
f32 small_fma(f32 a, f32 b, f32 c, Round) {
    const f64 product = f64(a) * f64(b), sum = product + c;
    if (!std::isfinite(sum) || is_zero(sum)) return f32(sum);
    // The sum will be rounded again: an odd last bit stands for what it lost, and cannot be a tie.
    const u64 bits = bit_cast<u64>(sum);
    const f64 odd = bits & 1 ? sum : bit_cast<f64>(bits + u64(i64(direction(sum, lost_in_sum(product, c, sum)))));
    return f32(odd * power_of_two(-Scaling<f32>::power));
}
f64 small_fma(f64 a, f64 b, f64 c, Round round) {
    const f64 product = a * b, sum = std::fma(a, b, c), scale = power_of_two(-Scaling<f64>::power);
    if (std::isinf(sum) && std::isfinite(a) && std::isfinite(b) && std::isfinite(c)) {
        // Too large only before it is made smaller; the larger factor can be made smaller first without a loss.
        const bool first = std::fabs(a) > std::fabs(b);
        return std::fma(first ? a * scale : a, first ? b : b * scale, c * scale);
    }
    const int places = 1 + Scaling<f64>::power - exponent_field(sum);
    if (places <= 0 || is_zero(sum) || is_nan(sum)) return sum * scale;
    // Denormal: an f64 has too few digits to be rounded twice, so this is done in integers with two more.
    const f64 rounded = product + c;
    const f64 lost = (rounded - sum) + (lost_in_sum(product, c, rounded) + std::fma(a, b, -product));
    const u64 mantissa = ((magnitude_of(sum) & 0xfffffffffffff) | 0x10000000000000) << 2;
    const u64 digits = mantissa + u64(i64(direction(sum, lost)));
    const int shift = places + 2 > 62 ? 62 : places + 2;
    const u64 rest = digits & ((u64(1) << shift) - 1), half = u64(1) << (shift - 1);
    const bool negative = is_negative(sum);
    const bool away = round == Round::nearest
                          ? rest > half || (rest == half && (digits >> shift & 1))
                          : rest && ((round == Round::up && !negative) || (round == Round::down && negative));
    return with_sign(bit_cast<f64>((digits >> shift) + away), negative);
}

Round round_of(const Mode& mode, f32) { return mode.round32; }
Round round_of(const Mode& mode, f64) { return mode.round64; }

template <class T>
T div_fmas(const Lane& lane, T a, T b, T c) {
    const bool scaled = lane.wave.mask(sreg::vcc) >> lane.index & 1;
    // Whether the quotient has to become larger or smaller shows in its size.
    const bool larger = exponent_field(c) > FloatBits<T>::bias;
    if (!scaled) return fma(lane, a, b, c);
    if (larger) return fma(lane, a, b, c) * T(power_of_two(Scaling<T>::power));
    return settled(small_fma(a, b, c, round_of(lane.wave.mode, c)), a, b, c);
}

// A quotient that is nothing but its sign, or the smallest number if it is rounded away from zero.
template <class T>
T vanishing(const Lane& lane, bool negative) {
    const Round round = round_of(lane.wave.mode, T());
    const bool away = (round == Round::up && !negative) || (round == Round::down && negative);
    return with_sign(bit_cast<T>(bits_type<T>(away)), negative);
}

template <class T>
T div_fixup(const Lane& lane, T quotient, T denominator, T numerator) {
    const bool negative = is_negative(denominator) != is_negative(numerator);
    if (is_nan(numerator)) return quiet(numerator);
    if (is_nan(denominator)) return quiet(denominator);
    if (is_zero(denominator) && is_zero(numerator)) return negative_nan<T>();
    if (is_infinite(denominator) && is_infinite(numerator)) return negative_nan<T>();
    if (is_zero(denominator) || is_infinite(numerator)) return infinity<T>(negative);
    if (is_infinite(denominator) || is_zero(numerator)) return zero<T>(negative);
    if constexpr (!std::is_same_v<T, f16>) {
        if (exponent_field(numerator) - exponent_field(denominator) < Scaling<T>::vanishing_ratio)
            return vanishing<T>(lane, negative);
    }
    // An infinite quotient has become a NaN when its error was computed.
    return is_nan(quotient) ? infinity<T>(negative) : with_sign(quotient, negative);
}

constexpr Traits reading_vcc() {
    Traits traits;
    traits.reads_vcc = true;
    return traits;
}

}  // namespace

Table vector_division_table() {
    return {
        lanes<div_scale<f32>>("v_div_scale_f32"),
        lanes<div_scale<f64>>("v_div_scale_f64"),
        lanes<div_fmas<f32>>("v_div_fmas_f32", reading_vcc()),
        lanes<div_fmas<f64>>("v_div_fmas_f64", reading_vcc()),
        lanes<div_fixup<f16>>("v_div_fixup_f16", keeping_half()),
        lanes<div_fixup<f16>>("v_div_fixup_legacy_f16", {}, kGfx9),
        lanes<div_fixup<f32>>("v_div_fixup_f32"),
        lanes<div_fixup<f64>>("v_div_fixup_f64"),
    };
}

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
#include "ckdispatch/core/numbers.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "ckdispatch/core/error.hpp"

namespace ckdispatch {
namespace {

template <class T>
T load(const void* array, std::int64_t index) {
    T value;
    std::memcpy(&value, static_cast<const char*>(array) + index * std::int64_t(sizeof(T)), sizeof(T));
    return value;
}

// What becomes of the largest exponent, and of the negative zero.
enum class Special { ieee, fnuz, no_infinity, finite };

template <int ExponentBits, int MantissaBits, int Bias, Special special>
double decode(std::uint32_t bits) {
    constexpr std::uint32_t exponents = (1u << ExponentBits) - 1, mantissas = (1u << MantissaBits) - 1;
    const bool negative = (bits >> (ExponentBits + MantissaBits)) & 1;
    const std::uint32_t exponent = (bits >> MantissaBits) & exponents, mantissa = bits & mantissas;
    if (special == Special::fnuz && negative && exponent == 0 && mantissa == 0) return std::nan("");
    if (special == Special::ieee && exponent == exponents)
        return mantissa ? std::nan("") : (negative ? -1 : 1) * std::numeric_limits<double>::infinity();
    if (special == Special::no_infinity && exponent == exponents && mantissa == mantissas) return std::nan("");
    const double magnitude =
        exponent ? std::ldexp(double(mantissa | (1u << MantissaBits)), int(exponent) - Bias - MantissaBits)
                 : std::ldexp(double(mantissa), 1 - Bias - MantissaBits);
    return negative ? -magnitude : magnitude;
}

double read_fp32(const void* array, std::int64_t i) { return load<float>(array, i); }
double read_fp64(const void* array, std::int64_t i) { return load<double>(array, i); }
double read_int8(const void* array, std::int64_t i) { return load<std::int8_t>(array, i); }
double read_int32(const void* array, std::int64_t i) { return load<std::int32_t>(array, i); }
double read_fp16(const void* array, std::int64_t i) {
    return decode<5, 10, 15, Special::ieee>(load<std::uint16_t>(array, i));
}
double read_bf16(const void* array, std::int64_t i) {
    return decode<8, 7, 127, Special::ieee>(load<std::uint16_t>(array, i));
}
double read_pk_fp4(const void* array, std::int64_t i) {
    return decode<2, 1, 1, Special::finite>(load<std::uint8_t>(array, i / 2) >> i % 2 * 4 & 0xfu);
}
double read_fp8_ocp(const void* array, std::int64_t i) {
    return decode<4, 3, 7, Special::no_infinity>(load<std::uint8_t>(array, i));
}
double read_bf8_ocp(const void* array, std::int64_t i) {
    return decode<5, 2, 15, Special::ieee>(load<std::uint8_t>(array, i));
}
double read_fp8_fnuz(const void* array, std::int64_t i) {
    return decode<4, 3, 8, Special::fnuz>(load<std::uint8_t>(array, i));
}
double read_bf8_fnuz(const void* array, std::int64_t i) {
    return decode<5, 2, 16, Special::fnuz>(load<std::uint8_t>(array, i));
}

}  // namespace

Numbers::Numbers(Name dtype, arch::Fp8Encoding encoding) {
    const bool fnuz = encoding == arch::Fp8Encoding::fnuz;
    const std::string_view name = dtype.text();
    // Bits of the mantissa, and the exponent of the smallest number; none for integers.
    struct Format {
        std::string_view name;
        double (*read)(const void*, std::int64_t);
        int mantissa_bits, smallest_exponent;
        double largest;
    };
    const Format formats[] = {
        {"fp16", read_fp16, 10, -24, 65504},
        {"bf16", read_bf16, 7, -133, std::ldexp(255, 120)},
        {"fp32", read_fp32, 23, -149, std::numeric_limits<float>::max()},
        {"fp64", read_fp64, 52, -1074, std::numeric_limits<double>::max()},
        {"fp8", fnuz ? read_fp8_fnuz : read_fp8_ocp, 3, fnuz ? -10 : -9, fnuz ? 240. : 448.},
        {"bf8", fnuz ? read_bf8_fnuz : read_bf8_ocp, 2, fnuz ? -17 : -16, 57344},
        {"pk_fp4", read_pk_fp4, 1, -1, 6},
        {"int8", read_int8, 0, 0, std::numeric_limits<std::int8_t>::max()},
        {"int32", read_int32, 0, 0, std::numeric_limits<std::int32_t>::max()},
    };
    for (const Format& format : formats) {
        if (format.name != name) continue;
        read_ = format.read;
        roundoff_ = format.mantissa_bits ? std::ldexp(1.0, -format.mantissa_bits - 1) : 0;
        smallest_ = format.mantissa_bits ? std::ldexp(1.0, format.smallest_exponent) : 0;
        largest_ = format.largest;
        return;
    }
    throw UnsupportedError("A result in " + std::string(name) +
                           " was to be validated; the reference has no such numbers.");
}

}  // namespace ckdispatch

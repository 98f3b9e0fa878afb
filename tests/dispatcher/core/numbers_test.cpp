// SPDX-License-Identifier: MIT
#include "ckdispatch/core/numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using arch::Fp8Encoding;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
double read(const char* dtype, T bits, Fp8Encoding encoding = Fp8Encoding::ocp) {
    // Not at the beginning, so that the width of an element counts.
    const T array[] = {T(~bits), bits};
    return Numbers(dtype, encoding).at(array, 1);
}

double fp16(std::uint16_t bits) { return read("fp16", bits); }
double bf16(std::uint16_t bits) { return read("bf16", bits); }
double fp8(std::uint8_t bits, Fp8Encoding encoding) { return read("fp8", bits, encoding); }
double bf8(std::uint8_t bits, Fp8Encoding encoding) { return read("bf8", bits, encoding); }

TEST(Numbers, ReadHalfPrecision) {
    EXPECT_EQ(fp16(0x3c00), 1);
    EXPECT_EQ(fp16(0xc000), -2);
    EXPECT_EQ(fp16(0x3555), 0.333251953125);
    EXPECT_EQ(fp16(0x7bff), 65504);
    EXPECT_EQ(fp16(0x0400), std::ldexp(1, -14));
    EXPECT_EQ(fp16(0x0001), std::ldexp(1, -24));
    EXPECT_EQ(fp16(0x03ff), std::ldexp(1023, -24));
    EXPECT_EQ(fp16(0x7c00), kInfinity);
    EXPECT_EQ(fp16(0xfc00), -kInfinity);
    EXPECT_TRUE(std::isnan(fp16(0x7e00)));
    EXPECT_TRUE(fp16(0x8000) == 0 && std::signbit(fp16(0x8000)));
}

TEST(Numbers, ReadBfloat16AsTheUpperHalfOfAFloat) {
    for (std::uint32_t bits = 0; bits < 0x10000; bits += 7) {
        const std::uint32_t word = bits << 16;
        float expected;
        std::memcpy(&expected, &word, sizeof(expected));
        const double actual = bf16(std::uint16_t(bits));
        EXPECT_TRUE(std::isnan(expected) ? std::isnan(actual) : actual == double(expected)) << bits;
    }
}

TEST(Numbers, ReadWiderAndWholeNumbers) {
    const float floats[] = {0, 1.5f};
    const double doubles[] = {0, -1.25};
    const std::int8_t bytes[] = {0, -128};
    const std::int32_t integers[] = {0, -2147483647};
    EXPECT_EQ(Numbers("fp32", Fp8Encoding::ocp).at(floats, 1), 1.5);
    EXPECT_EQ(Numbers("fp64", Fp8Encoding::ocp).at(doubles, 1), -1.25);
    EXPECT_EQ(Numbers("int8", Fp8Encoding::ocp).at(bytes, 1), -128);
    EXPECT_EQ(Numbers("int32", Fp8Encoding::ocp).at(integers, 1), -2147483647);
}

TEST(Numbers, ReadTwoOfFourBitsFromAByte) {
    const std::uint8_t bytes[] = {0x21, 0xf7};
    const Numbers numbers("pk_fp4", Fp8Encoding::ocp);
    EXPECT_EQ(numbers.at(bytes, 0), 0.5);
    EXPECT_EQ(numbers.at(bytes, 1), 1);
    EXPECT_EQ(numbers.at(bytes, 2), 6);
    EXPECT_EQ(numbers.at(bytes, 3), -6);
}

// The same bits are half as much where there is no negative zero.
TEST(Numbers, ReadEightBitsInTheEncodingOfTheGpu) {
    EXPECT_EQ(fp8(0x38, Fp8Encoding::ocp), 1);
    EXPECT_EQ(fp8(0x38, Fp8Encoding::fnuz), 0.5);
    EXPECT_EQ(fp8(0x7e, Fp8Encoding::ocp), 448);
    EXPECT_EQ(fp8(0x7f, Fp8Encoding::fnuz), 240);
    EXPECT_EQ(fp8(0x01, Fp8Encoding::ocp), std::ldexp(1, -9));
    EXPECT_EQ(fp8(0x01, Fp8Encoding::fnuz), std::ldexp(1, -10));
    EXPECT_EQ(bf8(0x3c, Fp8Encoding::ocp), 1);
    EXPECT_EQ(bf8(0x3c, Fp8Encoding::fnuz), 0.5);
    EXPECT_EQ(bf8(0x7b, Fp8Encoding::ocp), 57344);
    EXPECT_EQ(bf8(0x7f, Fp8Encoding::fnuz), 57344);
    EXPECT_EQ(bf8(0x01, Fp8Encoding::ocp), std::ldexp(1, -16));
    EXPECT_EQ(bf8(0x01, Fp8Encoding::fnuz), std::ldexp(1, -17));
}

TEST(Numbers, KnowWhatIsNoNumberInEightBits) {
    EXPECT_TRUE(std::isnan(fp8(0x7f, Fp8Encoding::ocp)));
    EXPECT_TRUE(std::isnan(fp8(0xff, Fp8Encoding::ocp)));
    EXPECT_TRUE(std::isnan(fp8(0x80, Fp8Encoding::fnuz)));
    EXPECT_TRUE(std::isnan(bf8(0x80, Fp8Encoding::fnuz)));
    EXPECT_TRUE(std::isnan(bf8(0x7d, Fp8Encoding::ocp)));
    EXPECT_EQ(bf8(0x7c, Fp8Encoding::ocp), kInfinity);
    EXPECT_EQ(fp8(0x80, Fp8Encoding::ocp), 0);
}

TEST(Numbers, TellHowFarApartTheyAre) {
    const struct {
        const char* dtype;
        double roundoff, smallest, largest;
    } expected[] = {{"fp16", std::ldexp(1, -11), std::ldexp(1, -24), 65504},
                    {"bf16", std::ldexp(1, -8), std::ldexp(1, -133), bf16(0x7f7f)},
                    {"fp32", std::ldexp(1, -24), std::ldexp(1, -149), std::numeric_limits<float>::max()},
                    {"fp64", std::ldexp(1, -53), std::ldexp(1, -1074), std::numeric_limits<double>::max()},
                    {"fp8", std::ldexp(1, -4), std::ldexp(1, -9), 448},
                    {"bf8", std::ldexp(1, -3), std::ldexp(1, -16), 57344},
                    {"int8", 0, 0, 127},
                    {"int32", 0, 0, 2147483647}};
    for (const auto& [dtype, roundoff, smallest, largest] : expected) {
        const Numbers numbers(dtype, Fp8Encoding::ocp);
        EXPECT_EQ(numbers.unit_roundoff(), roundoff) << dtype;
        EXPECT_EQ(numbers.smallest(), smallest) << dtype;
        EXPECT_EQ(numbers.largest(), largest) << dtype;
    }
    EXPECT_EQ(Numbers("fp8", Fp8Encoding::fnuz).smallest(), std::ldexp(1, -10));
    EXPECT_EQ(Numbers("fp8", Fp8Encoding::fnuz).largest(), 240);
    EXPECT_EQ(Numbers("bf8", Fp8Encoding::fnuz).smallest(), std::ldexp(1, -17));
}

TEST(Numbers, OfAnUnknownDtypeAreRefused) {
    EXPECT_REFUSED(ErrorCode::unsupported, "A result in int4 was to be validated; the reference has no such numbers.",
                   Numbers("int4", Fp8Encoding::ocp));
}

}  // namespace
}  // namespace ckdispatch

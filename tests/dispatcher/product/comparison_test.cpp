// SPDX-License-Identifier: MIT
// What is right and wrong next to a reference.
#include "ckdispatch/product/comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace ckdispatch {
namespace {

using arch::Fp8Encoding;

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

Sum sum_of(std::initializer_list<double> terms) {
    Sum sum;
    for (const double term : terms) sum.add(term);
    return sum;
}

struct Compared {
    explicit Compared(const char* dtype, const char* op = "PassThrough", int d_count = 0, double roundings = 1)
        : numbers(dtype, Fp8Encoding::ocp), comparison(FusedOp::find(op, d_count), numbers, roundings, result) {}

    bool right(double actual, const Sum& sum, const std::vector<double>& ds = {}) {
        const std::int64_t before = result.wrong;
        (void)comparison.is_worst(actual, sum, ds);
        return result.wrong == before;
    }

    Numbers numbers;
    Validation result;
    Comparison comparison;
};

TEST(Sum, KnowsItsMagnitudeAndItsTerms) {
    const Sum sum = sum_of({1, -3, 0.5});
    EXPECT_EQ(sum.value, -1.5);
    EXPECT_EQ(sum.magnitude, 4.5);
    EXPECT_EQ(sum.terms, 3);
}

TEST(Comparison, AllowsTheRoundingOfTheDtype) {
    Compared fp16("fp16");
    EXPECT_TRUE(fp16.right(1 + std::ldexp(1, -11), sum_of({1})));
    EXPECT_FALSE(fp16.right(1 + std::ldexp(1, -10), sum_of({1})));
    EXPECT_TRUE(Compared("bf16").right(1 + std::ldexp(1, -10), sum_of({1})));
    EXPECT_FALSE(Compared("int32").right(2, sum_of({1})));
}

TEST(Comparison, AllowsForTheDepthOfTheSumAndForWhatCancels) {
    Sum deep;
    for (int i = 0; i < 1000; ++i) deep.add(i % 2 ? 1 : -1);
    const double allowed = 1000 * 1000 * std::ldexp(1, -24);
    EXPECT_TRUE(Compared("fp32").right(0.99 * allowed, deep));
    EXPECT_FALSE(Compared("fp32").right(1.01 * allowed, deep));
}

TEST(Comparison, AllowsARoundingForEachPartThatIsAddedInMemory) {
    const double off = 3 * std::ldexp(1, -11);
    EXPECT_FALSE(Compared("fp16").right(1 + off, sum_of({1})));
    EXPECT_TRUE(Compared("fp16", "PassThrough", 0, 4).right(1 + off, sum_of({1})));
}

TEST(Comparison, AppliesTheOperation) {
    EXPECT_TRUE(Compared("fp16", "MultiDAddRelu", 1).right(0, sum_of({1}), {-3}));
    EXPECT_TRUE(Compared("fp16", "MultiDAddRelu", 1).right(4, sum_of({1}), {3}));
    EXPECT_FALSE(Compared("fp16", "MultiDAddRelu", 1).right(1, sum_of({1}), {3}));
}

TEST(Comparison, TakesWhatIsTooLargeAsInfinityOrTheLargestNumber) {
    EXPECT_TRUE(Compared("fp16").right(kInfinity, sum_of({70000})));
    EXPECT_TRUE(Compared("fp16").right(65504, sum_of({70000})));
    EXPECT_FALSE(Compared("fp16").right(-kInfinity, sum_of({70000})));
    EXPECT_FALSE(Compared("fp16").right(kInfinity, sum_of({60000})));
}

TEST(Comparison, ExpectsNoNumberWhereThereIsNone) {
    EXPECT_TRUE(Compared("fp16").right(kNan, sum_of({kNan})));
    EXPECT_FALSE(Compared("fp16").right(1, sum_of({kNan})));
    EXPECT_FALSE(Compared("fp16").right(kNan, sum_of({1})));
}

TEST(Comparison, TellsWhichIsTheWorst) {
    Compared all("fp16");
    EXPECT_FALSE(all.comparison.is_worst(1, sum_of({1}), {}));
    EXPECT_TRUE(all.comparison.is_worst(2, sum_of({1}), {}));
    EXPECT_FALSE(all.comparison.is_worst(1.5, sum_of({1}), {}));
    EXPECT_TRUE(all.comparison.is_worst(9, sum_of({1}), {}));
    // As far away, but from a number that is itself less exact.
    EXPECT_FALSE(all.comparison.is_worst(1008, sum_of({1000}), {}));
    EXPECT_EQ(all.result.checked, 5);
    EXPECT_EQ(all.result.actual, 9);
    // Nothing is worse than a NaN, and the first of them stays.
    Compared nan("fp16");
    EXPECT_TRUE(nan.comparison.is_worst(2, sum_of({1}), {}));
    EXPECT_TRUE(nan.comparison.is_worst(kNan, sum_of({1}), {}));
    EXPECT_FALSE(nan.comparison.is_worst(9, sum_of({1}), {}));
    EXPECT_FALSE(nan.comparison.is_worst(kNan, sum_of({1}), {}));
    EXPECT_EQ(nan.result.wrong, 4);
    EXPECT_EQ(all.result.wrong, 4);
    EXPECT_EQ(all.result.max_abs, 8);
    EXPECT_EQ(all.result.actual, 9);
    EXPECT_EQ(all.result.expected, 1);
    EXPECT_FALSE(all.result.ok());
}

}  // namespace
}  // namespace ckdispatch

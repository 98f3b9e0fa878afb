// SPDX-License-Identifier: MIT
#include "ckdispatch/core/run.hpp"

#include <gtest/gtest.h>

namespace ckdispatch {
namespace {

BenchmarkResult result_of(std::vector<double> milliseconds) {
    BenchmarkResult result;
    result.milliseconds = std::move(milliseconds);
    return result;
}

TEST(BenchmarkResult, HasTheMiddleOfAnOddNumberOfTimesAsMedian) { EXPECT_EQ(result_of({5, 1, 3}).median(), 3); }
TEST(BenchmarkResult, HasTheMeanOfTheMiddleTwoOfAnEvenNumberAsMedian) {
    EXPECT_EQ(result_of({8, 1, 2, 4}).median(), 3);
}
TEST(BenchmarkResult, HasTheSmallestTimeAsMinimum) { EXPECT_EQ(result_of({5, 1, 3}).minimum(), 1); }
TEST(BenchmarkResult, HasTheMeanOfAllTimes) { EXPECT_EQ(result_of({5, 1, 3}).mean(), 3); }

TEST(BenchmarkResult, KeepsTheOrderInWhichItsTimesWereTaken) {
    const BenchmarkResult result = result_of({5, 1, 3});
    (void)result.median();
    EXPECT_EQ(result.milliseconds, (std::vector<double>{5, 1, 3}));
}

TEST(BenchmarkResult, OfNoRunsIsZero) {
    EXPECT_EQ(result_of({}).median(), 0);
    EXPECT_EQ(result_of({}).minimum(), 0);
    EXPECT_EQ(result_of({}).mean(), 0);
}

TEST(Validation, IsRightAsLongAsNothingIsWrong) {
    Validation validation;
    EXPECT_TRUE(validation.ok());
    validation.wrong = 1;
    EXPECT_FALSE(validation.ok());
}

}  // namespace
}  // namespace ckdispatch

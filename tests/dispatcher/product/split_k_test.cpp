// SPDX-License-Identifier: MIT
#include "ckdispatch/product/split_k.hpp"

#include <gtest/gtest.h>

namespace ckdispatch {
namespace {

using Parts = std::vector<std::int64_t>;

TEST(SplitK, OfAKernelThatSplitsServesPartsAndNothingElse) {
    for (const char* way : {"atomic", "workspace"}) {
        EXPECT_EQ(SplitK::mismatch(way, 1, false, "K"), "adds up parts of K; for K as a whole others are better.");
        EXPECT_EQ(SplitK::mismatch(way, 0, false, "K"), "");
        EXPECT_EQ(SplitK::mismatch(way, 7, false, "K"), "");
    }
    EXPECT_EQ(SplitK::mismatch("none", 1, false, "K"), "");
    EXPECT_EQ(SplitK::mismatch("none", 0, true, "K"), "");
    EXPECT_EQ(SplitK::mismatch("none", 2, false, "the sum"), "computes the sum whole, not in 2 parts.");
}

TEST(SplitK, InAnyOrderIsTheSameEveryTimeForTwoParts) {
    EXPECT_EQ(SplitK::mismatch("atomic", 2, true, "K"), "");
    EXPECT_EQ(SplitK::mismatch("atomic", 3, true, "K"),
              "adds its parts in any order, and the result was to be the same every time.");
    EXPECT_EQ(SplitK::mismatch("workspace", 3, true, "K"), "");
}

TEST(SplitK, ChoosesPartsOfAtLeastATile) {
    EXPECT_EQ(SplitK::choices("atomic", 0, false, 32, 1 << 20), (Parts{2, 4, 8, 16, 32}));
    EXPECT_EQ(SplitK::choices("atomic", 0, true, 32, 1 << 20), Parts{2});
    EXPECT_EQ(SplitK::choices("workspace", 0, true, 32, 4 * 32), (Parts{2, 4}));
    EXPECT_EQ(SplitK::choices("workspace", 0, true, 32, 2 * 32 - 1), Parts{});
    EXPECT_EQ(SplitK::choices("none", 0, false, 32, 1 << 20), Parts{1});
    EXPECT_EQ(SplitK::choices("atomic", 5, false, 32, 64), Parts{5});
}

}  // namespace
}  // namespace ckdispatch

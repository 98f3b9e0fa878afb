// SPDX-License-Identifier: MIT
#include "ckdispatch/core/mismatch.hpp"

#include <gtest/gtest.h>

namespace ckdispatch {
namespace {

TEST(Checks, ThatHoldAreNoMismatch) {
    const Mismatch none =
        Checks().check(true, [] { return "never said"; }).check([] { return std::string(); }).result();
    EXPECT_EQ(none.why, "");
    EXPECT_EQ(none.passed, 2);
    EXPECT_EQ(Checks().result().passed, 0);
}

TEST(Checks, EndWithTheFirstThatFails) {
    int asked = 0;
    const auto count = [&] { return ++asked, std::string("too late"); };
    const Mismatch second =
        Checks().check(true, count).check(false, [] { return "is another"; }).check(false, count).check(count).result();
    EXPECT_EQ(second.why, "is another");
    EXPECT_EQ(second.passed, 1);
    const Mismatch third = Checks()
                               .check(true, count)
                               .check([] { return std::string(); })
                               .check([] { return std::string("is none"); })
                               .check(true, count)
                               .result();
    EXPECT_EQ(third.why, "is none");
    EXPECT_EQ(third.passed, 2);
    EXPECT_EQ(asked, 0);
}

}  // namespace
}  // namespace ckdispatch

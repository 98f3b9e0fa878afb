// SPDX-License-Identifier: MIT
#include "ckdispatch/core/error.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ckdispatch {
namespace {

std::string said(const std::string& sentence) { return InternalError(sentence).what(); }

TEST(Error, SaysASentenceAsItIs) {
    EXPECT_EQ(said("2³¹ workgroups … are 日本 too many 🙂."), "2³¹ workgroups … are 日本 too many 🙂.");
    EXPECT_EQ(said(std::string(4000, 'a')), std::string(4000, 'a'));
}

// Whoever gives a name of 20 MB is not to read it again.
TEST(Error, KeepsTheBeginningAndTheEndOfWhatIsTooLong) {
    const std::string long_one = said("The device " + std::string(20000000, 'x') + " was asked for; there is none.");
    EXPECT_LT(long_one.size(), 4100u);
    EXPECT_EQ(long_one.substr(0, 12), "The device x");
    EXPECT_NE(long_one.find("x … x"), long_one.npos);
    EXPECT_EQ(long_one.substr(long_one.size() - 16), "; there is none.");
}

TEST(Error, CutsBetweenCharacters) {
    for (int shift = 0; shift < 4; ++shift) {
        std::string all(std::size_t(shift), 'a');
        for (int i = 0; i < 3000; ++i) all += "🙂";
        EXPECT_EQ(said(all).find("\xef\xbf\xbd"), std::string::npos) << shift;
    }
}

TEST(Error, ReplacesWhatNobodyCanRead) {
    const std::string none = "\xef\xbf\xbd";
    EXPECT_EQ(said("a\xff"
                   "b"),
              "a" + none + "b");
    EXPECT_EQ(said("a\n\tb\x1b[31m"), "a  b" + none + "[31m");
    // Spelt too long, half of a pair, too large, and cut off.
    EXPECT_EQ(said("\xc0\xaf"), none + none);
    EXPECT_EQ(said("\xed\xa0\x80"), none + none + none);
    EXPECT_EQ(said("\xf5\x80\x80\x80"), none + none + none + none);
    EXPECT_EQ(said("a\xe2\x80"), "a" + none + none);
}

TEST(Error, IsCaughtByItsClass) {
    EXPECT_THROW(throw NoKernelError("None."), NoKernelError);
    EXPECT_THROW(throw_error(ErrorCode::io_failed, "None."), IoFailedError);
    EXPECT_THROW(throw_error(ErrorCode::ok, "None."), InternalError);
}

// A code whose class is forgotten would be thrown as an internal error.
TEST(Error, HasTheCodeThatItWasThrownWith) {
    for (int code = int(ErrorCode::ok) + 1; code <= int(ErrorCode::internal); ++code) {
        try {
            throw_error(ErrorCode(code), "None.");
        } catch (const Error& error) {
            EXPECT_EQ(int(error.code()), code);
        }
    }
}

}  // namespace
}  // namespace ckdispatch

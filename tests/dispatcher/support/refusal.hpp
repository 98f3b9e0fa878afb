// SPDX-License-Identifier: MIT
// Checks that something fails with a certain code and sentence.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "ckdispatch/core/error.hpp"

namespace ckdispatch::test {

enum class Sentence { whole, part };

template <class Body>
testing::AssertionResult refused(Body&& body, ErrorCode code, const std::string& sentence, Sentence compared) {
    try {
        body();
    } catch (const Error& error) {
        const std::string said = error.what();
        const bool same = compared == Sentence::whole ? said == sentence : said.find(sentence) != said.npos;
        if (same && error.code() == code) return testing::AssertionSuccess();
        return testing::AssertionFailure() << "It was refused as '" << name_of(error.code()) << "':\n  " << said
                                           << "\nand not as '" << name_of(code) << "':\n  " << sentence;
    }
    return testing::AssertionFailure() << "It was not refused. Expected was:\n  " << sentence;
}

}  // namespace ckdispatch::test

/// The expression, last because it may have commas, throws Error with that code and exactly that sentence.
#define EXPECT_REFUSED(code, sentence, ...)                                               \
    EXPECT_TRUE(::ckdispatch::test::refused([&] { (void)(__VA_ARGS__); }, code, sentence, \
                                            ::ckdispatch::test::Sentence::whole))

/// As above, for sentences that end with words of the system or of a kernel library.
#define EXPECT_REFUSED_SAYING(code, words, ...) \
    EXPECT_TRUE(                                \
        ::ckdispatch::test::refused([&] { (void)(__VA_ARGS__); }, code, words, ::ckdispatch::test::Sentence::part))

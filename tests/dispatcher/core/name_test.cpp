// SPDX-License-Identifier: MIT
#include "ckdispatch/core/name.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/dispatcher/support/process.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

TEST(Name, EqualsAnotherOfTheSameText) {
    const std::string built = std::string("fp") + "16";
    EXPECT_TRUE(Name("fp16") == Name(built));
    EXPECT_FALSE(Name("fp16") != Name(built));
    EXPECT_TRUE(Name("fp16") != Name("bf16"));
}

TEST(Name, HasTheSameHashAsAnotherOfTheSameText) { EXPECT_EQ(Name("rcr").hash(), Name(std::string("rcr")).hash()); }

TEST(Name, OutlivesTheTextThatItWasMadeFrom) {
    Name name;
    {
        const std::string text(200, 'x');
        name = text;
    }
    EXPECT_EQ(name.text(), std::string(200, 'x'));
    EXPECT_STREQ(name.c_str(), std::string(200, 'x').c_str());
}

TEST(Name, IsOrderedByText) {
    const std::set<Name> words = {"rrr", "ccr", "rcr", "crr", "r"};
    std::vector<std::string> order;
    for (const Name word : words) order.emplace_back(word.text());
    EXPECT_EQ(order, (std::vector<std::string>{"ccr", "crr", "r", "rcr", "rrr"}));
}

TEST(Name, IsEmptyUnlessItIsGivenAText) {
    EXPECT_TRUE(Name().empty());
    EXPECT_EQ(Name().text(), "");
    EXPECT_TRUE(Name() == Name(""));
    EXPECT_FALSE(Name("a").empty());
}

TEST(Name, KeepsATextWithAZeroInside) {
    const std::string_view text("a\0b", 3);
    EXPECT_EQ(Name(text).text(), text);
    EXPECT_TRUE(Name(text) != Name("a"));
}

// It would be kept for ever.
TEST(Name, IsNoTextOfAnyLength) {
    EXPECT_EQ(Name(std::string(256, 'a')).text().size(), 256u);
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "The word '" + std::string(60, 'a') +
                       "…' of 20000000 letters was met where the name of a dtype, a layout or their like is expected; "
                       "they have at most 256.",
                   Name(std::string(20000000, 'a')));
}

TEST(Name, IsNotKeptWithoutEnd) {
    const std::string said = test::in_a_process_of_its_own([]() -> std::string {
        const Name known("known");
        try {
            for (int i = 0; i < 200000; ++i) (void)Name("word" + std::to_string(i));
        } catch (const Error& error) {
            return Name("known") == known ? error.what() : "a known word was lost";
        }
        return "all were kept";
    });
    EXPECT_NE(said.find("was met, and this process has met 100000 others as names of dtypes, layouts and their like; "
                        "those that are known can still be used."),
              said.npos)
        << said;
}

TEST(Name, IsTheSameFromEveryThread) {
    std::vector<std::vector<Name>> made(8);
    std::vector<std::thread> threads;
    for (std::vector<Name>& own : made)
        threads.emplace_back([&own] {
            for (int i = 0; i < 500; ++i) own.emplace_back("word" + std::to_string(i));
        });
    for (std::thread& thread : threads) thread.join();
    for (const std::vector<Name>& own : made) EXPECT_TRUE(own == made.front());
}

}  // namespace
}  // namespace ckdispatch

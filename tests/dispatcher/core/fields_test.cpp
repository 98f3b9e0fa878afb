// SPDX-License-Identifier: MIT
// A key of a family that exists here alone: what every family gets from listing its fields.
#include "ckdispatch/core/fields.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

struct SmallKey {
    static constexpr std::string_view family = "small";

    Name word = "w";
    Extent3 tile = {1, 2, 3};
    bool flag = false;
    int count = 7;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("word", &SmallKey::word);
        visit("tile", &SmallKey::tile);
        visit("flag", &SmallKey::flag);
        visit("count", &SmallKey::count);
    }
};

SmallKey parsed(std::string_view text) { return from_text<SmallKey>(text); }

void expect_refused(std::string_view text, const std::string& has, const std::string& expected) {
    SCOPED_TRACE(std::string(text));
    EXPECT_REFUSED(ErrorCode::invalid_argument, "A kernel key has '" + has + "' where " + expected + " is expected.",
                   parsed(text));
}

TEST(KeyText, NamesEveryFieldInItsOrder) {
    EXPECT_EQ(to_text(SmallKey{}), "small{word=w,tile=1x2x3,flag=false,count=7}");
}

TEST(KeyText, IsParsedBackToTheSameKey) {
    for (const int count : {0, -1, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
        SmallKey key;
        key.word = "Two_words2", key.tile = {-1, 0, 2147483647}, key.flag = true, key.count = count;
        EXPECT_TRUE(fields_equal(parsed(to_text(key)), key)) << to_text(key);
    }
}

TEST(KeyText, OfAnotherFormIsRefused) {
    const std::string form = "a key of the form small{field=value,…}";
    for (const char* text :
         {"", "small", "small{", "small}", "other{word=w}", "smal{word=w}", "small[word=w]",
          "small{word=w,tile=1x2x3,flag=false,count=7", " small{word=w,tile=1x2x3,flag=false,count=7}"})
        expect_refused(text, std::string(text).substr(0, 60), form);
}

TEST(KeyText, WithoutAFieldIsRefused) {
    expect_refused("small{}", "", "the field 'word'");
    expect_refused("small{word=w}", "", "the field 'tile'");
    expect_refused("small{word=w,flag=false,count=7}", "flag=false", "the field 'tile'");
    expect_refused("small{word=w,tile=1x2x3,flag=false}", "", "the field 'count'");
}

TEST(KeyText, WithFieldsInAnotherOrderIsRefused) {
    expect_refused("small{tile=1x2x3,word=w,flag=false,count=7}", "tile=1x2x3", "the field 'word'");
}

TEST(KeyText, WithANameThatMerelyBeginsLikeAFieldIsRefused) {
    expect_refused("small{words=w,tile=1x2x3,flag=false,count=7}", "words=w", "the field 'word'");
    expect_refused("small{word,tile=1x2x3,flag=false,count=7}", "word", "the field 'word'");
}

TEST(KeyText, WithMoreThanItsFieldsIsRefused) {
    expect_refused("small{word=w,tile=1x2x3,flag=false,count=7,more=1}", "more=1", "the end of the key");
    expect_refused("small{word=w,tile=1x2x3,flag=false,count=7,}", "", "the end of the key");
}

TEST(KeyText, WithAnEmptyWordIsRefused) { expect_refused("small{word=,tile=1x2x3,flag=false,count=7}", "", "a word"); }

TEST(KeyText, WithAWordOfOtherCharactersIsRefused) {
    for (const char* word : {"a b", "a-b", "a.b", "ä", "a{", "a=b"})
        expect_refused("small{word=" + std::string(word) + ",tile=1x2x3,flag=false,count=7}", word,
                       "a word of letters, digits and underscores");
}

TEST(KeyText, WithATileThatIsNoTripleIsRefused) {
    for (const char* tile : {"", "1", "1x2", "128"})
        expect_refused("small{word=w,tile=" + std::string(tile) + ",flag=false,count=7}", tile,
                       "three extents such as 128x128x32");
    for (const char* tile : {"1x2x", "x2x3", "1xx3", "1x2x3x4", "1x2x3 ", "1x2xc", "1x2x99999999999"})
        expect_refused("small{word=w,tile=" + std::string(tile) + ",flag=false,count=7}", tile, "a whole number");
}

TEST(KeyText, WithAFlagOtherThanTrueOrFalseIsRefused) {
    for (const char* flag : {"", "True", "False", "1", "0", "yes"})
        expect_refused("small{word=w,tile=1x2x3,flag=" + std::string(flag) + ",count=7}", flag, "true or false");
}

TEST(KeyText, WithACountThatIsNoNumberIsRefused) {
    for (const char* count : {"", "7a", "0x7", "7.0", " 7", "2147483648", "-2147483649"})
        expect_refused("small{word=w,tile=1x2x3,flag=false,count=" + std::string(count) + "}", count, "a whole number");
}

TEST(KeyText, IsQuotedInARefusalOnlyAtItsBeginning) {
    const std::string long_word(100, '?');
    expect_refused("small{word=" + long_word + ",tile=1x2x3,flag=false,count=7}", std::string(60, '?'),
                   "a word of letters, digits and underscores");
}

TEST(KeyOrder, IsThatOfTheFirstFieldThatDiffers) {
    const SmallKey key;
    SmallKey word = key, tile = key, flag = key, count = key;
    word.word = "x", tile.tile = {1, 3, 0}, flag.flag = true, count.count = 8;
    for (const SmallKey& greater : {word, tile, flag, count}) {
        EXPECT_TRUE(fields_less(key, greater)) << to_text(greater);
        EXPECT_FALSE(fields_less(greater, key)) << to_text(greater);
    }
    EXPECT_TRUE(fields_less(tile, word));
    EXPECT_TRUE(fields_less(flag, tile));
    EXPECT_TRUE(fields_less(count, flag));
    EXPECT_FALSE(fields_less(key, key));
}

struct ListKey {
    static constexpr std::string_view family = "lists";

    IntList numbers;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("numbers", &ListKey::numbers);
    }
};

TEST(Lists, AreReadBackFromTheirText) {
    for (const IntList& numbers :
         {IntList{}, IntList{7}, IntList{0, 1, 65536}, IntList{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}) {
        ListKey key;
        key.numbers = numbers;
        EXPECT_TRUE(fields_equal(from_text<ListKey>(to_text(key)), key)) << to_text(key);
    }
    ListKey key;
    EXPECT_EQ(to_text(key), "lists{numbers=none}");
    key.numbers = {128, 64};
    EXPECT_EQ(to_text(key), "lists{numbers=128x64}");
}

TEST(Lists, OfAnythingElseAreRefused) {
    for (const char* text : {"", "x", "1x", "x1", "1xx2", "1,2", "a", "1x2x3x4x5x6x7x8x9x10x11x12x13"})
        EXPECT_THROW(from_text<ListKey>("lists{numbers=" + std::string(text) + "}"), Error) << text;
}

TEST(Lists, AreOrderedByTheirFirstNumbers) {
    EXPECT_TRUE((IntList{} < IntList{0}));
    EXPECT_TRUE((IntList{1, 9} < IntList{2}));
    EXPECT_TRUE((IntList{1} < IntList{1, 0}));
    EXPECT_FALSE((IntList{1, 2} < IntList{1, 2}));
    EXPECT_EQ((IntList{1, 2}[1]), 2);
    EXPECT_EQ((IntList{1, 2}[2]), 0);
}

TEST(Extents, AreOrderedByMThenNThenK) {
    EXPECT_TRUE((Extent3{1, 9, 9} < Extent3{2, 0, 0}));
    EXPECT_TRUE((Extent3{1, 1, 9} < Extent3{1, 2, 0}));
    EXPECT_TRUE((Extent3{1, 1, 1} < Extent3{1, 1, 2}));
    EXPECT_FALSE((Extent3{1, 1, 1} < Extent3{1, 1, 1}));
}

}  // namespace
}  // namespace ckdispatch

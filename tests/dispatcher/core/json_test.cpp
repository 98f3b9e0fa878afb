// SPDX-License-Identifier: MIT
#include "ckdispatch/core/json.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

TEST(ParseJson, GivesTheDocument) { EXPECT_EQ(parse_json(R"({"a": [1, true]})", "It"), (Json{{"a", {1, true}}})); }

TEST(ParseJson, RefusesWhatIsNone) {
    for (const char* text : {"", "{", "{'a': 1}", "nonsense", "{} {}", "\"\xff\""})
        EXPECT_REFUSED(ErrorCode::damaged, "The manifest is not valid JSON.", parse_json(text, "The manifest")) << text;
}

TEST(ParseJson, ReadsWhatIsNotNestedTooDeep) {
    EXPECT_EQ(parse_json(std::string(60, '[') + std::string(60, ']'), "It").size(), 1u);
}

TEST(ParseJson, RefusesWhatWouldTakeAllOfTheStack) {
    for (const char* level : {"[", "{\"a\":"}) {
        std::string deep;
        for (int i = 0; i < 200000; ++i) deep += level;
        EXPECT_REFUSED(ErrorCode::damaged, "The manifest is nested more than 64 levels deep.",
                       parse_json(deep, "The manifest"));
    }
}

TEST(Member, IsTheOneOfThatName) {
    const Json object = {{"a", 1}, {"b", "text"}};
    EXPECT_EQ(member(object, "a", "It"), 1);
    EXPECT_EQ(text_member(object, "b", "It"), "text");
}

TEST(Member, IsRefusedWhereThereIsNone) {
    for (const Json& object : {Json::object(), Json::array({"a"}), Json("a"), Json(nullptr)})
        EXPECT_REFUSED(ErrorCode::damaged, "The entry has no 'a'.", member(object, "a", "The entry")) << object;
}

TEST(Member, ThatIsNoTextIsRefused) {
    EXPECT_REFUSED(ErrorCode::damaged, "The entry has a 'a' that is no text.",
                   text_member(Json{{"a", 1}}, "a", "The entry"));
}

TEST(Member, ThatIsNoCountIsRefused) {
    const auto counted = [](const Json& value) { return count_member(Json{{"n", value}}, "n", "The entry", 100); };
    EXPECT_EQ(counted(0), 0);
    EXPECT_EQ(counted(100), 100);
    for (const Json& value : {Json(-1), Json(101), Json(1.5), Json("1"), Json(nullptr), Json(true), Json(4294967296),
                              Json(18446744073709551615u)})
        EXPECT_REFUSED(ErrorCode::damaged, "The entry has a 'n' that is no count.", counted(value)) << value;
}

TEST(ShownJson, HasNoBytesThatJsonCannotHave) {
    EXPECT_EQ(shown(Json{{"path", "a\xff"}}), "{\"path\":\"a\xef\xbf\xbd\"}");
}

}  // namespace
}  // namespace ckdispatch

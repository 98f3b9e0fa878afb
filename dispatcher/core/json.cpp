// SPDX-License-Identifier: MIT
#include "ckdispatch/core/json.hpp"

#include <cstdint>
#include <limits>

namespace ckdispatch {
namespace {

// Far more than anything here has; copying and showing a value take a part of the stack for each level.
constexpr int kDeepest = 64;

[[noreturn]] void expected(const char* what, const Json& json) {
    throw DamagedError(std::string(what) + " expected, not " + shown(json).substr(0, 60) + ".");
}

}  // namespace

Json parse_json(std::string_view text, const std::string& what) {
    const auto not_too_deep = [&](int depth, Json::parse_event_t, Json&) {
        if (depth > kDeepest)
            throw DamagedError(what + " is nested more than " + std::to_string(kDeepest) + " levels deep.");
        return true;
    };
    Json parsed = Json::parse(text, not_too_deep, /*allow_exceptions=*/false);
    if (parsed.is_discarded()) throw DamagedError(what + " is not valid JSON.");
    return parsed;
}

bool is_within(const Json& json, std::int64_t least, std::int64_t most) {
    if (!json.is_number_integer() || (json.is_number_unsigned() && json.get<std::uint64_t>() > std::uint64_t(most)))
        return false;
    return json.get<std::int64_t>() >= least && json.get<std::int64_t>() <= most;
}

std::string shown(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

const Json& member(const Json& object, const char* name, const std::string& what) {
    if (!object.is_object() || !object.contains(name)) throw DamagedError(what + " has no '" + name + "'.");
    return object.at(name);
}

std::string text_member(const Json& object, const char* name, const std::string& what) {
    const Json& value = member(object, name, what);
    if (!value.is_string()) throw DamagedError(what + " has a '" + std::string(name) + "' that is no text.");
    return value.get<std::string>();
}

std::int64_t count_member(const Json& object, const char* name, const std::string& what, std::int64_t most) {
    const Json& value = member(object, name, what);
    if (!is_within(value, 0, most)) throw DamagedError(what + " has a '" + std::string(name) + "' that is no count.");
    return value.get<std::int64_t>();
}

namespace fields_detail {

Json encode(Name value) { return std::string(value.text()); }
Json encode(const Extent3& value) { return {value.m, value.n, value.k}; }

Json encode(const IntList& value) {
    Json all = Json::array();
    for (const int one : value) all.push_back(one);
    return all;
}

void decode(const Json& json, Name& value) {
    if (!json.is_string()) expected("a word is", json);
    parse(json.get_ref<const std::string&>(), value);
}

void decode(const Json& json, Extent3& value) {
    constexpr int most = 65536;
    if (!json.is_array() || json.size() != 3 || !is_within(json[0], 1, most) || !is_within(json[1], 1, most) ||
        !is_within(json[2], 1, most))
        expected("three whole numbers from 1 to 65536 are", json);
    value = {json[0].get<int>(), json[1].get<int>(), json[2].get<int>()};
}

void decode(const Json& json, IntList& value) {
    constexpr int most = 65536;
    if (!json.is_array() || json.size() > IntList::kMost) expected("up to 12 whole numbers are", json);
    value = {};
    for (const Json& one : json) {
        if (!is_within(one, 0, most)) expected("whole numbers from 0 to 65536 are", json);
        value.add(one.get<int>());
    }
}

void decode(const Json& json, bool& value) {
    if (!json.is_boolean()) expected("true or false is", json);
    value = json.get<bool>();
}

void decode(const Json& json, int& value) {
    if (!is_within(json, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()))
        expected("a whole number is", json);
    value = json.get<int>();
}

}  // namespace fields_detail
}  // namespace ckdispatch

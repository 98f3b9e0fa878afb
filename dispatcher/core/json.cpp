// SPDX-License-Identifier: MIT
#include "ckdispatch/core/json.hpp"

namespace ckdispatch {

Json parse_json(std::string_view text, const std::string& what) {
    Json parsed = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (parsed.is_discarded()) throw Error(ErrorCode::damaged, what + " is not valid JSON.");
    return parsed;
}

const Json& member(const Json& object, const char* name, const std::string& what) {
    if (!object.is_object() || !object.contains(name)) throw Error(ErrorCode::damaged, what + " has no '" + name + "'.");
    return object.at(name);
}

std::string text_member(const Json& object, const char* name, const std::string& what) {
    const Json& value = member(object, name, what);
    if (!value.is_string()) throw Error(ErrorCode::damaged, what + " has a '" + std::string(name) + "' that is no text.");
    return value.get<std::string>();
}

namespace fields_detail {

Json encode(Name value) { return std::string(value.text()); }
Json encode(const Extent3& value) { return {value.m, value.n, value.k}; }

void decode(const Json& json, Name& value) {
    if (!json.is_string()) throw Error(ErrorCode::damaged, "a word is expected, not " + json.dump() + ".");
    parse(json.get_ref<const std::string&>(), value);
}

void decode(const Json& json, Extent3& value) {
    const bool triple = json.is_array() && json.size() == 3 && json[0].is_number_integer() && json[1].is_number_integer() && json[2].is_number_integer();
    if (!triple) throw Error(ErrorCode::damaged, "three whole numbers are expected, not " + json.dump() + ".");
    value = {json[0].get<int>(), json[1].get<int>(), json[2].get<int>()};
}

void decode(const Json& json, bool& value) {
    if (!json.is_boolean()) throw Error(ErrorCode::damaged, "true or false is expected, not " + json.dump() + ".");
    value = json.get<bool>();
}

void decode(const Json& json, int& value) {
    if (!json.is_number_integer()) throw Error(ErrorCode::damaged, "a whole number is expected, not " + json.dump() + ".");
    value = json.get<int>();
}

}  // namespace fields_detail
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// JSON inside the runtime: reading that fails with a sentence, and keys as JSON. Not part of the public face.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "ckdispatch/core/fields.hpp"

namespace ckdispatch {

using Json = nlohmann::json;

/// The document in `text`; `what` is what it is called in the sentence that refuses it.
Json parse_json(std::string_view text, const std::string& what);

/// A whole number within bounds.
bool is_within(const Json& json, std::int64_t least, std::int64_t most);

/// The member of that name; `what` is what the object is called in the sentence that misses it.
const Json& member(const Json& object, const char* name, const std::string& what);
std::string text_member(const Json& object, const char* name, const std::string& what);
/// A whole number from 0 to `most`.
std::int64_t count_member(const Json& object, const char* name, const std::string& what, std::int64_t most);

/// In one line, to be shown to somebody: what is no UTF-8 is replaced.
std::string shown(const Json& json);

namespace fields_detail {

Json encode(Name value);
Json encode(const Extent3& value);
Json encode(const IntList& value);
inline Json encode(bool value) { return value; }
inline Json encode(int value) { return value; }

void decode(const Json& json, Name& value);
void decode(const Json& json, Extent3& value);
void decode(const Json& json, IntList& value);
void decode(const Json& json, bool& value);
void decode(const Json& json, int& value);

}  // namespace fields_detail

/// The spec of a kernel as the generator writes it, without its name.
template <class Key>
Json key_to_json(const Key& key) {
    Json spec = {{"family", Key::family}};
    Key::fields(
        [&](std::string_view name, auto field) { spec[std::string(name)] = fields_detail::encode(key.*field); });
    return spec;
}

/// The inverse, also for a spec with its name. Throws Error: a field that this runtime does not know would change what
/// the kernel computes.
template <class Key>
Key key_from_json(const Json& spec, const std::string& what) {
    if (text_member(spec, "family", what) != Key::family)
        throw InvalidArgumentError(what + " is of the family " + text_member(spec, "family", what) + ", not " +
                                   std::string(Key::family) + ".");
    Key key;
    std::size_t known = 1 + (spec.contains("name") ? 1 : 0);
    Key::fields([&](std::string_view name, auto field) {
        const Json& value = member(spec, std::string(name).c_str(), what);
        try {
            fields_detail::decode(value, key.*field);
        } catch (const Error& error) {
            throw_error(error.code(), what + " has a wrong field '" + std::string(name) + "': " + error.what());
        }
        ++known;
    });
    if (spec.size() != known)
        throw AbiMismatchError(
            what + " has fields that this runtime does not know; it comes from another version of the generator.");
    return key;
}

}  // namespace ckdispatch

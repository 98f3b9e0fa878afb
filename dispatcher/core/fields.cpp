// SPDX-License-Identifier: MIT
#include "ckdispatch/core/fields.hpp"

#include <charconv>

namespace ckdispatch::fields_detail {
namespace {

[[noreturn]] void refuse(std::string_view text, std::string_view expected) {
    throw InvalidArgumentError("A kernel key has '" + std::string(text.substr(0, 60)) + "' where " +
                               std::string(expected) + " is expected.");
}

int number(std::string_view text, std::string_view whole) {
    int value = 0;
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    const auto result = std::from_chars(begin, end, value);
    if (result.ec != std::errc{} || result.ptr != end) refuse(whole, "a whole number");
    return value;
}

}  // namespace

std::string show(Name value) { return std::string(value.text()); }
std::string show(bool value) { return value ? "true" : "false"; }
std::string show(int value) { return std::to_string(value); }
std::string show(const Extent3& value) {
    return std::to_string(value.m) + 'x' + std::to_string(value.n) + 'x' + std::to_string(value.k);
}

// Such as 128x64x32; none for a list without numbers.
std::string show(const IntList& value) {
    std::string text;
    for (const int one : value) text += (text.empty() ? "" : "x") + std::to_string(one);
    return text.empty() ? "none" : text;
}

void parse(std::string_view text, Name& value) {
    if (text.empty()) refuse(text, "a word");
    for (const char c : text) {
        const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        if (!fine) refuse(text, "a word of letters, digits and underscores");
    }
    value = text;
}

void parse(std::string_view text, bool& value) {
    if (text != "true" && text != "false") refuse(text, "true or false");
    value = text == "true";
}

void parse(std::string_view text, int& value) { value = number(text, text); }

void parse(std::string_view text, Extent3& value) {
    const std::size_t first = text.find('x'), second = first == text.npos ? text.npos : text.find('x', first + 1);
    if (second == text.npos) refuse(text, "three extents such as 128x128x32");
    value = {number(text.substr(0, first), text), number(text.substr(first + 1, second - first - 1), text),
             number(text.substr(second + 1), text)};
}

void parse(std::string_view text, IntList& value) {
    value = {};
    for (std::string_view rest = text == "none" ? std::string_view{} : text; !rest.empty();) {
        const std::size_t cross = rest.find('x');
        value.add(number(rest.substr(0, cross), text));
        if (cross != rest.npos && cross + 1 == rest.size()) refuse(text, "numbers such as 128x64");
        rest = cross == rest.npos ? std::string_view{} : rest.substr(cross + 1);
    }
    if (text.empty()) refuse(text, "numbers such as 128x64, or none");
}

Items::Items(std::string_view text, std::string_view family) {
    const bool framed = text.size() > family.size() + 1 && text.substr(0, family.size()) == family &&
                        text[family.size()] == '{' && text.back() == '}';
    if (!framed) refuse(text, "a key of the form " + std::string(family) + "{field=value,…}");
    rest_ = text.substr(family.size() + 1, text.size() - family.size() - 2);
}

std::string_view Items::take(std::string_view name) {
    const std::size_t comma = rest_.find(',');
    const std::string_view item = rest_.substr(0, comma);
    if (item.substr(0, name.size()) != name || item.size() <= name.size() || item[name.size()] != '=')
        refuse(item, "the field '" + std::string(name) + "'");
    more_ = comma != rest_.npos;
    rest_ = more_ ? rest_.substr(comma + 1) : std::string_view{};
    return item.substr(name.size() + 1);
}

void Items::end() const {
    if (more_) refuse(rest_, "the end of the key");
}

}  // namespace ckdispatch::fields_detail

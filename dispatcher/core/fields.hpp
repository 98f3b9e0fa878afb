// SPDX-License-Identifier: MIT
// Keys as lists of named fields: a family lists the fields of its key once, and order, text, JSON and filters follow.
//
// A key is a struct with `static constexpr std::string_view family` and
//     template <class Visit> static void fields(Visit&& visit) { visit("tile", &Key::tile); … }
// whose members are Name, Extent3, IntList, bool or int. Registries also ask it for `std::int64_t
// lanes_per_workgroup(const arch::GpuSpec&) const`.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>

#include "ckdispatch/core/error.hpp"
#include "ckdispatch/core/name.hpp"

namespace ckdispatch {

/// Extents along m, n and k.
struct Extent3 {
    int m = 0, n = 0, k = 0;

    friend bool operator==(const Extent3& a, const Extent3& b) { return a.m == b.m && a.n == b.n && a.k == b.k; }
    friend bool operator<(const Extent3& a, const Extent3& b) {
        return std::tie(a.m, a.n, a.k) < std::tie(b.m, b.n, b.k);
    }
};

/// A few whole numbers, as many as the kernel has of them; kept in place, so that a key is copied and compared without
/// memory of its own.
class IntList {
public:
    static constexpr std::size_t kMost = 12;

    IntList() = default;
    IntList(std::initializer_list<int> values) {
        for (const int value : values) add(value);
    }

    /// Throws InvalidArgumentError if there is no room for it.
    void add(int value) {
        if (size_ == kMost)
            throw InvalidArgumentError("A kernel key has a list of more than " + std::to_string(kMost) + " numbers.");
        values_[size_++] = value;
    }
    std::size_t size() const { return size_; }
    /// 0 behind the last one.
    int operator[](std::size_t index) const { return index < size_ ? values_[index] : 0; }
    const int* begin() const { return values_.data(); }
    const int* end() const { return values_.data() + size_; }

    friend bool operator==(const IntList& a, const IntList& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
    friend bool operator<(const IntList& a, const IntList& b) {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    std::array<int, kMost> values_{};
    std::size_t size_ = 0;
};

namespace fields_detail {

std::string show(Name value);
std::string show(const Extent3& value);
std::string show(const IntList& value);
std::string show(bool value);
std::string show(int value);

void parse(std::string_view text, Name& value);
void parse(std::string_view text, Extent3& value);
void parse(std::string_view text, IntList& value);
void parse(std::string_view text, bool& value);
void parse(std::string_view text, int& value);

/// The text between the braces of `family{…}`, split at its commas.
class Items {
public:
    Items(std::string_view text, std::string_view family);
    /// The value of the next field, which must have that name.
    std::string_view take(std::string_view name);
    void end() const;

private:
    std::string_view rest_;
    bool more_ = true;
};

}  // namespace fields_detail

template <class Key>
bool fields_equal(const Key& a, const Key& b) {
    bool equal = true;
    Key::fields([&](std::string_view, auto member) { equal = equal && a.*member == b.*member; });
    return equal;
}

template <class Key>
bool fields_less(const Key& a, const Key& b) {
    int order = 0;
    Key::fields([&](std::string_view, auto member) {
        if (order == 0 && !(a.*member == b.*member)) order = a.*member < b.*member ? -1 : 1;
    });
    return order < 0;
}

/// Such as `gemm{variant=standard,dtype_a=fp16,…}`; from_text is the inverse.
template <class Key>
std::string to_text(const Key& key) {
    std::string text(Key::family);
    char separator = '{';
    Key::fields([&](std::string_view name, auto member) {
        text += separator;
        text += name;
        text += '=';
        text += fields_detail::show(key.*member);
        separator = ',';
    });
    return text + '}';
}

/// Whether a text is that of a key, and not a name.
inline bool is_key(std::string_view text) { return text.find('{') != text.npos; }

template <class Key>
Key from_text(std::string_view text) {
    Key key;
    fields_detail::Items items(text, Key::family);
    Key::fields([&](std::string_view name, auto member) { fields_detail::parse(items.take(name), key.*member); });
    items.end();
    return key;
}

}  // namespace ckdispatch

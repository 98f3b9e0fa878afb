// SPDX-License-Identifier: MIT
// A word of a closed vocabulary ("fp16", "rcr", "compv3"), kept once per process: copied and compared like a number.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace ckdispatch {

/// The vocabulary is the generator's, so that a new pipeline or dtype needs no change here.
class Name {
public:
    /// The empty word is made often, and looked up nowhere.
    Name() : text_(kNothing), size_(0) {}
    Name(std::string_view text);
    Name(const char* text) : Name(std::string_view(text)) {}
    Name(const std::string& text) : Name(std::string_view(text)) {}

    std::string_view text() const { return {text_, size_}; }
    const char* c_str() const { return text_; }
    bool empty() const { return size_ == 0; }

    friend bool operator==(Name a, Name b) { return a.text_ == b.text_; }
    friend bool operator!=(Name a, Name b) { return a.text_ != b.text_; }
    /// By text, so that the order is the same in every process.
    friend bool operator<(Name a, Name b) { return a.text() < b.text(); }

    std::size_t hash() const { return std::hash<const void*>{}(text_); }

private:
    static constexpr char kNothing[] = "";

    const char* text_;
    std::size_t size_;
};

}  // namespace ckdispatch

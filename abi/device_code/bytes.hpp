// SPDX-License-Identifier: MIT
// Bytes of a file or of this process's memory, read without leaving them.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "device_code/limits.hpp"

namespace ckdispatch::device_code {

/// A range that somebody else owns. Reads outside it throw std::runtime_error.
struct Bytes {
    const std::uint8_t* data = nullptr;
    std::uint64_t size = 0;

    bool holds(std::uint64_t offset, std::uint64_t bytes) const { return offset <= size && bytes <= size - offset; }
    /// The part that holds `what`, a noun for the message.
    Bytes part(std::uint64_t offset, std::uint64_t bytes, const char* what) const {
        if (!holds(offset, bytes)) throw std::runtime_error(std::string("it ends before its ") + what);
        return {data + offset, bytes};
    }
    template <class T>
    T read(std::uint64_t offset, const char* what) const {
        T value;
        std::memcpy(&value, part(offset, sizeof(T), what).data, sizeof(T));
        return value;
    }
    bool begins_with(std::string_view text) const {
        return holds(0, text.size()) && std::memcmp(data, text.data(), text.size()) == 0;
    }
};

/// A text for messages, with its middle left out if it is longer than `most` and question marks for what cannot be
/// shown, such as the zero that would end it: a file can have names of any length and any bytes.
inline std::string shortened(std::string_view text, std::uint64_t most = limits::kQuoted) {
    const std::uint64_t half = most / 2;
    std::string shown(text.size() <= most ? text : text.substr(0, half));
    if (text.size() > most) shown.append(" ... ").append(text.substr(text.size() - half));
    for (char& c : shown) {
        if ((static_cast<unsigned char>(c) < ' ' && c != '\n') || c == '\x7f') c = '?';
    }
    return shown;
}

inline Bytes bytes_of(const std::vector<std::uint8_t>& owned) { return {owned.data(), owned.size()}; }

}  // namespace ckdispatch::device_code

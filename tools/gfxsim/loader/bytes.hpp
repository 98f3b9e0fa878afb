// SPDX-License-Identifier: MIT
// Bytes of a file or of this process's memory, read without leaving them.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "gfxsim/core/types.hpp"

namespace gfxsim {

/// A range that somebody else owns. Reads outside it throw std::runtime_error.
struct Bytes {
    const u8* data = nullptr;
    u64 size       = 0;

    bool holds(u64 offset, u64 bytes) const { return offset <= size && bytes <= size - offset; }
    /// The part that holds `what`, a noun for the message.
    Bytes part(u64 offset, u64 bytes, const char* what) const {
        if (!holds(offset, bytes)) throw std::runtime_error(std::string("it ends before its ") + what);
        return {data + offset, bytes};
    }
    template <class T>
    T read(u64 offset, const char* what) const {
        T value;
        std::memcpy(&value, part(offset, sizeof(T), what).data, sizeof(T));
        return value;
    }
    bool begins_with(std::string_view text) const {
        return holds(0, text.size()) && std::memcmp(data, text.data(), text.size()) == 0;
    }
};

inline Bytes bytes_of(const std::vector<u8>& owned) { return {owned.data(), owned.size()}; }

/// Bytes and where they came from, for messages.
struct Image {
    Bytes bytes;
    std::string file;
};

/// The readable memory that begins at an address: as far as the image there can reach, for its size is not known.
/// Throws std::runtime_error if nothing can be read there.
Image readable_from(const void* address);

/// A whole file. Throws std::runtime_error if it cannot be read.
std::vector<u8> read_file(const std::string& path);

}  // namespace gfxsim

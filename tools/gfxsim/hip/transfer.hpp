// SPDX-License-Identifier: MIT
// Copies and fills. Whatever the host writes to device memory passes through here.
#pragma once

#include "gfxsim/hip/api.hpp"

namespace gfxsim {

/// A box of rows. A copy of a plain range is one row.
struct Shape {
    std::size_t width = 0;  ///< in bytes
    std::size_t height = 1;
    std::size_t depth = 1;
};

/// Where a box lies: rows `pitch` bytes apart, slices `slice` bytes apart.
struct Place {
    void* pointer = nullptr;
    std::size_t pitch = 0;
    std::size_t slice = 0;
};

/// A HipError if a side leaves its allocation or is none although the kind says so.
void copy(const Place& to, const Place& from, const Shape& shape, hipMemcpyKind kind);
void copy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind);

/// Repeats the low `element` bytes of a value.
void fill(const Place& to, const Shape& shape, unsigned value, unsigned element);

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
// Ranges of addresses. Whatever a program puts into an address, no sum here wraps: all checks of memory go through
// these.
#pragma once

#include "gfxsim/core/types.hpp"

namespace gfxsim {

/// The addresses at which some accesses begin: none is below the first or above the last. Any address, unless more is
/// known.
class Bounds {
public:
    Bounds() = default;
    /// From `base` to `most` bytes behind it. Addresses wrap as on a GPU, and where these do, nothing is known about
    /// them.
    static Bounds from(u64 base, u64 most) {
        u64 last = 0;
        return __builtin_add_overflow(base, most, &last) ? Bounds() : Bounds(base, last);
    }
    void include(u64 address) {
        if (address < first_) first_ = address;
        if (address > last_) last_ = address;
    }
    /// To be filled by include().
    static Bounds of_none() { return Bounds(~u64(0), 0); }

    u64 first() const { return first_; }
    u64 last() const { return last_; }

private:
    Bounds(u64 first, u64 last) : first_(first), last_(last) {}

    u64 first_ = 0, last_ = ~u64(0);
};

/// Bytes of memory from `begin` up to `end`.
struct Span {
    u64 begin = 0;
    u64 end = 0;

    u64 size() const { return end - begin; }
    bool holds(u64 address, u64 bytes) const { return address >= begin && address < end && bytes <= end - address; }
    /// Whether it holds `bytes` at every address within the bounds.
    bool holds(const Bounds& bounds, u64 bytes) const { return bounds.first() >= begin && holds(bounds.last(), bytes); }
};

}  // namespace gfxsim

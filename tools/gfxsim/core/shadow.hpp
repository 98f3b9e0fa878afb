// SPDX-License-Identifier: MIT
// What the checking mode knows about the bytes of an allocation. Threads share it, so every access is atomic.
#pragma once

#include <memory>

#include "gfxsim/core/types.hpp"

namespace gfxsim {

struct Shadow {
    explicit Shadow(u64 size) : bytes(size), defined(new u8[size]()), writer(new u64[size / 4 + 1]()) {}

    u64 bytes;
    std::unique_ptr<u8[]> defined;  ///< per byte: 1 when it holds a value
    std::unique_ptr<u64[]> writer;  ///< per word: the launch and workgroup that stored to it last, or 0

    void define(u64 offset, u64 count, bool value = true) {
        for (u64 i = 0; i < count && offset + i < bytes; ++i)
            __atomic_store_n(&defined[offset + i], u8(value), __ATOMIC_RELAXED);
    }
    bool is_defined(u64 offset, u64 count) const {
        for (u64 i = 0; i < count; ++i) {
            if (!__atomic_load_n(&defined[offset + i], __ATOMIC_RELAXED)) return false;
        }
        return true;
    }
};

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
//
// Host pass only: what CK can address.
#pragma once

#include <cstdint>

namespace ck_kernel {

// CK addresses a tensor by 32-bit byte offsets from one buffer descriptor.
inline bool fits_descriptor(std::int64_t rows, std::int64_t stride, int bytes) {
    constexpr std::int64_t limit = INT64_C(1) << 31;
    return stride < limit && rows < limit && rows * stride < limit / bytes;
}

inline bool misaligned(const void* pointer, int bytes) {
    return reinterpret_cast<std::uintptr_t>(pointer) % static_cast<std::uintptr_t>(bytes) != 0;
}

}  // namespace ck_kernel

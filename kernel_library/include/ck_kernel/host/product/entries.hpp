// SPDX-License-Identifier: MIT
//
// Host pass only: the device functions of a kernel that computes a product, and the phases that they have.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ck_kernel/plan/product/config.hpp"
#include "ck_kernel_abi.h"

namespace ck_kernel::gemm {

// A device function of the library and the loops it serves; where there is only one, it serves them all.
struct Entry {
    LoopVariant variant;
    const void* function;
};

inline const Entry* find_entry(const Config& config, const Entry* entries, std::size_t count, int loops) {
    if (chooses_loops_on_device(config)) return entries;
    const LoopVariant wanted = loop_variant(config, loops);
    for (std::size_t i = 0; i < count; ++i)
        if (entries[i].variant == wanted) return &entries[i];
    return nullptr;
}

// Parts are added to zero, or each has a place of its own until they are added up.
inline std::uint32_t phases_of(SplitK split_k) {
    std::uint32_t phases = CK_PHASE_COMPUTE;
    if (split_k == SplitK::atomic) phases |= CK_PHASE_CLEAR;
    if (split_k == SplitK::workspace) phases |= CK_PHASE_COMBINE;
    return phases;
}

}  // namespace ck_kernel::gemm

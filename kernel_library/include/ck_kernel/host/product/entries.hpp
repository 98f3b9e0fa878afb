// SPDX-License-Identifier: MIT
//
// Host pass only: the device functions of a kernel that computes a product.
#pragma once

#include <cstddef>

#include "ck_kernel/plan/product/config.hpp"

namespace ck_kernel::gemm {

// A device function of the library and the loops it serves; where there is only one, it serves them all.
struct Entry {
    LoopVariant variant;
    const void* function;
};

inline const Entry* find_entry(const Config& config, const Entry* entries, std::size_t count, int loops)
{
    if(chooses_loops_on_device(config))
        return entries;
    const LoopVariant wanted = loop_variant(config, loops);
    for(std::size_t i = 0; i < count; ++i)
        if(entries[i].variant == wanted)
            return &entries[i];
    return nullptr;
}

} // namespace ck_kernel::gemm

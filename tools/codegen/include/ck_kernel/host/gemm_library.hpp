// SPDX-License-Identifier: MIT
//
// Host pass only: what a GEMM kernel library consists of.
#pragma once

#include <cstddef>

#include "ck_kernel/plan/gemm.hpp"

namespace ck_kernel::gemm {

// A device function of the library and the loops it serves; where there is only one, it serves them all.
struct Entry {
    LoopVariant variant;
    const void* function;
};

struct Library {
    Config config;
    const char* name;
    const Entry* entries;
    std::size_t entry_count;
    const void* add_parts; // the device function that adds up what waits in a workspace, or null
};

inline const Entry* find_entry(const Library& library, int loops)
{
    if(chooses_loops_on_device(library.config))
        return library.entries;
    const LoopVariant wanted = loop_variant(library.config, loops);
    for(std::size_t i = 0; i < library.entry_count; ++i)
        if(library.entries[i].variant == wanted)
            return &library.entries[i];
    return nullptr;
}

} // namespace ck_kernel::gemm

// SPDX-License-Identifier: MIT
//
// Host pass only: what a GEMM kernel library consists of.
#pragma once

#include <cstddef>

#include "ck_gemm_problem.h"
#include "ck_kernel/plan/gemm.hpp"

namespace ck_kernel::gemm {

// A device function of the library and the loops it serves; where there is only one, it serves them all.
struct Entry {
    LoopVariant variant;
    const void* function;
};

struct Library {
    using Problem = ck_gemm_problem;

    static constexpr ck_family kFamily = CK_FAMILY_GEMM;
    static constexpr char kComputes[]  = "a GEMM";
    static constexpr char kProblem[]   = "ck_gemm_problem";

    Config config;
    const char* name;
    const Entry* entries;
    std::size_t entry_count;
    const void* add_parts; // the device function that adds up what waits in a workspace, or null
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

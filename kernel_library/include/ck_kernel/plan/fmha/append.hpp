// SPDX-License-Identifier: MIT
//
// Both passes: the arguments of the kernel that puts new keys behind those of a cache, and rotates them and q.
#pragma once

#include <cstdint>

#include "ck_kernel/plan/fmha/attention.hpp"

namespace ck_kernel::fmha {

struct AppendArgs {
    Strided<> k_new, v_new;
    Strided<void> q, k, v;
    const void *rotary_cos, *rotary_sin;
    const std::int32_t *seqlen_k, *block_table, *cache_index;
    std::int32_t* seqlen_after;  // of each sequence; or null
    std::int32_t heads_q, group_heads;
    std::int32_t seqlen_of_q, seqlen_new;
    std::int32_t hdim_q, hdim_v, rotary_dim;
    std::int32_t q_by_row;  // whether rows of q are at positions one after the other, or all at the first new one
    std::int32_t table_row, page_rows;
};

}  // namespace ck_kernel::fmha

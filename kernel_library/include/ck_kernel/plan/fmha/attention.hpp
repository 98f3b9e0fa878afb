// SPDX-License-Identifier: MIT
//
// Both passes: the arguments of the kernels that compute an attention or parts of one: fwd, splitkv, pagedkv,
// batch_prefill.
//
// They are ours and not CK's, whose layout follows the features of each kernel: device code copies what a kernel has.
#pragma once

#include <cstdint>

namespace ck_kernel::fmha {

// A tensor whose last dimension is contiguous: elements from one row, head, sequence (or page) and part to the next.
template <typename T = const void>
struct Strided {
    T* data;
    std::int32_t row, head, batch, part;
};

struct AttentionArgs {
    Strided<> q, k, v, bias;
    Strided<void> o, lse, randval;  // of splitkv o_acc and lse_acc

    const std::int32_t *seqstart_q, *seqstart_k, *seqlen_q, *seqlen_k;
    const std::int32_t *block_table, *cache_index;  // the stride of the table is `table_row`
    const std::int32_t *kv_indptr, *kv_pages;
    const std::uint64_t *drop_seed_at, *drop_offset_at;
    std::uint64_t drop_seed, drop_offset;

    std::int32_t batch, heads_q, group_heads;  // group_heads: query heads that share a head of k
    std::int32_t seqlen_of_q, seqlen_of_k;
    std::int32_t hdim_q, hdim_v;
    std::int32_t window_left, window_right;
    std::int32_t top_left;  // whether row i is at column i; else the last row is at the last column
    std::int32_t min_seqlen_q;
    std::int32_t parts;
    std::int32_t table_row, page_rows, pages;

    float scale;  // times log2(e)
    float scale_p, scale_o;
    float soft_cap, soft_cap_rcp;
    float rp_undrop;  // 1 / (1 - p)
    std::uint8_t undrop_byte;
    std::uint8_t stores_randval;
};

}  // namespace ck_kernel::fmha

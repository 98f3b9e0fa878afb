// SPDX-License-Identifier: MIT
//
// Device pass only: the kernels that compute an attention or parts of one, with the arguments that CK wants.
//
// CK's arguments have the fields of the features that a kernel has, and no others; each is copied where it is.
#pragma once

#include "ck_kernel/plan/fmha/attention.hpp"
#include "ck_tile/core.hpp"
#include "ck_tile/ops/fmha/block/block_attention_bias_enum.hpp"
#include "ck_tile/ops/fmha/block/block_masking.hpp"

namespace ck_kernel::fmha {

// Sequences of mode batch lie along z of the grid, in every kernel.
__device__ inline std::int32_t sequence() { return static_cast<std::int32_t>(blockIdx.z); }

// How far a sequence of k and v is from where CK will look for it: the cache may have them in another order.
__device__ inline std::int64_t detour(const std::int32_t* cache_index) {
    return cache_index ? static_cast<std::int64_t>(cache_index[sequence()]) - sequence() : 0;
}

__device__ inline std::int32_t length(const std::int32_t* lengths, std::int32_t otherwise) {
    return lengths ? lengths[sequence()] : otherwise;
}

template <typename T>
__device__ const void* moved(const Strided<>& tensor, std::int64_t batches) {
    return static_cast<const T*>(tensor.data) + batches * tensor.batch;
}

// Whether a workgroup of mode batch has no rows, because its sequence is shorter than others: CK would take a sequence
// without rows for one without end. Of packed ones it knows this itself.
template <typename Kernel>
__device__ bool has_no_rows(const typename Kernel::Kargs& args, std::int32_t rows) {
    if constexpr (Kernel::kIsGroupMode) return false;
    else
        return rows <= static_cast<std::int32_t>(Kernel::GetTileIndex(args).at(ck_tile::number<0>{})) *
                           Kernel::FmhaPipeline::kM0;
}

// What all of them have, but for o and lse, whose fields splitkv calls otherwise.
template <typename Kernel>
__device__ void fill_common(typename Kernel::Kargs& to, const AttentionArgs& args) {
    using Enum = ck_tile::BlockAttentionBiasEnum;

    to.q_ptr = args.q.data;
    to.k_ptr = args.k.data;
    to.v_ptr = args.v.data;
    to.seqlen_q = args.seqlen_of_q;
    to.seqlen_k = args.seqlen_of_k;
    to.hdim_q = args.hdim_q;
    to.hdim_v = args.hdim_v;
    to.num_head_q = args.heads_q;
    to.nhead_ratio_qk = args.group_heads;
    to.scale_s = args.scale;
    to.stride_q = args.q.row;
    to.stride_k = args.k.row;
    to.stride_v = args.v.row;
    to.nhead_stride_q = args.q.head;
    to.nhead_stride_k = args.k.head;
    to.nhead_stride_v = args.v.head;
    if constexpr (Kernel::BiasEnum == Enum::ELEMENTWISE_BIAS) {
        to.bias_ptr = args.bias.data;
        to.stride_bias = args.bias.row;
        to.nhead_stride_bias = args.bias.head;
        if constexpr (!Kernel::kIsGroupMode) to.batch_stride_bias = args.bias.batch;
    } else if constexpr (Kernel::BiasEnum == Enum::ALIBI) {
        to.alibi_slope_ptr = args.bias.data;
        to.alibi_slope_stride = args.bias.batch;
    }
    if constexpr (Kernel::kHasMask) {
        to.window_size_left = args.window_left;
        to.window_size_right = args.window_right;
        to.mask_type = args.top_left ? ck_tile::GenericAttentionMaskEnum::MASK_FROM_TOP_LEFT
                                     : ck_tile::GenericAttentionMaskEnum::MASK_FROM_BOTTOM_RIGHT;
    }
    if constexpr (Kernel::kDoFp8StaticQuant) to.scale_p = args.scale_p;
    if constexpr (Kernel::kHasLogitsSoftCap) {
        to.logits_soft_cap = args.soft_cap;
        to.logits_soft_cap_rcp = args.soft_cap_rcp;
    }
    if constexpr (!Kernel::kIsGroupMode) {
        to.batch_stride_q = args.q.batch;
        to.seqlen_q = length(args.seqlen_q, args.seqlen_of_q);
    }
}

template <typename Kernel>
__device__ void fill_output(typename Kernel::Kargs& to, const AttentionArgs& args) {
    to.o_ptr = args.o.data;
    to.stride_o = args.o.row;
    to.nhead_stride_o = args.o.head;
    if constexpr (!Kernel::kIsGroupMode) to.batch_stride_o = args.o.batch;
    if constexpr (Kernel::kStoreLSE) {
        to.lse_ptr = args.lse.data;
        to.nhead_stride_lse = args.lse.head;
        to.batch_stride_lse = args.lse.batch;
    }
    if constexpr (Kernel::kDoFp8StaticQuant) to.scale_o = args.scale_o;
}

template <typename Kernel>
__device__ void fill_dropout(typename Kernel::Kargs& to, const AttentionArgs& args) {
    if constexpr (Kernel::kHasDropout) {
        const bool given = args.drop_seed_at == nullptr;
        if (given) {
            to.drop_seed.val = args.drop_seed;
            to.drop_offset.val = args.drop_offset;
        } else {
            to.drop_seed.ptr = args.drop_seed_at;
            to.drop_offset.ptr = args.drop_offset_at;
        }
        to.is_drop_seed_offset_from_host = given;
        to.rp_undrop = args.rp_undrop;
        to.p_undrop_in_uint8_t = args.undrop_byte;
        to.is_store_randval = args.stores_randval != 0;
        to.rand_val_ptr = args.randval.data;
        to.stride_randval = args.randval.row;
        to.nhead_stride_randval = args.randval.head;
        if constexpr (!Kernel::kIsGroupMode) to.batch_stride_randval = args.randval.batch;
    }
}

// Keys in sequences or in pages: splitkv and pagedkv.
template <typename Kernel>
__device__ void fill_cache(typename Kernel::Kargs& to, const AttentionArgs& args) {
    to.seqlen_k_ptr = args.seqlen_k;
    if constexpr (Kernel::kIsPagedKV) {
        to.block_table_ptr = args.block_table + detour(args.cache_index) * args.table_row;
        to.batch_stride_block_table = args.table_row;
        to.page_block_size = args.page_rows;
    } else if constexpr (!Kernel::kIsGroupMode) to.cache_batch_idx = args.cache_index;
    if constexpr (Kernel::kIsGroupMode) {
        to.seqstart_q_ptr = args.seqstart_q;
        to.seqstart_k_ptr = args.seqstart_k;
    }
    to.batch_stride_k = args.k.batch;
    to.batch_stride_v = args.v.batch;
}

template <typename Kernel>
__device__ void run_forward(const AttentionArgs& args) {
    typename Kernel::Kargs to{};
    fill_common<Kernel>(to, args);
    fill_output<Kernel>(to, args);
    fill_dropout<Kernel>(to, args);
    if constexpr (Kernel::kIsGroupMode) {
        to.seqstart_q_ptr = args.seqstart_q;
        to.seqstart_k_ptr = args.seqstart_k;
        to.seqlen_q_ptr = args.seqlen_q;
        to.seqlen_k_ptr = args.seqlen_k;
        if constexpr (Kernel::kSkipMinSeqlenQ) to.min_seqlen_q = args.min_seqlen_q;
    } else {
        const auto by = detour(args.cache_index);
        to.k_ptr = moved<typename Kernel::KDataType>(args.k, by);
        to.v_ptr = moved<typename Kernel::VDataType>(args.v, by);
        to.batch_stride_k = args.k.batch;
        to.batch_stride_v = args.v.batch;
        to.seqlen_k = length(args.seqlen_k, args.seqlen_of_k);
    }
    if (has_no_rows<Kernel>(to, to.seqlen_q)) return;
    Kernel{}(to);
}

template <typename Kernel>
__device__ void run_paged(const AttentionArgs& args) {
    typename Kernel::Kargs to{};
    fill_common<Kernel>(to, args);
    fill_output<Kernel>(to, args);
    fill_cache<Kernel>(to, args);
    if constexpr (Kernel::kIsGroupMode && Kernel::kSkipMinSeqlenQ) to.min_seqlen_q = args.min_seqlen_q;
    if (has_no_rows<Kernel>(to, to.seqlen_q)) return;
    Kernel{}(to);
}

template <typename Kernel>
__device__ void run_split(const AttentionArgs& args) {
    typename Kernel::Kargs to{};
    fill_common<Kernel>(to, args);
    fill_cache<Kernel>(to, args);
    to.batch = args.batch;
    to.num_splits = args.parts;
    to.lse_acc_ptr = args.lse.data;
    to.o_acc_ptr = args.o.data;
    to.stride_o_acc = args.o.row;
    to.nhead_stride_lse_acc = args.lse.head;
    to.nhead_stride_o_acc = args.o.head;
    to.split_stride_lse_acc = args.lse.part;
    to.split_stride_o_acc = args.o.part;
    if constexpr (!Kernel::kIsGroupMode) {
        to.batch_stride_lse_acc = args.lse.batch;
        to.batch_stride_o_acc = args.o.batch;
    }
    if (has_no_rows<Kernel>(to, to.seqlen_q * (Kernel::kMergeNumHeadGroupsSeqLenQ ? args.group_heads : 1))) return;
    Kernel{}(to);
}

template <typename Kernel>
__device__ void run_listed(const AttentionArgs& args) {
    typename Kernel::Kargs to{};
    fill_common<Kernel>(to, args);
    fill_output<Kernel>(to, args);
    fill_dropout<Kernel>(to, args);
    to.num_total_pages = args.pages;
    to.kv_indptr = args.kv_indptr;
    to.kv_page_indices = args.kv_pages;
    to.batch_stride_k = args.k.batch;
    to.batch_stride_v = args.v.batch;
    if constexpr (Kernel::kIsGroupMode) to.seqstart_q_ptr = args.seqstart_q;
    if (has_no_rows<Kernel>(to, to.seqlen_q)) return;
    Kernel{}(to);
}

}  // namespace ck_kernel::fmha

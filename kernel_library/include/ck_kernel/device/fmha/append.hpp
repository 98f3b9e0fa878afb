// SPDX-License-Identifier: MIT
//
// Device pass only: the kernel that appends to a cache, with the arguments that CK wants.
#pragma once

#include "ck_kernel/device/fmha/attention.hpp"
#include "ck_kernel/plan/fmha/append.hpp"
#include "ck_tile/ops/fmha/block/block_rotary_embedding.hpp"
#include "ck_tile/ops/fmha/block/page_block_navigator.hpp"
#include "ck_tile/ops/fmha/kernel/fmha_fwd_appendkv_kernel.hpp"
#include "ck_tile/ops/fmha/pipeline/block_fmha_fwd_appendkv_pipeline.hpp"
#include "ck_tile/ops/fmha/pipeline/block_fmha_pipeline_problem.hpp"
#include "ck_tile/ops/fmha/pipeline/tile_fmha_traits.hpp"

namespace ck_kernel::fmha {

template <typename Kernel>
__device__ void run_append(const AppendArgs& args) {
    typename Kernel::Kargs to{};
    to.q_ptr = args.q.data;
    to.k_ptr = args.k.data;
    to.knew_ptr = args.k_new.data;
    to.v_ptr = args.v.data;
    to.vnew_ptr = args.v_new.data;
    to.seqlen_k_ptr = args.seqlen_k;
    to.seqlen_q = args.seqlen_of_q;
    to.hdim_q = args.hdim_q;
    to.hdim_v = args.hdim_v;
    to.num_head_q = args.heads_q;
    to.nhead_ratio_qk = args.group_heads;
    to.stride_q = args.q.row;
    to.stride_k = args.k.row;
    to.stride_knew = args.k_new.row;
    to.stride_v = args.v.row;
    to.stride_vnew = args.v_new.row;
    to.nhead_stride_q = args.q.head;
    to.nhead_stride_k = args.k.head;
    to.nhead_stride_knew = args.k_new.head;
    to.nhead_stride_v = args.v.head;
    to.nhead_stride_vnew = args.v_new.head;
    to.batch_stride_q = args.q.batch;
    to.batch_stride_k = args.k.batch;
    to.batch_stride_knew = args.k_new.batch;
    to.batch_stride_v = args.v.batch;
    to.batch_stride_vnew = args.v_new.batch;
    // Workgroups of all heads of q that share a head of k would append the same: the first one does it.
    to.seqlen_knew = blockIdx.y % static_cast<unsigned>(args.group_heads) == 0 ? args.seqlen_new : 0;
    if constexpr (Kernel::kApplyRoPE) {
        to.rotary_cos_ptr = args.rotary_cos;
        to.rotary_sin_ptr = args.rotary_sin;
        to.rotary_dim = args.rotary_dim;
        to.has_mask = args.q_by_row != 0;
    }
    if constexpr (Kernel::kIsPagedKV) {
        to.block_table_ptr = args.block_table + detour(args.cache_index) * args.table_row;
        to.batch_stride_block_table = args.table_row;
        to.page_block_size = args.page_rows;
    } else to.cache_batch_idx = args.cache_index;
    if (args.seqlen_after && blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0)
        args.seqlen_after[sequence()] = args.seqlen_k[sequence()] + args.seqlen_new;
    Kernel{}(to);
}

}  // namespace ck_kernel::fmha

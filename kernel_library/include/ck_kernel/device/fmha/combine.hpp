// SPDX-License-Identifier: MIT
//
// Device pass only: the kernel that puts parts of an attention together, with the arguments that CK wants.
#pragma once

#include "ck_kernel/device/fmha/attention.hpp"
#include "ck_kernel/plan/fmha/combine.hpp"
#include "ck_tile/ops/fmha/kernel/fmha_fwd_splitkv_combine_kernel.hpp"
#include "ck_tile/ops/fmha/pipeline/block_fmha_fwd_splitkv_combine_pipeline.hpp"
#include "ck_tile/ops/fmha/pipeline/block_fmha_pipeline_problem.hpp"
#include "ck_tile/ops/fmha/pipeline/tile_fmha_traits.hpp"

namespace ck_kernel::fmha {

template <typename Kernel>
__device__ void run_combine(const CombineArgs& args) {
    using Problem = typename Kernel::FmhaPipeline::Problem;
    static_assert(Problem::NThreads == kCombineLanesOfRow, "CK gives a row other lanes");

    typename Kernel::Kargs to{};
    to.lse_acc_ptr = args.lse_acc.data;
    to.o_acc_ptr = args.o_acc.data;
    to.o_ptr = args.o.data;
    to.batch = args.batch;
    to.seqlen_q = args.seqlen_of_q;
    to.hdim_v = args.hdim_v;
    to.num_splits = args.parts;
    to.row_stride_o_acc = args.o_acc.row;
    to.row_stride_o = args.o.row;
    to.nhead_stride_lse_acc = args.lse_acc.head;
    to.nhead_stride_o_acc = args.o_acc.head;
    to.nhead_stride_o = args.o.head;
    to.split_stride_lse_acc = args.lse_acc.part;
    to.split_stride_o_acc = args.o_acc.part;
    if constexpr (Kernel::kStoreLSE) {
        to.lse_ptr = args.lse.data;
        to.nhead_stride_lse = args.lse.head;
        to.batch_stride_lse = args.lse.batch;
    }
    if constexpr (Kernel::kDoFp8StaticQuant) to.scale_o = args.scale_o;
    if constexpr (Kernel::kIsGroupMode) to.seqstart_q_ptr = args.seqstart_q;
    else {
        to.seqlen_q = length(args.seqlen_q, args.seqlen_of_q);
        to.batch_stride_lse_acc = args.lse_acc.batch;
        to.batch_stride_o_acc = args.o_acc.batch;
        to.batch_stride_o = args.o.batch;
    }
    if (has_no_rows<Kernel>(to, to.seqlen_q)) return;
    Kernel{}(to);
}

}  // namespace ck_kernel::fmha

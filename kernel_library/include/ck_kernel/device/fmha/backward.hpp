// SPDX-License-Identifier: MIT
//
// Device pass only: CK's kernels of the gradients, and how their arguments follow from ours.
#pragma once

#include <type_traits>

#include "ck_kernel/device/fmha/attention.hpp"
#include "ck_kernel/device/fmha/forward.hpp"
#include "ck_kernel/plan/fmha/backward.hpp"
#include "ck_tile/core.hpp"
#include "ck_tile/ops/epilogue/default_2d_epilogue.hpp"
#include "ck_tile/ops/fmha/block/block_dropout.hpp"
#include "ck_tile/ops/fmha/block/block_masking.hpp"
#include "ck_tile/ops/fmha/block/block_position_encoding.hpp"
#include "ck_tile/ops/fmha/kernel/fmha_bwd_kernel.hpp"
#include "ck_tile/ops/fmha/pipeline/block_fmha_bwd_convert_dq.hpp"
#include "ck_tile/ops/fmha/pipeline/block_fmha_bwd_dot_do_o.hpp"
#include "ck_tile/ops/fmha/pipeline/block_fmha_bwd_pipeline_problem.hpp"
#include "ck_tile/ops/fmha/pipeline/tile_fmha_shape.hpp"
#include "ck_tile/ops/fmha/pipeline/tile_fmha_traits.hpp"

namespace ck_kernel::fmha {

// The tile is that of the specification and both head sizes; waves and warp tiles are those of the products that make S
// and dP, dV and dK, dQ.
template <typename Tile, typename WavesS, typename WavesD, typename WavesQ, typename WarpS, typename WarpD,
          int MostRows>
struct GradientShape {
    // dQ sums over the keys of a tile, of which there may be fewer than the depth of S's instruction.
    static constexpr int kDepth = Tile::at(6) < WarpS::at(2) ? Tile::at(6) : WarpS::at(2);
    using WarpQ = ck_tile::sequence<WarpS::at(0), WarpS::at(1), kDepth>;
    using type = ck_tile::TileFmhaBwdShape<Tile, WavesS, WarpS, WavesD, WarpD, WavesS, WarpS, WavesD, WarpD, WavesQ,
                                           WarpQ, MostRows>;
};

template <typename T, typename Shape, bool Group, bool Mask, ck_tile::BlockAttentionBiasEnum Bias, bool BiasGrad,
          bool DropoutOn, bool Deterministic, int PadQ, int PadV, bool TransposedLoads, int Occupancy>
struct Gradient {
    using Traits = ck_tile::TileFmhaBwdTraits<PadQ, PadV, Bias, BiasGrad, Occupancy>;
    using Masks = ck_tile::SimplifiedGenericAttentionMask<Mask>;
    using Drops = ck_tile::BlockDropoutBwd<DropoutOn, Shape::Gemm0WarpTile::at(0) == 32, false>;
    using Problem =
        ck_tile::BlockFmhaBwdPipelineProblem<T, T, T, T, float, float, float, T, std::uint8_t, T, T, T, T, T, T, Shape,
                                             Group, Deterministic, Masks, Drops, TransposedLoads, Traits>;
    // CK's choice keeps the rows of the next step in registers, where WMMA has too few, and orders MFMA instructions,
    // of which it has none.
    using Pipeline =
        std::conditional_t<ck_tile::get_warp_size() == 32, ck_tile::BlockFmhaBwdDQDKDVPipelineKRKTRVR<Problem>,
                           ck_tile::BlockFmhaBwdDQDKDVPipeline<Problem>>;

    template <bool Padded>
    using Epilogue = ck_tile::Default2DEpilogue<ck_tile::Default2DEpilogueProblem<float, T, false, Padded, kRawStores>>;
    // Only kernels for few rows have dq whole and store it.
    using EpilogueQ = std::conditional_t<(Shape::kMaxSeqLenQ > 0), Epilogue<(PadQ > 0)>, void>;
    using Kernel = ck_tile::FmhaBwdDQDKDVKernel<Pipeline, Epilogue<(PadQ > 0)>, Epilogue<(PadV > 0)>, EpilogueQ>;
};

template <typename T, int HeadV, bool Group, bool PadRows, bool PadV, int Rows, int Occupancy>
using DotKernel =
    ck_tile::FmhaBwdOGradDotOKernel<ck_tile::BlockFmhaBwdOGradDotO<ck_tile::BlockFmhaBwdOGradDotOPipelineProblem<
        T, T, float, Rows, HeadV, Group, ck_tile::TileFmhaBwdOGradDotOTraits<PadRows, PadV, Occupancy>>>>;

template <typename T, int HeadQ, bool Group, bool Deterministic, bool PadRows, bool PadQ, int Rows, int Columns,
          int Occupancy>
using ConvertKernel = ck_tile::FmhaBwdConvertQGradKernel<
    ck_tile::BlockFmhaBwdConvertQGrad<ck_tile::BlockFmhaBwdConvertQGradPipelineProblem<
        float, T, 256, Rows, Columns, HeadQ, Group, Deterministic,
        ck_tile::TileFmhaBwdConvertQGradTraits<PadRows, PadQ, Occupancy>>>>;

template <typename Kernel>
__device__ void run_dot(const DotArgs& args) {
    typename Kernel::Kargs k{};
    k.o_ptr = args.o.data;
    k.do_ptr = args.d_o.data;
    k.d_ptr = args.d.data;
    k.p_undrop = args.keep;
    k.seqlen_q = args.seqlen_q;
    k.hdim_v = args.hdim_v;
    k.stride_do = args.d_o.row;
    k.stride_o = args.o.row;
    k.nhead_stride_do = args.d_o.head;
    k.nhead_stride_o = args.o.head;
    k.nhead_stride_d = args.d.head;
    if constexpr (Kernel::kIsGroupMode) {
        k.seqstart_q_ptr = args.rows.start;
        k.seqlen_q_ptr = args.rows.length;
    } else {
        k.batch_stride_do = args.d_o.batch;
        k.batch_stride_o = args.o.batch;
        k.batch_stride_d = args.d.batch;
        k.seqlen_q = length(args.rows.length, args.seqlen_q);
        if (k.seqlen_q <= static_cast<std::int32_t>(blockIdx.x) * Kernel::kM0) return;
    }
    Kernel{}(k);
}

// The rows that a workgroup would convert, where there are no keys: CK would take no parts for all that there are.
template <typename Kernel>
__device__ void clear_rows(const ConvertArgs& args) {
    const int at = sequence();
    std::int64_t place_at = static_cast<std::int64_t>(blockIdx.y) * args.dq.head;
    int rows = length(args.rows.length, args.seqlen_q);
    if constexpr (Kernel::kIsGroupMode) {
        place_at += static_cast<std::int64_t>(args.rows.start[at]) * args.dq.row;
        if (!args.rows.length) rows = args.rows.start[at + 1] - args.rows.start[at];
    } else place_at += static_cast<std::int64_t>(at) * args.dq.batch;
    auto* const place = static_cast<typename Kernel::QGradDataType*>(args.dq.data) + place_at;
    const int first = blockIdx.x * Kernel::kM0;
    const int last = first + Kernel::kM0 < rows ? first + Kernel::kM0 : rows;
    for (int row = first; row < last; ++row)
        for (int column = threadIdx.x; column < args.hdim_q; column += Kernel::kBlockSize)
            place[static_cast<std::int64_t>(row) * args.dq.row + column] =
                ck_tile::type_convert<typename Kernel::QGradDataType>(0.f);
}

template <typename Kernel>
__device__ void run_convert(const ConvertArgs& args) {
    if constexpr (Kernel::kIsDeterministic) {
        const bool packed = Kernel::kIsGroupMode && !args.columns.length;
        const int keys = packed ? args.columns.start[sequence() + 1] - args.columns.start[sequence()]
                                : length(args.columns.length, args.seqlen_k);
        if (keys == 0) return clear_rows<Kernel>(args);
    }
    typename Kernel::Kargs k{};
    k.dq_acc_ptr = args.dq_acc.data;
    k.dq_ptr = args.dq.data;
    k.seqlen_q = args.seqlen_q;
    k.seqlen_k = args.seqlen_k;
    k.hdim_q = args.hdim_q;
    k.stride_dq = args.dq.row;
    k.stride_dq_acc = args.dq_acc.row;
    k.nhead_stride_dq = args.dq.head;
    k.nhead_stride_dq_acc = args.dq_acc.head;
    if constexpr (Kernel::kIsDeterministic) k.split_stride_dq_acc = args.dq_acc.part;
    if constexpr (Kernel::kIsGroupMode) {
        k.seqstart_q_ptr = args.rows.start;
        k.seqstart_k_ptr = args.columns.start;
        k.seqlen_q_ptr = args.rows.length;
        k.seqlen_k_ptr = args.columns.length;
    } else {
        k.batch_stride_dq = args.dq.batch;
        k.batch_stride_dq_acc = args.dq_acc.batch;
        k.seqlen_q = length(args.rows.length, args.seqlen_q);
        k.seqlen_k = length(args.columns.length, args.seqlen_k);
        if (k.seqlen_q <= static_cast<std::int32_t>(blockIdx.x) * Kernel::kM0) return;
    }
    Kernel{}(k);
}

// What only some kernels have.
template <typename Kernel>
__device__ void fill_features(typename Kernel::Kargs& k, const GradientArgs& args) {
    using ck_tile::BlockAttentionBiasEnum;
    if constexpr (Kernel::BiasEnum == BlockAttentionBiasEnum::ELEMENTWISE_BIAS) {
        k.bias_ptr = args.bias.data;
        k.stride_bias = args.bias.row;
        k.nhead_stride_bias = args.bias.head;
    }
    if constexpr (Kernel::BiasEnum == BlockAttentionBiasEnum::ALIBI) {
        k.alibi_slope_ptr = args.bias.data;
        k.alibi_slope_stride = args.bias.batch;
    }
    if constexpr (Kernel::kHasBiasGrad) {
        k.dbias_ptr = args.dbias.data;
        k.stride_dbias = args.dbias.row;
        k.nhead_stride_dbias = args.dbias.head;
    }
    if constexpr (Kernel::kHasMask) {
        k.window_size_left = args.window_left;
        k.window_size_right = args.window_right;
        k.mask_type = args.top_left ? ck_tile::GenericAttentionMaskEnum::MASK_FROM_TOP_LEFT
                                    : ck_tile::GenericAttentionMaskEnum::MASK_FROM_BOTTOM_RIGHT;
    }
    if constexpr (Kernel::kHasDropout) {
        // Values and addresses share their place.
        k.drop_seed.val = args.dropout.seed;
        k.drop_offset.val = args.dropout.offset;
        k.is_drop_seed_offset_from_host = !args.dropout.on_device;
        k.rp_undrop = args.dropout.weight;
        k.scale_rp_undrop = args.dropout.weight_scaled;
        k.p_undrop_in_uint8_t = args.dropout.keep;
    }
    if constexpr (Kernel::kIsDeterministic) k.split_stride_dq_acc = args.dq_acc.part;
}

template <typename Kernel>
__device__ void run_gradient(const GradientArgs& args) {
    typename Kernel::Kargs k{};
    k.q_ptr = args.q.data;
    k.k_ptr = args.k.data;
    k.v_ptr = args.v.data;
    k.lse_ptr = args.lse.data;
    k.do_ptr = args.d_o.data;
    k.d_ptr = args.d;
    k.dq_acc_ptr = args.dq_acc.data;
    k.dk_ptr = args.dk.data;
    k.dv_ptr = args.dv.data;
    k.seqlen_q = args.seqlen_q;
    k.seqlen_k = args.seqlen_k;
    k.hdim_q = args.hdim_q;
    k.hdim_v = args.hdim_v;
    k.num_head_q = args.heads_q;
    k.nhead_ratio_qk = args.group_heads;
    k.raw_scale = args.scale;
    k.scale = args.scale_log2;
    k.stride_q = args.q.row;
    k.stride_k = args.k.row;
    k.stride_v = args.v.row;
    k.stride_do = args.d_o.row;
    k.stride_dq_acc = args.dq_acc.row;
    k.stride_dk = args.dk.row;
    k.stride_dv = args.dv.row;
    k.nhead_stride_q = args.q.head;
    k.nhead_stride_k = args.k.head;
    k.nhead_stride_v = args.v.head;
    k.nhead_stride_do = args.d_o.head;
    k.nhead_stride_lsed = args.lse.head;
    k.nhead_stride_dq_acc = args.dq_acc.head;
    k.nhead_stride_dk = args.dk.head;
    k.nhead_stride_dv = args.dv.head;
    fill_features<Kernel>(k, args);
    if constexpr (Kernel::kIsGroupMode) {
        k.seqstart_q_ptr = args.rows.start;
        k.seqstart_k_ptr = args.columns.start;
        k.seqlen_q_ptr = args.rows.length;
        k.seqlen_k_ptr = args.columns.length;
    } else {
        k.batch_stride_q = args.q.batch;
        k.batch_stride_k = args.k.batch;
        k.batch_stride_v = args.v.batch;
        k.batch_stride_do = args.d_o.batch;
        k.batch_stride_lsed = args.lse.batch;
        k.batch_stride_dq_acc = args.dq_acc.batch;
        k.batch_stride_dk = args.dk.batch;
        k.batch_stride_dv = args.dv.batch;
        if constexpr (Kernel::BiasEnum == ck_tile::BlockAttentionBiasEnum::ELEMENTWISE_BIAS)
            k.batch_stride_bias = args.bias.batch;
        if constexpr (Kernel::kHasBiasGrad) k.batch_stride_dbias = args.dbias.batch;
        k.seqlen_q = length(args.rows.length, args.seqlen_q);
        k.seqlen_k = length(args.columns.length, args.seqlen_k);
        if (k.seqlen_q == 0 || k.seqlen_k <= static_cast<std::int32_t>(blockIdx.x) * Kernel::FmhaPipeline::kN0) return;
    }
    Kernel{}(k);
}

}  // namespace ck_kernel::fmha

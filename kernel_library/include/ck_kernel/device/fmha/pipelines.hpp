// SPDX-License-Identifier: MIT
//
// Device pass only: CK's forward pipelines, as this GPU needs them.
#pragma once

#include "ck_kernel/device/fmha/p_by_exchange.hpp"
#include "ck_tile/ops/fmha/pipeline/block_fmha_batch_prefill_pipeline_qr_ks_vs_async.hpp"
#include "ck_tile/ops/fmha/pipeline/block_fmha_fwd_pagedkv_pipeline_qr_ks_vs.hpp"
#include "ck_tile/ops/fmha/pipeline/block_fmha_fwd_splitkv_pipeline_qr_ks_vs.hpp"
#include "ck_tile/ops/fmha/pipeline/block_fmha_pipeline_qr_ks_vs.hpp"
#include "ck_tile/ops/fmha/pipeline/block_fmha_pipeline_qr_ks_vs_async.hpp"
#if defined(__gfx950__)
#include "ck_tile/ops/fmha/pipeline/block_fmha_pipeline_qr_ks_vs_async_trload.hpp"
#endif

namespace ck_kernel::fmha {

template <typename Problem>
using Qr = ck_tile::BlockFmhaPipelineQRKSVS<Problem, ForThisGpu<ck_tile::BlockFmhaPipelineQRKSVSDefaultPolicy>>;

template <typename Problem>
using SplitQr =
    ck_tile::BlockFmhaFwdSplitKVPipelineQRKSVS<Problem,
                                               ForThisGpu<ck_tile::BlockFmhaFwdSplitKVPipelineQRKSVSDefaultPolicy>>;

template <typename Problem>
using PagedQr =
    ck_tile::BlockFmhaFwdPagedKVPipelineQRKSVS<Problem,
                                               ForThisGpu<ck_tile::BlockFmhaFwdPagedKVPipelineQRKSVSDefaultPolicy>>;

}  // namespace ck_kernel::fmha

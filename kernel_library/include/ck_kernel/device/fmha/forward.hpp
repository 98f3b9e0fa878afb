// SPDX-License-Identifier: MIT
//
// Device pass only: what the kernels of the forward side are made of.
#pragma once

#include "ck_kernel/device/fmha/agreement.hpp"
#include "ck_kernel/device/fmha/attention.hpp"
#include "ck_kernel/device/fmha/pipelines.hpp"
#include "ck_kernel/device/fmha/v3.hpp"
#include "ck_tile/ops/epilogue/default_2d_epilogue.hpp"
#include "ck_tile/ops/fmha/block/block_dropout.hpp"
#include "ck_tile/ops/fmha/block/block_position_encoding.hpp"
#include "ck_tile/ops/fmha/block/page_block_navigator.hpp"
#include "ck_tile/ops/fmha/block/variants.hpp"
#include "ck_tile/ops/fmha/kernel/fmha_batch_prefill_kernel.hpp"
#include "ck_tile/ops/fmha/kernel/fmha_fwd_kernel.hpp"
#include "ck_tile/ops/fmha/kernel/fmha_fwd_pagedkv_kernel.hpp"
#include "ck_tile/ops/fmha/kernel/fmha_fwd_splitkv_kernel.hpp"
#include "ck_tile/ops/fmha/pipeline/block_fmha_pipeline_problem.hpp"
#include "ck_tile/ops/fmha/pipeline/tile_fmha_shape.hpp"
#include "ck_tile/ops/fmha/pipeline/tile_fmha_traits.hpp"

namespace ck_kernel::fmha {

// Stores that the compiler does not see through are for GPUs with waves of 64 lanes.
inline constexpr bool kRawStores = ck_tile::get_warp_size() == 64;

}  // namespace ck_kernel::fmha

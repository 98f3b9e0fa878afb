// SPDX-License-Identifier: MIT
//
// Device pass only: the forward kernel of gfx950 in which two groups of waves take turns.
#pragma once

#include "ck_kernel/plan/fmha/config.hpp"
#include "ck_tile/core.hpp"
#include "ck_tile/ops/fmha/block/block_attention_bias_enum.hpp"
#if defined(__gfx950__)
#include "ck_tile/ops/fmha/kernel/fmha_fwd_v3_kernel.hpp"
#include "ck_tile/ops/fmha/pipeline/block_fmha_fwd_v3_pipeline.hpp"

namespace ck_kernel::fmha {

// CK's kernel, and that it has none of the features that it does not name.
template <typename Pipeline, typename Epilogue>
struct V3Kernel : ck_tile::FmhaFwdV3Kernel<Pipeline, Epilogue> {
    static constexpr auto BiasEnum = ck_tile::BlockAttentionBiasEnum::NO_BIAS;
    static constexpr bool kHasLogitsSoftCap = false;
    static constexpr bool kHasDropout = false;
    static constexpr bool kDoFp8StaticQuant = false;
    static constexpr bool kSkipMinSeqlenQ = false;
};

template <typename Pipeline>
struct V3Pipeline : Pipeline {
    static constexpr ck_tile::index_t kAlignmentBias = 1;
};

}  // namespace ck_kernel::fmha
#endif

// SPDX-License-Identifier: MIT
//
// Device pass only: proves that plan/product/config.hpp takes the loop variants that CK does, for the kernel being
// compiled.
#pragma once

#include "ck_kernel/plan/product/config.hpp"
#include "ck_tile/core.hpp"
#include "ck_tile/ops/gemm/pipeline/gemm_pipeline_ag_bg_cr_scheduler.hpp"

namespace ck_kernel::gemm {

constexpr ck_tile::TailNumber to_ck(Tail tail) {
    switch (tail) {
        case Tail::odd: return ck_tile::TailNumber::Odd;
        case Tail::even: return ck_tile::TailNumber::Even;
        case Tail::one: return ck_tile::TailNumber::One;
        case Tail::two: return ck_tile::TailNumber::Two;
        case Tail::three: return ck_tile::TailNumber::Three;
        case Tail::four: return ck_tile::TailNumber::Four;
        case Tail::five: return ck_tile::TailNumber::Five;
        case Tail::six: return ck_tile::TailNumber::Six;
        case Tail::seven: return ck_tile::TailNumber::Seven;
        case Tail::full: return ck_tile::TailNumber::Full;
        case Tail::empty: break;
    }
    return ck_tile::TailNumber::Empty;
}

// Every loop count up to several periods of the longest pipeline takes the variant that CK would take.
template <typename BasePipeline>
constexpr bool loops_agree(const Config& config) {
    for (int loops = 1; loops <= 64; ++loops) {
        const LoopVariant variant = loop_variant(config, loops);
        // preshufflev2 counts its loops while it runs, so it has one kind of main loop; see kTailAlone for the others.
        const bool hot =
            config.pipeline == Pipeline::preshufflev2 ||
            (BasePipeline::BlockHasHotloop(loops) && !(loops_at_least_once(config.pipeline) && loops == kTailAlone));
        if (variant.hot != hot || to_ck(variant.tail) != BasePipeline::GetBlockLoopTailNum(loops)) return false;
    }
    return true;
}

}  // namespace ck_kernel::gemm

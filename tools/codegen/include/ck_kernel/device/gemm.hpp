// SPDX-License-Identifier: MIT
//
// Device pass only: proves that plan/gemm.hpp says what CK does, for the kernel being compiled.
#pragma once

#include <cstddef>

#include "ck_kernel/plan/gemm.hpp"
#include "ck_tile/core.hpp"
#include "ck_tile/ops/gemm/kernel/universal_gemm_kernel.hpp"
#include "ck_tile/ops/gemm/pipeline/gemm_pipeline_ag_bg_cr_scheduler.hpp"

namespace ck_kernel::gemm {

constexpr ck_tile::TailNumber to_ck(Tail tail)
{
    switch(tail)
    {
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
constexpr bool loops_agree(const Config& config)
{
    for(int loops = 1; loops <= 64; ++loops)
    {
        const LoopVariant variant = loop_variant(config, loops);
        // preshufflev2 counts its loops while it runs, so it has one kind of main loop; see kTailAlone for the others.
        const bool hot = config.pipeline == Pipeline::preshufflev2 ||
                         (BasePipeline::BlockHasHotloop(loops) &&
                          !(loops_at_least_once(config.pipeline) && loops == kTailAlone));
        if(variant.hot != hot ||
           to_ck(variant.tail) != BasePipeline::GetBlockLoopTailNum(loops))
            return false;
    }
    return true;
}

template <typename Theirs, typename Ours>
constexpr bool arguments_agree()
{
    return sizeof(Theirs) == sizeof(Ours) && offsetof(Theirs, as_ptr) == offsetof(Ours, a) &&
           offsetof(Theirs, bs_ptr) == offsetof(Ours, b) && offsetof(Theirs, ds_ptr) == offsetof(Ours, d) &&
           offsetof(Theirs, e_ptr) == offsetof(Ours, c) && offsetof(Theirs, M) == offsetof(Ours, m) &&
           offsetof(Theirs, N) == offsetof(Ours, n) && offsetof(Theirs, K) == offsetof(Ours, k) &&
           offsetof(Theirs, stride_As) == offsetof(Ours, stride_a) &&
           offsetof(Theirs, stride_Bs) == offsetof(Ours, stride_b) &&
           offsetof(Theirs, stride_Ds) == offsetof(Ours, stride_d) &&
           offsetof(Theirs, stride_E) == offsetof(Ours, stride_c) &&
           offsetof(Theirs, k_batch) == offsetof(Ours, k_batch);
}

template <typename Kernel>
constexpr bool d_vectors_agree(const Config& config)
{
    if constexpr(Kernel::UniversalGemmKernel::NumDTensor > 0)
        return !config.d.row_major ||
               Kernel::EpiloguePipeline::GetVectorSizeD(ck_tile::number<0>{}) == vector_d(config);
    return true;
}

template <typename Kernel>
constexpr bool vectors_agree(const Config& config)
{
    const int wave_size = ck_tile::get_warp_size();
    return Kernel::kBlockSize == block_size(config, wave_size) &&
           Kernel::GemmPipeline::GetVectorSizeA() == vector_a(config, wave_size) &&
           Kernel::GemmPipeline::GetVectorSizeB() == vector_b(config, wave_size) &&
           Kernel::EpiloguePipeline::GetVectorSizeC() == vector_c(config) && d_vectors_agree<Kernel>(config);
}

// Every part of K begins with a whole vector, whatever its number.
constexpr bool parts_are_aligned(const Config& config)
{
    const int wave_size = ck_tile::get_warp_size();
    return config.split_k == SplitK::none || ((!config.a.row_major || config.warp_tile.k % vector_a(config, wave_size) == 0) &&
                               (config.b.row_major || config.warp_tile.k % vector_b(config, wave_size) == 0));
}

} // namespace ck_kernel::gemm

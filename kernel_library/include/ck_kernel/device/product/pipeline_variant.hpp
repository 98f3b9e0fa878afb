// SPDX-License-Identifier: MIT
//
// Device pass only: one loop variant of a CK pipeline.
#pragma once

#include "ck_tile/core.hpp"
#include "ck_tile/ops/gemm/pipeline/gemm_pipeline_ag_bg_cr_scheduler.hpp"

namespace ck_kernel::gemm {

// CK makes the loop variant a part of the pipeline's type, and instantiates all of a pipeline once more for each
// variant though only its main function knows of it. Here the variants of a kernel share one pipeline, whose own
// variant does not matter; their code is the same.
template <typename Pipeline, bool HotLoop, ck_tile::TailNumber Tail>
struct PipelineVariant : Pipeline {
    template <typename As, typename AFunction, typename Bs, typename BFunction, typename... Lds>
    CK_TILE_DEVICE auto operator()(const As& as, const AFunction& a_function, const Bs& bs, const BFunction& b_function,
                                   ck_tile::index_t num_loop, Lds*... lds) const {
        using Impl = typename Pipeline::template PipelineImpl<Pipeline::Scheduler>;
        return Impl{}.template operator()<HotLoop, Tail>(as, a_function, bs, b_function, num_loop, lds...);
    }
};

}  // namespace ck_kernel::gemm

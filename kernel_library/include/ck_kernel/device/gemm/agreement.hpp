// SPDX-License-Identifier: MIT
//
// Device pass only: proves that plan/gemm/product.hpp says what CK does, for the kernel being compiled.
#pragma once

#include <cstddef>

#include "ck_kernel/plan/gemm/product.hpp"
#include "ck_tile/core.hpp"
#include "ck_tile/ops/gemm/kernel/universal_gemm_kernel.hpp"

namespace ck_kernel::gemm {

template <typename Theirs, typename Ours>
constexpr bool arguments_agree() {
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
constexpr bool d_vectors_agree(const Config& config) {
    if constexpr (Kernel::UniversalGemmKernel::NumDTensor > 0)
        return !config.d.row_major ||
               Kernel::EpiloguePipeline::GetVectorSizeD(ck_tile::number<0>{}) == vector_d(config);
    return true;
}

template <typename Kernel>
constexpr bool vectors_agree(const Config& config) {
    const int wave_size = ck_tile::get_warp_size();
    return Kernel::kBlockSize == block_size(config, wave_size) &&
           Kernel::GemmPipeline::GetVectorSizeA() == vector_a(config, wave_size) &&
           Kernel::GemmPipeline::GetVectorSizeB() == vector_b(config, wave_size) &&
           Kernel::EpiloguePipeline::GetVectorSizeC() == vector_c(config) && d_vectors_agree<Kernel>(config);
}

// Every part of K begins with a whole vector, whatever its number.
constexpr bool parts_are_aligned(const Config& config) {
    const int wave_size = ck_tile::get_warp_size();
    return config.split_k == SplitK::none ||
           ((!config.a.row_major || config.warp_tile.k % vector_a(config, wave_size) == 0) &&
            (config.b.row_major || config.warp_tile.k % vector_b(config, wave_size) == 0));
}

}  // namespace ck_kernel::gemm

// SPDX-License-Identifier: MIT
//
// Device pass only: adding up the parts of C that wait in a workspace, always in the same order.
#pragma once

#include <cstdint>

#include "ck_kernel/plan/product/config.hpp"
#include "ck_tile/core.hpp"

namespace ck_kernel::gemm {

// Split-K: every part is as large as C. Threads go through the elements of C together.
template <typename Sum, typename C>
__device__ void add_parts(const AddPartsArgs& args) {
    const auto* const sums = static_cast<const Sum*>(args.sums);
    auto* const c = static_cast<C*>(args.c);
    const std::int64_t size = args.m * args.n;
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kAddPartsBlock;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kAddPartsBlock + threadIdx.x;
    for (std::int64_t i = first; i < size; i += step) {
        Sum sum{0};
        for (std::int64_t part = 0; part < args.parts; ++part) sum += sums[part * size + i];
        const std::int64_t row = i / args.n;
        c[row * args.stride_c + (i - row * args.n)] = ck_tile::type_convert<C>(sum);
    }
}

}  // namespace ck_kernel::gemm

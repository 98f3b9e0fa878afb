// SPDX-License-Identifier: MIT
//
// Device pass only: adding up the parts of C that wait in a workspace, always in the same order.
#pragma once

#include <cstdint>

#include "ck_kernel/device/tile.hpp"
#include "ck_kernel/plan/gemm.hpp"

namespace ck_kernel::gemm {

// Split-K: every part is as large as C. Threads go through the elements of C together.
template <typename Sum, typename C>
__device__ void add_parts(const AddPartsArgs& args)
{
    const auto* const sums   = static_cast<const Sum*>(args.sums);
    auto* const c            = static_cast<C*>(args.c);
    const std::int64_t size  = args.m * args.n;
    const std::int64_t step  = static_cast<std::int64_t>(gridDim.x) * kAddPartsBlock;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kAddPartsBlock + threadIdx.x;
    for(std::int64_t i = first; i < size; i += step)
    {
        Sum sum{0};
        for(std::int64_t part = 0; part < args.parts; ++part)
            sum += sums[part * size + i];
        const std::int64_t row          = i / args.n;
        c[row * args.stride_c + (i - row * args.n)] = ck_tile::type_convert<C>(sum);
    }
}

// Stream-K: a workgroup for each tile, whose parts follow one another by the workgroups that computed them.
template <typename Kernel, typename Sum, typename C, typename Args>
__device__ void add_shares(const Config& config, const Args& args, const AddPartsArgs& where)
{
    const auto* const sums     = static_cast<const Sum*>(where.sums);
    auto* const c              = static_cast<C*>(where.c);
    const std::int64_t tile    = blockIdx.x;
    const std::int64_t loops   = ceil_div(args.K, config.tile.k);
    const std::int64_t all     = loops * tile_count(config, args.M, args.N);
    const std::int64_t first   = owner_of(all, where.parts, tile * loops);
    const std::int64_t last    = owner_of(all, where.parts, (tile + 1) * loops - 1);
    const std::int64_t size    = static_cast<std::int64_t>(config.tile.m) * config.tile.n;
    const TilePlace place      = place_of<Kernel>(args.M, args.N, static_cast<ck_tile::index_t>(tile));
    for(std::int64_t i = threadIdx.x; i < size; i += kAddPartsBlock)
    {
        const std::int64_t row    = place.row + i / config.tile.n;
        const std::int64_t column = place.column + i % config.tile.n;
        if(row >= where.m || column >= where.n)
            continue;
        Sum sum{0};
        for(std::int64_t workgroup = first; workgroup <= last; ++workgroup)
            sum += sums[(workgroup + tile) * size + i];
        c[row * where.stride_c + column] = ck_tile::type_convert<C>(sum);
    }
}

} // namespace ck_kernel::gemm

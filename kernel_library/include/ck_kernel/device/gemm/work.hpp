// SPDX-License-Identifier: MIT
//
// Device pass only: how the workgroups of a variant divide the work, where CK's kernel does not do it.
#pragma once

#include <cstdint>

#include "ck_kernel/device/gemm/tile.hpp"
#include "ck_kernel/plan/gemm/product.hpp"

namespace ck_kernel::gemm {

// Elements from the beginning of an operand to its part that begins at k.
constexpr std::int64_t k_offset(bool k_contiguous, std::int64_t k, std::int64_t stride) {
    return k_contiguous ? k : k * stride;
}

// A product that begins elsewhere.
template <typename Kernel, typename Args>
__device__ Args moved(const Args& args, std::int64_t by_a, std::int64_t by_b, std::int64_t by_c) {
    return {{static_cast<const typename Kernel::ADataType*>(args.as_ptr[0]) + by_a},
            {static_cast<const typename Kernel::BDataType*>(args.bs_ptr[0]) + by_b},
            args.ds_ptr,
            static_cast<typename Kernel::EDataType*>(args.e_ptr) + by_c,
            args.M,
            args.N,
            args.K,
            args.stride_As,
            args.stride_Bs,
            args.stride_Ds,
            args.stride_E,
            args.k_batch};
}

// Batched: one layer of workgroups in y for each product; what is within a product is CK's business.
template <typename Kernel, typename Args>
__device__ void compute_of_batch(const Args& args, std::int64_t stride_a, std::int64_t stride_b,
                                 std::int64_t stride_c) {
    const std::int64_t i = blockIdx.y;
    Kernel{}(moved<Kernel>(args, i * stride_a, i * stride_b, i * stride_c));
}

// Split-K into a workspace: CK divides K among the layers in z, and each has a C of its own.
template <typename Kernel, typename Args>
__device__ void compute_part(const Args& args) {
    const std::int64_t c_size = static_cast<std::int64_t>(args.M) * args.N;
    Kernel{}(moved<Kernel>(args, 0, 0, blockIdx.z * c_size));
}

// One tile of each workgroup, with D tensors read by columns.
template <typename Kernel, typename Args>
__device__ void compute_with_column_ds(const Args& args, void* lds_0, void* lds_1) {
    const TilePlace place = place_of<Kernel>(args.M, args.N, ck_tile::amd_wave_read_first_lane(blockIdx.x));
    compute_tile<Kernel, DsByColumns>(args, static_cast<const typename Kernel::ADataType*>(args.as_ptr[0]),
                                      static_cast<const typename Kernel::BDataType*>(args.bs_ptr[0]), args.K, place,
                                      InPlace{}, lds_0, lds_1);
}

// Grouped: a workgroup finds its product by its number.
template <typename Kernel, typename Any, typename Args>
__device__ void compute_of_groups(const Config& config, const Group* groups, std::int32_t count, void* lds_0,
                                  void* lds_1) {
    const auto workgroup = static_cast<std::int32_t>(blockIdx.x);
    std::int32_t low = 0, high = count;  // the product is in [low, high)
    while (high - low > 1) {
        const std::int32_t middle = (low + high) / 2;
        (groups[middle].first_workgroup <= workgroup ? low : high) = middle;
    }
    const Group& group = groups[ck_tile::amd_wave_read_first_lane(low)];
    const Args& args = reinterpret_cast<const Args&>(group.product);  // laid out alike, as static_asserts prove
    const TilePlace place =
        place_of<Kernel>(args.M, args.N, ck_tile::amd_wave_read_first_lane(workgroup - group.first_workgroup));
    Any::compute_tile(config, args, static_cast<const typename Kernel::ADataType*>(args.as_ptr[0]),
                      static_cast<const typename Kernel::BDataType*>(args.bs_ptr[0]), args.K, place, InPlace{}, lds_0,
                      lds_1);
}

// Stream-K: a workgroup computes its share of all loops, which ends and begins within tiles. Parts of tiles are added
// to C, or wait in the workspace at a place that no other part has.
template <typename Kernel, typename Any, typename Args>
__device__ void compute_share(const Config& config, const Args& args, void* lds_0, void* lds_1) {
    using A = typename Kernel::ADataType;
    using B = typename Kernel::BDataType;
    using Stored = typename Kernel::EDataType;
    const std::int64_t workgroup = ck_tile::amd_wave_read_first_lane(blockIdx.x);
    const std::int64_t loops = ceil_div(args.K, config.tile.k);
    const std::int64_t all = loops * tile_count(config, args.M, args.N);
    const Share share = share_of(all, args.k_batch, workgroup);
    const std::int64_t tile_size = static_cast<std::int64_t>(config.tile.m) * config.tile.n;
    for (std::int64_t loop = share.begin; loop < share.end;) {
        const std::int64_t tile = loop / loops;
        const std::int64_t first = loop - tile * loops;
        const std::int64_t last = first + (share.end - loop) < loops ? first + (share.end - loop) : loops;
        const std::int64_t begin = first * config.tile.k;
        const std::int64_t end = last * config.tile.k < args.K ? last * config.tile.k : args.K;
        const A* const a =
            static_cast<const A*>(args.as_ptr[0]) + k_offset(config.a.row_major, begin, args.stride_As[0]);
        const B* const b =
            static_cast<const B*>(args.bs_ptr[0]) + k_offset(!config.b.row_major, begin, args.stride_Bs[0]);
        const auto k = ck_tile::amd_wave_read_first_lane(static_cast<ck_tile::index_t>(end - begin));
        const TilePlace place = place_of<Kernel>(args.M, args.N, static_cast<ck_tile::index_t>(tile));
        if (loop != share.begin) ck_tile::block_sync_lds();  // the epilogue of the last tile may still be reading
        if constexpr (Kernel::EpiloguePipeline::MemoryOperation == ck_tile::memory_operation_enum::set)
            Any::compute_tile(config, args, a, b, k, place,
                              InWorkspace<Stored>{static_cast<Stored*>(args.e_ptr) + (workgroup + tile) * tile_size},
                              lds_0, lds_1);
        else Any::compute_tile(config, args, a, b, k, place, InPlace{}, lds_0, lds_1);
        loop += last - first;
    }
}

// And adds them up: a workgroup for each tile, whose parts follow one another by the workgroups that computed them.
template <typename Kernel, typename Sum, typename C, typename Args>
__device__ void add_shares(const Config& config, const Args& args, const AddPartsArgs& where) {
    const auto* const sums = static_cast<const Sum*>(where.sums);
    auto* const c = static_cast<C*>(where.c);
    const std::int64_t tile = blockIdx.x;
    const std::int64_t loops = ceil_div(args.K, config.tile.k);
    const std::int64_t all = loops * tile_count(config, args.M, args.N);
    const std::int64_t first = owner_of(all, where.parts, tile * loops);
    const std::int64_t last = owner_of(all, where.parts, (tile + 1) * loops - 1);
    const std::int64_t size = static_cast<std::int64_t>(config.tile.m) * config.tile.n;
    const TilePlace place = place_of<Kernel>(args.M, args.N, static_cast<ck_tile::index_t>(tile));
    for (std::int64_t i = threadIdx.x; i < size; i += kAddPartsBlock) {
        const std::int64_t row = place.row + i / config.tile.n;
        const std::int64_t column = place.column + i % config.tile.n;
        if (row >= where.m || column >= where.n) continue;
        Sum sum{0};
        for (std::int64_t workgroup = first; workgroup <= last; ++workgroup) sum += sums[(workgroup + tile) * size + i];
        c[row * where.stride_c + column] = ck_tile::type_convert<C>(sum);
    }
}

}  // namespace ck_kernel::gemm

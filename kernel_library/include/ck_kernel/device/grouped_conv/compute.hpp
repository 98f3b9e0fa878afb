// SPDX-License-Identifier: MIT
//
// Device pass only: one tile of one implicit GEMM, with CK's descriptors, pipeline and epilogue.
#pragma once

#include <cstdint>

#include "ck_kernel/plan/grouped_conv/implicit.hpp"
#include "ck_tile/core.hpp"
#include "ck_tile/ops/elementwise/unary_element_wise_operation.hpp"

namespace ck_kernel::grouped_conv {

// A window of the tile's extents along k and across it, in the order in which the operand's descriptor has them. What
// is read beyond the operand, up to whole tiles in each of the parts of k, is zero.
template <bool KFirst, typename View, typename Outer, typename K, typename AllK>
__device__ auto operand_window(const View& view, Outer outer, K k, AllK all_k, ck_tile::index_t outer_place,
                               ck_tile::index_t k_place) {
    using Both = ck_tile::sequence<true, true>;
    if constexpr (KFirst)
        return ck_tile::make_tile_window(ck_tile::pad_tensor_view(view, ck_tile::make_tuple(all_k, outer), Both{}),
                                         ck_tile::make_tuple(k, outer), {k_place, outer_place});
    else
        return ck_tile::make_tile_window(ck_tile::pad_tensor_view(view, ck_tile::make_tuple(outer, all_k), Both{}),
                                         ck_tile::make_tuple(outer, k), {outer_place, k_place});
}

// The product of this workgroup: there are few, and their numbers are in scalar registers.
template <typename Args>
__device__ ck_tile::index_t product_of(const Args& args, ck_tile::index_t workgroup) {
    ck_tile::index_t found = 0;
    for (ck_tile::index_t i = 1; i < args.count; ++i)
        if (args.products[i].first_workgroup <= workgroup) found = i;
    return ck_tile::amd_wave_read_first_lane(found);
}

// One value for each channel of y, which is a column of C, or a row; or nothing.
template <typename Kernel, typename Args>
__device__ auto d_windows(const Args& args, ck_tile::index_t group, ck_tile::index_t m, ck_tile::index_t n,
                          ck_tile::index_t row, ck_tile::index_t column) {
    using Types = typename Kernel::Epilogue::DsDataType;
    using Partitioner = typename Kernel::Partitioner;
    return ck_tile::generate_tuple(
        [&](auto i) {
            using Type = ck_tile::remove_cvref_t<std::tuple_element_t<i.value, Types>>;
            constexpr ck_tile::number<Partitioner::MPerBlock> rows{};
            constexpr ck_tile::number<Partitioner::NPerBlock> columns{};
            const auto* const values =
                static_cast<const Type*>(args.d) + ck_tile::amd_wave_read_first_lane(group * args.group_d);
            const auto view = [&] {
                constexpr auto in_memory = ck_tile::address_space_enum::global;
                constexpr ck_tile::number<1> one{};
                if constexpr (Kernel::kBiasOfRows)
                    return ck_tile::make_naive_tensor_view<in_memory>(values, ck_tile::make_tuple(m, n),
                                                                      ck_tile::make_tuple(one, 0), one, one);
                else
                    return ck_tile::make_naive_tensor_view<in_memory>(values, ck_tile::make_tuple(m, n),
                                                                      ck_tile::make_tuple(0, one),
                                                                      ck_tile::number<Kernel::kVectorC>{}, one);
            }();
            const auto padded =
                ck_tile::pad_tensor_view(view, ck_tile::make_tuple(rows, columns), ck_tile::sequence<true, true>{});
            return ck_tile::make_tile_window(padded, ck_tile::make_tuple(rows, columns), {row, column});
        },
        ck_tile::number<Types::size()>{});
}

// Kernel has the Pipeline of one loop variant, the Epilogue, the Partitioner, kVectorC, kBiasOfRows, and kSplits:
// whether each layer of workgroups computes a part of the sum. Otherwise each computes images of its own.
template <typename Kernel, typename Args>
__device__ void compute(const Args& args, void* lds_0, [[maybe_unused]] void* lds_1) {
    using Pipeline = typename Kernel::Pipeline;
    using Epilogue = typename Kernel::Epilogue;
    using Partitioner = typename Kernel::Partitioner;
    using A = typename Pipeline::ADataType;
    using B = typename Pipeline::BDataType;
    using C = typename Epilogue::ODataType;
    using Rows = ck_tile::tensor_layout::gemm::RowMajor;
    constexpr bool a_by_rows = std::is_same_v<typename Pipeline::ALayout, Rows>;
    constexpr bool b_by_rows = std::is_same_v<typename Pipeline::BLayout, Rows>;
    constexpr ck_tile::number<Partitioner::MPerBlock> tile_m{};
    constexpr ck_tile::number<Partitioner::NPerBlock> tile_n{};
    constexpr ck_tile::number<Partitioner::KPerBlock> tile_k{};

    const auto workgroup = ck_tile::amd_wave_read_first_lane(static_cast<ck_tile::index_t>(blockIdx.x));
    const auto group = ck_tile::amd_wave_read_first_lane(static_cast<std::int64_t>(blockIdx.y));
    const auto layer = ck_tile::amd_wave_read_first_lane(static_cast<std::int64_t>(blockIdx.z));
    const auto& product = args.products[product_of(args, workgroup)];
    const auto& operands = product.descriptors;

    const auto [tile_row, tile_column] =
        Partitioner{product.m, product.n}.GetOutputTileIndex(workgroup - product.first_workgroup);
    const auto row = ck_tile::amd_wave_read_first_lane(tile_row * tile_m);
    const auto column = ck_tile::amd_wave_read_first_lane(tile_column * tile_n);
    // All parts of the sum take as many loops: the last ones read zeros.
    const auto all_k = [&] {
        if constexpr (Kernel::kSplits) return tile_k * args.k_batch;
        else return tile_k;
    }();
    const auto loops = ck_tile::amd_wave_read_first_lane(gemm::ceil_div(product.k, all_k));
    const auto depth =
        Kernel::kSplits ? ck_tile::amd_wave_read_first_lane(static_cast<ck_tile::index_t>(layer) * loops * tile_k) : 0;

    const auto* const a =
        static_cast<const A*>(args.a) + ck_tile::amd_wave_read_first_lane(group * args.group_a + layer * args.layer_a);
    const auto* const b =
        static_cast<const B*>(args.b) + ck_tile::amd_wave_read_first_lane(group * args.group_b + layer * args.layer_b);
    auto* const c =
        static_cast<C*>(args.c) + ck_tile::amd_wave_read_first_lane(group * args.group_c + layer * args.layer_c);

    using ck_tile::address_space_enum;
    const auto a_view = ck_tile::make_tensor_view<address_space_enum::global>(a, operands.at(ck_tile::number<0>{}));
    const auto b_view = ck_tile::make_tensor_view<address_space_enum::global>(b, operands.at(ck_tile::number<1>{}));
    const auto c_view = ck_tile::make_tensor_view<address_space_enum::global, Epilogue::MemoryOperation>(
        c, operands.at(ck_tile::number<2>{}));
    const auto a_windows = ck_tile::make_tuple(operand_window<!a_by_rows>(a_view, tile_m, tile_k, all_k, row, depth));
    const auto b_windows = ck_tile::make_tuple(operand_window<b_by_rows>(b_view, tile_n, tile_k, all_k, column, depth));
    auto c_window = ck_tile::make_tile_window(
        ck_tile::pad_tensor_view(c_view, ck_tile::make_tuple(tile_m, tile_n), ck_tile::sequence<true, true>{}),
        ck_tile::make_tuple(tile_m, tile_n), {row, column});
    const auto ds = d_windows<Kernel>(args, static_cast<ck_tile::index_t>(group), product.m, product.n, row, column);

    const ck_tile::element_wise::PassThrough as_it_is{};
    if constexpr (Pipeline::DoubleSmemBuffer)
        Epilogue{}(c_window, Pipeline{}(a_windows, as_it_is, b_windows, as_it_is, loops, lds_0, lds_1), ds, lds_0);
    else Epilogue{}(c_window, Pipeline{}(a_windows, as_it_is, b_windows, as_it_is, loops, lds_0), ds, lds_0);
}

}  // namespace ck_kernel::grouped_conv

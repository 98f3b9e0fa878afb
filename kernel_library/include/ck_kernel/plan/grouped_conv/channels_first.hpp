// SPDX-License-Identifier: MIT
//
// Descriptors of images whose positions lie side by side, each channel after the other. CK has none for these.
#pragma once

#include "ck_kernel/plan/grouped_conv/config.hpp"
#include "ck_kernel/plan/grouped_conv/sizes.hpp"
#include "ck_tile/core.hpp"

namespace ck_kernel::grouped_conv {

// The product is across: w, k rows of c filters, times what of x is under the filter at each position.
template <int Spatial, Filter F, int A, int B, int C>
struct ChannelsFirst {
    using index_t = ck_tile::index_t;

    CK_TILE_HOST static auto descriptors(const Sizes<Spatial>& s, const Residue<Spatial>&) {
        const index_t depth = s.w[2] * positions(s.w);
        const auto a = ck_tile::make_naive_tensor_descriptor(
            ck_tile::make_tuple(s.w[1], depth), ck_tile::make_tuple(depth, kOne), ck_tile::number<A>{}, kOne);
        if constexpr (F == Filter::unit_stride_1)
            return ck_tile::make_tuple(a, channels_by_positions<B>(s.x), channels_by_positions<C>(s.y));
        else return ck_tile::make_tuple(a, under_filter(s), channels_by_positions<C>(s.y));
    }

private:
    static constexpr ck_tile::number<1> kOne{};

    template <typename Lengths>
    CK_TILE_HOST static index_t positions(const Lengths& of) {
        index_t all = 1;
        for (int i = 0; i < Spatial; ++i) all *= of[i + 3];
        return all;
    }

    // All positions of all images, for each channel of the group.
    template <int Vector, typename Lengths>
    CK_TILE_HOST static auto channels_by_positions(const Lengths& of) {
        const index_t all = positions(of);
        const auto images = ck_tile::make_naive_tensor_descriptor(ck_tile::make_tuple(of[1], of[2], all),
                                                                  ck_tile::make_tuple(of[0] * of[2] * all, all, kOne),
                                                                  ck_tile::number<Vector>{}, kOne);
        return ck_tile::transform_tensor_descriptor(
            images,
            ck_tile::make_tuple(ck_tile::make_pass_through_transform(of[2]),
                                ck_tile::make_merge_transform(ck_tile::make_tuple(of[1], all))),
            ck_tile::make_tuple(ck_tile::sequence<1>{}, ck_tile::sequence<0, 2>{}),
            ck_tile::make_tuple(ck_tile::sequence<0>{}, ck_tile::sequence<1>{}));
    }

    template <typename Function>
    CK_TILE_HOST static auto for_spatial(Function function) {
        return ck_tile::generate_tuple(function, ck_tile::number<Spatial>{});
    }

    template <typename... Outer, typename Inner>
    CK_TILE_HOST static auto joined(const Inner& inner, const Outer&... outer) {
        return ck_tile::container_concat(ck_tile::make_tuple(outer...), inner);
    }

    // Channels and places of the filter, by images and places of the output.
    CK_TILE_HOST static auto under_filter(const Sizes<Spatial>& s) {
        using ck_tile::sequence;
        const auto image = ck_tile::make_pass_through_transform(s.x[1]);
        const auto channel = ck_tile::make_pass_through_transform(s.x[2]);

        // Dimensions: image, channel, and the spatial ones.
        const auto each = for_spatial([](auto i) { return sequence<i + 2>{}; });
        const auto all = joined(each, sequence<0>{}, sequence<1>{});
        // What lies beyond each of them when the spatial ones are passed.
        const auto strides = for_spatial([&](auto i) {
            index_t inner = 1;
            for (int later = i + 1; later < Spatial; ++later) inner *= s.x[later + 3];
            return inner;
        });
        const index_t one_channel = positions(s.x);
        const auto images = ck_tile::make_naive_tensor_descriptor(
            joined(for_spatial([&](auto i) { return s.x[i + 3]; }), s.x[1], s.x[2]),
            joined(strides, s.x[0] * s.x[2] * one_channel, one_channel), kOne, kOne);
        const auto padded = ck_tile::transform_tensor_descriptor(
            images,
            joined(for_spatial([&](auto i) {
                       return ck_tile::make_pad_transform(s.x[i + 3], s.left_pad[i], s.right_pad[i],
                                                          ck_tile::bool_constant<F == Filter::unit>{});
                   }),
                   image, channel),
            all, all);
        // Each spatial dimension becomes two: where in the filter, and where in the output.
        const auto met = ck_tile::transform_tensor_descriptor(
            padded,
            joined(for_spatial([&](auto i) {
                       return ck_tile::make_embed_transform(ck_tile::make_tuple(s.w[i + 3], s.y[i + 3]),
                                                            ck_tile::make_tuple(s.dilation[i], s.stride[i]));
                   }),
                   image, channel),
            all,
            joined(for_spatial([](auto i) { return sequence<2 * i + 2, 2 * i + 3>{}; }), sequence<0>{}, sequence<1>{}));
        using Filters = typename ck_tile::arithmetic_sequence_gen<2, 2 * Spatial + 2, 2>::type;
        using Outputs = typename ck_tile::arithmetic_sequence_gen<3, 2 * Spatial + 3, 2>::type;
        return ck_tile::transform_tensor_descriptor(
            met,
            ck_tile::make_tuple(
                ck_tile::make_merge_transform(joined(for_spatial([&](auto i) { return s.w[i + 3]; }), s.x[2])),
                ck_tile::make_merge_transform(joined(for_spatial([&](auto i) { return s.y[i + 3]; }), s.x[1]))),
            ck_tile::make_tuple(ck_tile::merge_sequences(sequence<1>{}, Filters{}),
                                ck_tile::merge_sequences(sequence<0>{}, Outputs{})),
            ck_tile::make_tuple(sequence<0>{}, sequence<1>{}));
    }
};

}  // namespace ck_kernel::grouped_conv

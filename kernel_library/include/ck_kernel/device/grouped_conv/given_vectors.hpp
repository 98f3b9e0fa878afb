// SPDX-License-Identifier: MIT
//
// Device pass only: a CK pipeline that moves the vectors it was given.
#pragma once

#include "ck_tile/core.hpp"

namespace ck_kernel::grouped_conv {

// CK loads tiles by the given vectors, but transposes those that must be as if they were loaded by the vectors of its
// own choice. Here both are the same.
template <typename Policy>
struct GivenVectors : Policy {
    template <typename Problem, int Outer, int Vector, ck_tile::tile_distribution_pattern Pattern>
    CK_TILE_HOST_DEVICE static constexpr auto transposed() {
        return ck_tile::tile_distribution_encoding_pattern_2d<
            Problem::kBlockSize, Problem::BlockGemmShape::kK, Outer, Vector, Pattern,
            Problem::NumWaveGroups>::make_shuffled_2d_static_tile_distribution();
    }

    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakeShuffledARegTileDistribution() {
        return transposed<Problem, Problem::BlockGemmShape::kM, Problem::VectorSizeA,
                          Policy::getATileAccessPattern()>();
    }

    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakeShuffledBRegTileDistribution() {
        return transposed<Problem, Problem::BlockGemmShape::kN, Problem::VectorSizeB,
                          Policy::getBTileAccessPattern()>();
    }
};

template <typename Pipeline>
struct WithGivenVectors;

template <template <typename, typename> class Pipeline, typename Problem, typename Policy>
struct WithGivenVectors<Pipeline<Problem, Policy>> {
    using type = Pipeline<Problem, GivenVectors<Policy>>;
};

}  // namespace ck_kernel::grouped_conv

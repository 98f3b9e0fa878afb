// SPDX-License-Identifier: MIT
//
// The sizes that descriptors are made of.
#pragma once

#include "ck_tile/core.hpp"

namespace ck_kernel::grouped_conv {

// As CK takes them: groups first, then images or channels out, channels, and the spatial dimensions.
template <int Spatial>
struct Sizes {
    ck_tile::array<ck_tile::index_t, Spatial + 3> x, w, y;
    ck_tile::array<ck_tile::index_t, Spatial> stride, dilation, left_pad, right_pad;
};

// Backward data: the inputs whose distance from one another is a multiple of the stride meet the same part of the
// filter.
template <int Spatial>
using Residue = ck_tile::array<ck_tile::index_t, Spatial>;

}  // namespace ck_kernel::grouped_conv

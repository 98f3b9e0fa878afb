// SPDX-License-Identifier: MIT
// How the three tensors of a convolution lie in memory. For the sources of this folder.
#pragma once

#include <string_view>

#include "ckdispatch/core/name.hpp"

namespace ckdispatch {

/// One word for x, w and y.
struct GroupedConvLayout {
    std::string_view word;
    int ndim_spatial;
    /// The extents of each tensor, the outermost first: d, h, w and z, y, x are positions.
    std::string_view x, w, y;

    /// Throws Error (invalid_argument) with the known ones.
    static const GroupedConvLayout& find(Name word);
    /// The usual one for that many dimensions, or nullptr.
    static const GroupedConvLayout* of(int ndim_spatial);
};

}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// How the three tensors of a convolution lie in memory. For the sources of this folder.
#pragma once

#include <cstddef>
#include <string_view>

#include "ckdispatch/core/name.hpp"

namespace ckdispatch {

/// One word for x, w and y.
struct GroupedConvLayout {
    std::string_view word;
    int ndim_spatial;
    /// Whether the channels of a group come before its positions; positions then lie side by side.
    bool channels_first;
    /// The extents of each tensor, the outermost first: d, h, w and z, y, x are positions, which are never apart.
    std::string_view x, w, y;

    static bool is_position(char letter) { return letter != 'n' && letter != 'g' && letter != 'c' && letter != 'k'; }
    std::string_view of_tensor(std::size_t tensor) const { return tensor == 0 ? x : tensor == 1 ? w : y; }

    /// Throws InvalidArgumentError with the known ones.
    static const GroupedConvLayout& find(Name word);
    /// The usual one for that many dimensions, which has channels last, or nullptr.
    static const GroupedConvLayout* of(int ndim_spatial);
};

}  // namespace ckdispatch

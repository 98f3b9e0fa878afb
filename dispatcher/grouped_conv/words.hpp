// SPDX-License-Identifier: MIT
// The words of the generator that this runtime must understand; all others it only compares. For the sources of this
// folder.
#pragma once

#include "ckdispatch/core/name.hpp"

namespace ckdispatch {

struct GroupedConvWords {
    // Of directions, which are a key's variants.
    Name forward{"forward"}, backward_data{"backward_data"}, backward_weight{"backward_weight"};
    // Of a key's specialization.
    Name by_default{"default"}, filter_1x1_stride1_pad0{"filter_1x1_stride1_pad0"}, filter_1x1_pad0{"filter_1x1_pad0"},
        filter_3x3{"filter_3x3"};
    Name pass_through{"PassThrough"};

    bool is_direction(Name word) const { return word == forward || word == backward_data || word == backward_weight; }
};

/// Looked up once: a word is found again by its address.
const GroupedConvWords& grouped_conv_words();

/// What begins the sentence about a problem.
inline constexpr const char* kAGroupedConvolution = "A grouped convolution";

}  // namespace ckdispatch

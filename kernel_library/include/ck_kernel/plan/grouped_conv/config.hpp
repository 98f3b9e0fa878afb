// SPDX-License-Identifier: MIT
//
// What a grouped convolution kernel is: an implicit GEMM, and how its operands lie in the images and the filter.
#pragma once

#include "ck_kernel/plan/product/config.hpp"

namespace ck_kernel::grouped_conv {

enum class Direction { forward, backward_data, backward_weight };

// Which filters a kernel takes; the fewer, the simpler are its addresses.
enum class Filter { any, unit, unit_stride_1, three };

// Which of an image's axes is innermost: the channels, or the positions.
enum class Layout { channels_last, channels_first };

struct Config {
    Direction direction;
    int spatial;  // dimensions of an image
    Layout layout;
    Filter filter;
    int merged_groups;  // that one workgroup computes at once
    int vector_a, vector_b, vector_c;
    gemm::Config gemm;  // A and B are read, C is written: which tensors they are is the direction's and the layout's
};

}  // namespace ck_kernel::grouped_conv

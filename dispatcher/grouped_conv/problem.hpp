// SPDX-License-Identifier: MIT
// What a caller wants of a convolution, independent of any kernel.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "ck_grouped_conv_problem.h"
#include "ckdispatch/core/name.hpp"

namespace ckdispatch {

/// One spatial dimension: output = (input + left_pad + right_pad - dilation * (filter - 1) - 1) / stride + 1.
struct GroupedConvAxis {
    std::int64_t input = 1, filter = 1, output = 1;
    std::int64_t stride = 1, dilation = 1;
    std::int64_t left_pad = 0, right_pad = 0;
};

/// As many as there are dimensions are used, the innermost last: w, or h and w, or d, h and w.
using GroupedConvAxes = std::array<GroupedConvAxis, CK_GROUPED_CONV_MAX_SPATIAL>;

/// `g` independent convolutions of `n` images, each with `c` channels in and `k` channels out: y from x and w
/// (forward), the gradient of x from that of y and w (backward_data), or the gradient of w from that of y and x
/// (backward_weight). The filter is not flipped. All tensors are packed. Made by GroupedConvProblemBuilder, which
/// validates; compared and hashed as a value.
struct GroupedConvProblem {
    Name direction;
    std::int64_t n = 1, g = 1, c = 0, k = 0;
    int ndim_spatial = 0;
    GroupedConvAxes axes{};
    Name dtype_x, dtype_w, dtype_y;
    /// One word for all three tensors: nwgc, nhwgc or ndhwgc, and in forward also ngcw, ngchw or ngcdhw.
    Name layout;
    /// Applied to y and the bias, in forward alone; PassThrough without any.
    Name fused_op;
    /// 1 with a bias, a value of y's dtype for each of its g * k channels.
    int d_count = 0;
    /// Parts that the sum of backward_weight is split into; 0 lets the dispatcher choose.
    std::int64_t split_k = 1;
    /// Bytes that all addresses are multiples of, a power of two up to 16.
    int alignment = 16;
    bool deterministic = false;
    std::uint64_t workspace_limit = std::numeric_limits<std::uint64_t>::max();

    /// Positions of an image of x, of a filter and of an image of y: products over all dimensions.
    std::int64_t inputs() const { return product(&GroupedConvAxis::input); }
    std::int64_t filters() const { return product(&GroupedConvAxis::filter); }
    std::int64_t outputs() const { return product(&GroupedConvAxis::output); }

    /// Of x, w, y or the bias: tensors 0, 1, 2 and 3.
    std::int64_t elements(std::size_t tensor) const;
    Name dtype_of(std::size_t tensor) const { return tensor == 0 ? dtype_x : tensor == 1 ? dtype_w : dtype_y; }
    /// Which of them is computed.
    std::size_t result() const;

    double flops() const;
    /// Bytes that must be read and written at least once.
    double bytes() const;
    /// Such as "grouped_conv forward n8 g1 c64 k128 56x56 3x3 stride 1x1 pad 1x1 fp16 nhwgc".
    std::string text() const;

    friend bool operator==(const GroupedConvProblem& a, const GroupedConvProblem& b);
    std::size_t hash() const;
    /// Bytes that it holds beside itself.
    std::size_t held_bytes() const { return 0; }

private:
    // What is not used is 1.
    std::int64_t product(std::int64_t GroupedConvAxis::* extent) const {
        std::int64_t all = 1;
        for (const GroupedConvAxis& axis : axes) all *= axis.*extent;
        return all;
    }
};

}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
//
// Host pass only: bands of an image along its outermost dimension, for images that are too large for CK's descriptors.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ck_grouped_conv_problem.h"

namespace ck_kernel::grouped_conv {

// A convolution of its own, and where its input and its output begin in the whole.
struct Band {
    ck_grouped_conv_axis axis;
    std::int64_t input, output;
};

// How far a filter reaches.
inline std::int64_t reach(const ck_grouped_conv_axis& axis) { return axis.dilation * (axis.filter - 1) + 1; }

// Forward, outputs of a band with no more than so many inputs and outputs; 0 if the filter reaches further.
inline std::int64_t outputs_at_once(const ck_grouped_conv_axis& axis, std::int64_t inputs, std::int64_t outputs) {
    return inputs < reach(axis) ? 0 : std::min(outputs, (inputs - reach(axis)) / axis.stride + 1);
}

// Backward data, inputs of a band with no more than so many inputs and outputs: whole strides, or 0.
inline std::int64_t inputs_at_once(const ck_grouped_conv_axis& axis, std::int64_t inputs, std::int64_t outputs) {
    const std::int64_t most = std::min(inputs, (outputs - 2) * axis.stride - reach(axis) + 2);
    return most < axis.stride ? 0 : most - most % axis.stride;
}

// The outputs from `first` on, and the inputs that they meet.
inline Band forward_band(const ck_grouped_conv_axis& whole, std::int64_t first, std::int64_t most) {
    Band band{whole, 0, first};
    band.axis.output = std::min(most, whole.output - first);
    const std::int64_t begin = first * whole.stride - whole.left_pad;
    const std::int64_t end = begin + (band.axis.output - 1) * whole.stride + reach(whole);
    const std::int64_t from = std::max(begin, std::int64_t{0}), to = std::min(end, whole.input);
    if (from < to) {
        band.input = from;
        band.axis.input = to - from;
        band.axis.left_pad = from - begin;
        band.axis.right_pad = end - to;
    } else  // pads alone: one input, behind them
    {
        band.axis.input = 1;
        band.axis.left_pad = end - begin;
        band.axis.right_pad = 0;
    }
    return band;
}

// The inputs from `first` on, up to where whole strides end, and the outputs that meet them, which may be none.
inline Band backward_band(const ck_grouped_conv_axis& whole, std::int64_t first, std::int64_t most) {
    Band band{whole, first, 0};
    const std::int64_t begin = first + whole.left_pad, before = begin - (reach(whole) - 1);
    const std::int64_t end = std::min((begin + most) / whole.stride * whole.stride, whole.input + whole.left_pad);
    band.output = before > 0 ? before / whole.stride : 0;  // one more than is met may begin it
    band.axis.input = end - begin;
    band.axis.output = std::min((end - 1) / whole.stride + 1, whole.output) - band.output;
    band.axis.left_pad = begin - band.output * whole.stride;
    const std::int64_t met = (band.axis.output - 1) * whole.stride + reach(whole) - band.axis.left_pad;
    band.axis.right_pad = std::max(met - band.axis.input, std::int64_t{0});
    return band;
}

}  // namespace ck_kernel::grouped_conv

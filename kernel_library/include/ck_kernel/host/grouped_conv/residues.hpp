// SPDX-License-Identifier: MIT
//
// Host pass only: backward data, along one axis after the other. An output at o meets the inputs at o * stride + f *
// dilation
// - left_pad for each place f of the filter. Inputs fall into classes by the places that meet them: those of one class
// are a stride apart, and its places of the filter are stride / gcd(stride, dilation) apart, beginning with the
// residue.
#pragma once

#include <cstdint>

#include "ck_grouped_conv_problem.h"

namespace ck_kernel::grouped_conv {

constexpr std::int64_t gcd(std::int64_t a, std::int64_t b) { return b == 0 ? a : gcd(b, a % b); }

inline std::int64_t class_count(const ck_grouped_conv_axis& axis) {
    return axis.stride / gcd(axis.stride, axis.dilation);
}

// Residues that have a place of the filter.
inline std::int64_t residue_count(const ck_grouped_conv_axis& axis) {
    const std::int64_t classes = class_count(axis);
    return classes < axis.filter ? classes : axis.filter;
}

// Places of the filter that meet the inputs of a residue.
inline std::int64_t places(const ck_grouped_conv_axis* axes, int spatial, const std::int64_t* residue) {
    std::int64_t count = 1;
    for (int i = 0; i < spatial; ++i)
        count *= (axes[i].filter - residue[i] + class_count(axes[i]) - 1) / class_count(axes[i]);
    return count;
}

// Calls with the residues of all axes, for every combination of them.
template <typename Function>
void for_each_residue(const ck_grouped_conv_axis* axes, int spatial, const Function& call) {
    std::int64_t residue[CK_GROUPED_CONV_MAX_SPATIAL] = {};
    for (int axis = 0; axis >= 0;) {
        call(static_cast<const std::int64_t*>(residue));
        // Count on, the last axis fastest.
        axis = spatial - 1;
        while (axis >= 0 && ++residue[axis] == residue_count(axes[axis])) residue[axis--] = 0;
    }
}

// Whether the products of all residues write every input. CK counts through a class by whole strides, from where the
// image begins at most to where it ends or the last output reaches.
inline bool all_inputs_written(const ck_grouped_conv_axis& axis) {
    const std::int64_t classes = class_count(axis);
    if (classes != axis.stride || classes > axis.filter)
        return false;  // inputs between those of the classes, or of a class that no place of the filter meets
    const auto ceil_div = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    const std::int64_t reach = axis.output + ceil_div(axis.dilation * (axis.filter - 1), axis.stride);
    const std::int64_t image = ceil_div(axis.left_pad + axis.input - 1, axis.stride) + 1;
    const std::int64_t ahead = axis.left_pad - axis.dilation * (classes - 1);
    const std::int64_t begin = ahead > 0 ? ahead / axis.stride : 0, end = reach < image ? reach : image;
    for (std::int64_t residue = 0; residue < classes; ++residue) {
        const std::int64_t offset = residue * axis.dilation - axis.left_pad;
        if (offset + (begin - 1) * axis.stride >= 0 || offset + end * axis.stride < axis.input) return false;
    }
    return true;
}

inline bool all_inputs_written(const ck_grouped_conv_axis* axes, int spatial) {
    for (int i = 0; i < spatial; ++i)
        if (!all_inputs_written(axes[i])) return false;
    return true;
}

}  // namespace ck_kernel::grouped_conv

// SPDX-License-Identifier: MIT
// How filters and strides divide the positions of an image along one dimension. For the sources of this folder.
#pragma once

#include <vector>

#include "ckdispatch/grouped_conv/problem.hpp"

namespace ckdispatch {

/// Input position i meets filter position f where i + left_pad - f * dilation is a multiple of the stride. Filter
/// positions that are alike in this meet the same inputs: together they are a class, and backward data computes a GEMM
/// for each.
struct Residues {
    /// Classes that have as many of everything.
    struct Class {
        double count, inputs, filters;
    };
    std::vector<Class> classes;
    /// Inputs that any output is computed from.
    double read = 0;
    /// Whether every input meets a filter position, as far as the stride is concerned.
    bool all_met = false;
};

Residues residues_of(const GroupedConvAxis& axis);

}  // namespace ckdispatch

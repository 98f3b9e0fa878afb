// SPDX-License-Identifier: MIT
// What makes no sense in a problem, each with its sentence. For the sources of this folder.
#pragma once

#include "ckdispatch/fmha/problem.hpp"

namespace ckdispatch::fmha_checks {

/// All that follows from the numbers and words of a caller. Throws InvalidArgumentError.
void check_options(const FmhaProblem& problem);

/// That no two elements of what is written share a place, and that all strides are numbers that tensors have. Throws
/// InvalidArgumentError.
void check_strides(const FmhaProblem& problem);

}  // namespace ckdispatch::fmha_checks

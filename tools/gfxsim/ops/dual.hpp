// SPDX-License-Identifier: MIT
#pragma once

#include "gfxsim/core/instr.hpp"

namespace gfxsim {

/// Joins the halves of a dual-issue instruction: both read their sources before either writes.
void make_dual(Instr& first, const Instr& second);

}  // namespace gfxsim

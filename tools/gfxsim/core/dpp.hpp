// SPDX-License-Identifier: MIT
// Data-parallel primitives: a source operand that each lane takes from another lane.
#pragma once

#include "gfxsim/core/wave.hpp"

namespace gfxsim {

/// Writes to `out` what each lane reads; returns the lanes that the instruction may write.
u64 dpp_move(const Wave& wave, const Dpp& dpp, const u32* in, u32* out);

}  // namespace gfxsim

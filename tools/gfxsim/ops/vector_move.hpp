// SPDX-License-Identifier: MIT
// Parts of vector_move_table().
#pragma once

#include "gfxsim/ops/tables.hpp"

namespace gfxsim {

/// Moves from lane to lane.
Table vector_permlane_table();

}  // namespace gfxsim

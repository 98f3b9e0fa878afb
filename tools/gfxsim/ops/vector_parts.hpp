// SPDX-License-Identifier: MIT
// The parts that the larger vector tables are put together from.
#pragma once

#include "gfxsim/ops/tables.hpp"

namespace gfxsim {

// Of vector_float_table.
Table vector_half_table();
Table vector_double_table();
Table vector_special_table();
Table vector_division_table();
Table vector_dot_table();

// Of vector_convert_table.
Table vector_convert_small_table();
Table vector_convert_scaled_table();

}  // namespace gfxsim

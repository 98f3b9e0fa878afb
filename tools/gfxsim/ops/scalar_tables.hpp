// SPDX-License-Identifier: MIT
// The parts of scalar_table().
#pragma once

#include "gfxsim/ops/tables.hpp"

namespace gfxsim {

Table scalar_arithmetic_table();
Table scalar_bits_table();
Table scalar_compare_table();
/// Instructions that change EXEC, and those that choose a register by M0.
Table scalar_exec_table();
Table scalar_float_table();

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
// The parts of control_table() that have files of their own.
#pragma once

#include "gfxsim/ops/tables.hpp"

namespace gfxsim {

Table hardware_register_table();
Table gpr_index_table();

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
// All instructions that are simulated. Each group has a file of its own.
#pragma once

#include <string_view>
#include <vector>

#include "gfxsim/core/instr.hpp"

namespace gfxsim {

using Table = std::vector<Definition>;

/// What `mnemonic` (without encoding suffix) means on a generation, or nullptr.
const Definition* find_definition(std::string_view mnemonic, Isa isa);
/// Every definition, for coverage and tests.
const Table& all_definitions();

Table scalar_table();
Table control_table();
Table scalar_memory_table();
Table vector_integer_table();
Table vector_float_table();
Table vector_convert_table();
Table vector_compare_table();
Table vector_packed_table();
Table vector_move_table();
Table lds_table();
Table buffer_table();
Table flat_table();
Table mfma_table();
Table wmma_table();
Table dual_table();

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
#include "gfxsim/ops/float_math.hpp"
#include "gfxsim/ops/vector_parts.hpp"
namespace gfxsim { Table vector_convert_small_table() { return {}; } Table vector_convert_scaled_table() { return {}; } }

// SPDX-License-Identifier: MIT
#include "gfxsim/ops/float_math.hpp"
#include "gfxsim/ops/vector_parts.hpp"
namespace gfxsim { Table vector_dot_table() { return {}; } }

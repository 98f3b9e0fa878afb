// SPDX-License-Identifier: MIT
// Dtypes as arch/ has them. For the sources of this folder.
#pragma once

#include "arch/arch_types.hpp"
#include "ckdispatch/core/name.hpp"

namespace ckdispatch {

/// Throws Error (invalid_argument) with the known ones.
const arch::DtypeSpec& dtype_facts(Name dtype);

/// What products of the pair are stored in unless told otherwise. Throws Error (invalid_argument) for a pair that no GPU multiplies.
Name usual_output(Name a, Name b);

/// Of one element; a fraction where several share a byte.
inline double element_bytes(Name dtype) { return dtype_facts(dtype).bytes; }

}  // namespace ckdispatch

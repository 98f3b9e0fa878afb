// SPDX-License-Identifier: MIT
// Dtypes as arch/ has them.
#pragma once

#include <string_view>

#include "arch/arch_types.hpp"
#include "ckdispatch/core/name.hpp"

namespace ckdispatch {

/// `asked` begins the sentence that refuses a dtype, such as "A GEMM". Throws InvalidArgumentError with the known
/// ones.
const arch::DtypeSpec& dtype_facts(Name dtype, std::string_view asked);

/// What products of the pair are stored in unless told otherwise. Throws InvalidArgumentError for a pair that no
/// GPU multiplies.
Name usual_output(Name a, Name b, std::string_view asked);

/// Of one element; a fraction where several share a byte.
inline double element_bytes(Name dtype) { return dtype_facts(dtype, "An element").bytes; }

}  // namespace ckdispatch

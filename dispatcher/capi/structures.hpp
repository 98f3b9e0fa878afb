// SPDX-License-Identifier: MIT
// How a family's problem is read from the structure of a caller: zero is the default of every field.
#pragma once

#include <cstdint>
#include <cstring>

#include "ckdispatch/ckdispatch.h"
#include "ckdispatch/core/error.hpp"

namespace ckdispatch::capi {

/// The structure with what was appended later; in one of the size `shorter`, that of an earlier version, that is zero. Throws Error with the sentence for any other.
template <class Structure>
Structure whole(const ckd_problem& base, ckd_family family, std::size_t shorter, const char* sentence) {
    if (base.family != std::uint32_t(family) || (base.struct_size != shorter && base.struct_size < sizeof(Structure))) throw Error(ErrorCode::invalid_argument, sentence);
    Structure structure{};
    std::memcpy(&structure, &base, base.struct_size == shorter ? shorter : sizeof(structure));
    return structure;
}

inline const char* text(const char* given, const char* otherwise) { return given ? given : otherwise; }

/// Parts of a split sum: 0 is 1, and -1 lets the dispatcher choose.
inline std::int64_t parts_of(std::int64_t given) { return given == -1 ? 0 : given == 0 ? 1 : given; }

}  // namespace ckdispatch::capi

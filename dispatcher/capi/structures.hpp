// SPDX-License-Identifier: MIT
// How a family's problem is read from the structure of a caller: zero is the default of every field.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "ckdispatch/ckdispatch.h"
#include "ckdispatch/core/error.hpp"

namespace ckdispatch::capi {

/// Of any version to come; what is beyond has no size that was set.
inline constexpr std::uint32_t kLargestStructure = 65536;

/// The structure with what was appended later; in one of the size `shorter`, that of an earlier version, that is zero.
/// Throws Error with the sentence for any other.
template <class Structure>
Structure whole(const ckd_problem& base, ckd_family family, std::size_t shorter, const char* sentence) {
    const bool has_size =
        base.struct_size == shorter || (base.struct_size >= sizeof(Structure) && base.struct_size <= kLargestStructure);
    if (base.family != std::uint32_t(family) || !has_size) throw InvalidArgumentError(sentence);
    Structure structure{};
    std::memcpy(&structure, &base, base.struct_size == shorter ? shorter : sizeof(structure));
    return structure;
}

/// A word of a structure, or the other if it is null. Throws Error for one that does not end where words do.
inline std::string_view text(const char* given, std::string_view otherwise) {
    constexpr std::size_t kLongest = 1000;
    if (!given) return otherwise;
    const std::size_t size = ::strnlen(given, kLongest + 1);
    if (size > kLongest)
        throw InvalidArgumentError("A problem was given with a word that does not end within " +
                                   std::to_string(kLongest) + " bytes.");
    return {given, size};
}

}  // namespace ckdispatch::capi

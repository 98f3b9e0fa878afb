// SPDX-License-Identifier: MIT
// The tensors of a problem: device addresses, and what they are multiples of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ckdispatch/core/error.hpp"

namespace ckdispatch {

/// Device addresses in the order that the family documents.
using Tensors = void* const*;

/// The largest power of two that divides it.
inline std::uintptr_t lowest_bit(std::uintptr_t bits) { return bits & (~bits + 1); }

/// `asked` begins the sentence, such as "A GEMM". Throws InvalidArgumentError unless it is a power of two up to 16.
inline void check_alignment(int bytes, std::string_view asked) {
    if (bytes < 1 || bytes > 16 || (bytes & (bytes - 1)))
        throw InvalidArgumentError(std::string(asked) + " with addresses aligned to " + std::to_string(bytes) +
                                   " bytes was asked for; an alignment is 1, 2, 4, 8 or 16.");
}

[[noreturn]] inline void refuse_missing(std::string_view asked, const std::string& name) {
    throw InvalidArgumentError(std::string(asked) + " was to be run with no address for " + name + ".");
}

/// What all addresses are multiples of, up to what was stated. Throws InvalidArgumentError if one is null;
/// name_of(i) is what tensor i is called, or empty if it may be left out.
template <class NameOf>
int alignment_of(Tensors tensors, std::size_t count, int stated, std::string_view asked, NameOf&& name_of) {
    std::uintptr_t bits = std::uintptr_t(stated);
    for (std::size_t i = 0; i < count; ++i) {
        if (!tensors[i]) {
            const std::string name = name_of(i);
            if (!name.empty()) refuse_missing(asked, name);
        }
        bits |= reinterpret_cast<std::uintptr_t>(tensors[i]);
    }
    return int(lowest_bit(bits));
}

}  // namespace ckdispatch

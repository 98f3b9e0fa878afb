// SPDX-License-Identifier: MIT
// Sums that a kernel computes in parts, by different workgroups: what the families that do it have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ckdispatch/core/name.hpp"

namespace ckdispatch {

/// How a kernel adds up the parts, a field of its key: none, atomic (in the output, in any order) or workspace (in a
/// second launch, in one order).
struct SplitK {
    Name none{"none"}, atomic{"atomic"}, workspace{"workspace"};

    /// Looked up once: a word is found again by its address.
    static const SplitK& words();

    /// Why a kernel does not compute the sum in that many parts (0 for any number); empty if it does. `sum` is what it
    /// is called, such as "K".
    static std::string mismatch(Name way, std::int64_t parts, bool deterministic, std::string_view sum);

    /// The numbers of parts to try: what was asked for, or if that is 0 several, with a tile of the depth for each.
    static std::vector<std::int64_t> choices(Name way, std::int64_t parts, bool deterministic, std::int64_t tile,
                                             std::int64_t depth);

    /// What a structure of C says of them: 0 is 1, and -1 lets the dispatcher choose.
    static std::int64_t parts_of(std::int64_t given) { return given == -1 ? 0 : given == 0 ? 1 : given; }

    /// Why parts that are added in any order do not serve who wants the same bits every time.
    static constexpr std::string_view kOtherBits =
        "adds its parts in any order, and the result was to be the same every time.";
};

}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
#include "ckdispatch/product/split_k.hpp"

namespace ckdispatch {
namespace {

constexpr std::int64_t kMostParts = 32;
// Two parts are added to zero in either order with the same result; more are not.
constexpr std::int64_t kMostInAnyOrder = 2;

}  // namespace

const SplitK& SplitK::words() {
    static const SplitK all;
    return all;
}

std::string SplitK::mismatch(Name way, std::int64_t parts, bool deterministic, std::string_view sum) {
    const std::string it(sum);
    const bool splits = way != words().none;
    if (splits && parts == 1) return "adds up parts of " + it + "; for " + it + " as a whole others are better.";
    if (!splits && parts > 1) return "computes " + it + " whole, not in " + std::to_string(parts) + " parts.";
    return way == words().atomic && deterministic && parts > kMostInAnyOrder ? std::string(kOtherBits) : "";
}

std::vector<std::int64_t> SplitK::choices(Name way, std::int64_t parts, bool deterministic, std::int64_t tile,
                                          std::int64_t depth) {
    if (parts > 0) return {parts};
    if (way == words().none) return {1};
    const std::int64_t most = way == words().atomic && deterministic ? kMostInAnyOrder : kMostParts;
    std::vector<std::int64_t> choices;
    for (std::int64_t some = 2; some <= most && some * tile <= depth; some *= 2) choices.push_back(some);
    return choices;
}

}  // namespace ckdispatch

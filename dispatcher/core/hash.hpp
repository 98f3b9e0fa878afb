// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <tuple>

namespace ckdispatch {

/// Mixes numbers, and the addresses of words that are kept once, into a hash.
template <class... Parts>
void mix(std::size_t& seed, const std::tuple<Parts...>& parts) {
    std::apply([&](const auto&... part) { ((seed = (seed ^ std::size_t(part)) * 0x9e3779b97f4a7c15ull, seed ^= seed >> 29), ...); }, parts);
}

}  // namespace ckdispatch

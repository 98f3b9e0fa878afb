// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

namespace ckdispatch {

/// Mixes numbers, and the addresses of words that are kept once, into a hash. Each is multiplied by a number of its
/// own, so that the processor need not wait for one product before it begins the next.
template <class... Parts>
void mix(std::size_t& seed, const std::tuple<Parts...>& parts) {
    std::uint64_t factor = 0x9e3779b97f4a7c15, sum = seed * factor;
    std::apply(
        [&](const auto&... part) {
            ((factor = factor * 0xd1342543de82ef95 + 2, sum += std::uint64_t(part) * factor), ...);
        },
        parts);
    sum = (sum ^ (sum >> 32)) * 0xd6e8feb86659fd93;
    seed = std::size_t(sum ^ (sum >> 32));
}

}  // namespace ckdispatch

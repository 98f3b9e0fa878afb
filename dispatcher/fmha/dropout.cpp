// SPDX-License-Identifier: MIT
#include "ckdispatch/fmha/dropout.hpp"

#include <array>

namespace ckdispatch {
namespace {

using Words = std::array<std::uint32_t, 4>;

Words philox(Words counter, std::uint64_t key) {
    constexpr int kRounds = 7;
    auto first = std::uint32_t(key), second = std::uint32_t(key >> 32);
    for (int round = 0; round < kRounds; ++round) {
        const std::uint64_t a = std::uint64_t(counter[0]) * 0xd2511f53, b = std::uint64_t(counter[2]) * 0xcd9e8d57;
        counter = {std::uint32_t(b >> 32) ^ counter[1] ^ first, std::uint32_t(b),
                   std::uint32_t(a >> 32) ^ counter[3] ^ second, std::uint32_t(a)};
        first += 0x9e3779b9, second += 0xbb67ae85;
    }
    return counter;
}

}  // namespace

FmhaDropout::FmhaDropout(float p_drop, std::uint64_t seed, std::uint64_t offset, std::int64_t heads)
    : seed_(seed),
      offset_(offset),
      heads_(heads),
      most_(std::uint8_t(255.0f * (1.0f - p_drop))),
      kept_(double(1.0f / (1.0f - p_drop))) {}

std::uint8_t FmhaDropout::byte(std::int64_t sequence, std::int64_t head, std::int64_t row, std::int64_t key) const {
    constexpr std::int64_t kTile = 32, kLanes = 64;
    // A lane has 16 bytes: of one column, and of two times eight rows.
    const std::int64_t down = row % kTile, lane = key % kTile + kTile * (down / 8 % 2);
    const std::uint64_t stream = std::uint64_t((sequence * heads_ + head) * kLanes + lane) + offset_;
    const Words words = philox(
        {std::uint32_t(stream), std::uint32_t(stream >> 32), std::uint32_t(row / kTile), std::uint32_t(key / kTile)},
        seed_);
    const std::int64_t index = down % 8 + 8 * (down / 16);
    return std::uint8_t(words[std::size_t(index / 4)] >> (index % 4 * 8));
}

}  // namespace ckdispatch

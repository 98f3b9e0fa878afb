// SPDX-License-Identifier: MIT
// The random bytes of dropout, as every kernel makes them. For the sources of this folder.
#pragma once

#include <cstdint>

namespace ckdispatch {

/// Philox4x32 with seven rounds over tiles of 32 x 32 scores: a byte depends on seed, offset, sequence, head, row and
/// key alone.
class FmhaDropout {
public:
    FmhaDropout(float p_drop, std::uint64_t seed, std::uint64_t offset, std::int64_t heads);

    std::uint8_t byte(std::int64_t sequence, std::int64_t head, std::int64_t row, std::int64_t key) const;
    /// What a weight is multiplied by: 0 if it is dropped, and else what makes up for those that are.
    double factor(std::int64_t sequence, std::int64_t head, std::int64_t row, std::int64_t key) const {
        return byte(sequence, head, row, key) <= most_ ? kept_ : 0;
    }

private:
    std::uint64_t seed_, offset_;
    std::int64_t heads_;
    std::uint8_t most_;
    double kept_;
};

}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// From one compute unit to memory: its L1, and its share of L2, of the Infinity Cache and of memory, while all others
// do the same.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "gfxsim/timing/facts.hpp"
#include "gfxsim/timing/stream.hpp"

namespace gfxsim::timing {

/// Bytes per cycle that one compute unit gets of what all share, and how the lines of a launch are spread over them.
struct Shares {
    double l2 = 0;
    double mall = 0;
    double memory = 0;
    bool mall_is_warm = true;  ///< what the launch reads was there before
    /// Of each line that is known, by how many workgroups of the same XCD it is asked for at about the same time: all
    /// but one find it in L2.
    const std::unordered_map<u64, float>* sharers = nullptr;
    float other_sharers = 1;  ///< of lines that are not known
};

class MemoryPath {
public:
    MemoryPath(const Facts& facts, const Shares& shares);

    /// Whether another instruction can begin, and if not, when it can.
    u64 accepts_at(u64 now);
    /// Takes the instruction at `now`; returns when its last line is there, or written. Lines of another `turn` are
    /// others, with as many sharers.
    u64 access(u64 now, const Touch& touch, const u64* lines, u64 turn = 0);

private:
    bool in_l1(u64 line);

    const Facts& facts_;
    Shares shares_;
    double address_free_ = 0, l1_free_ = 0, l2_free_ = 0, beyond_free_ = 0, store_free_ = 0;
    std::vector<u64> outstanding_;             ///< a heap of the cycles at which lines arrive, the first in front
    std::unordered_set<u64> l1_;               ///< the lines in it
    std::unordered_map<u64, double> arrives_;  ///< lines that are on their way
    std::vector<u64> l1_order_;                ///< the same in the order in which they came, as a ring
    std::size_t l1_next_ = 0;
};

}  // namespace gfxsim::timing

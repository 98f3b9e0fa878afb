// SPDX-License-Identifier: MIT
// The parts of lds_table(), and what they share.
#pragma once

#include <algorithm>

#include "gfxsim/ops/reach.hpp"
#include "gfxsim/ops/tables.hpp"
#include "gfxsim/ops/transfer.hpp"

namespace gfxsim {

void add_lds_atomics(Table& table);
void add_lds_cross_lane(Table& table);
void add_lds_transpose(Table& table);

inline Traits lds_traits() {
    Traits traits;
    traits.klass = Class::lds, traits.counter = Counter::lgkm;
    return traits;
}

/// A register plus a constant, in 32 bits that wrap.
inline void lds_offsets(const Wave& wave, const Operand& address, u32 offset, Reach& reach) {
    const u32* row = wave.v[address.index];
    u32 most = 0;
    for (int lane = 0; lane < wave.size; ++lane) reach.at[lane] = u32(row[lane] + offset);
    for (int lane = 0; lane < wave.size; ++lane) most = std::max(most, row[lane] + offset);
    reach.bounds = Bounds::from(0, most);
}

/// The registers of an operand from `first` on.
inline Operand part(const Operand& operand, int first, int dwords) {
    Operand made = operand;
    made.index = u16(operand.index + first), made.dwords = u8(dwords);
    return made;
}

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
// What the lanes of one access share: lines of memory, and banks of LDS.
#pragma once

#include <array>

#include "gfxsim/core/wave.hpp"

namespace gfxsim {

/// Distinct lines, by number, in rising order.
struct Lines {
    std::array<u64, 4 * kLanes> number;
    std::size_t count = 0;
};
Lines distinct_lines(const Access& access, u64 line_bytes);

/// Cycles that the banks of LDS need, and how many of them because lanes meet in a bank.
struct BankUse {
    u64 cycles = 0;
    u64 conflict = 0;
};
BankUse bank_use(const Access& access, u32 banks);

}  // namespace gfxsim

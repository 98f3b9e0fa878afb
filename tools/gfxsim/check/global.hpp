// SPDX-License-Identifier: MIT
// Global memory: bounds with the lane that broke them, alignment, undefined values, and workgroups in each other's way.
#pragma once

#include "gfxsim/check/findings.hpp"

namespace gfxsim {

class GlobalCheck {
public:
    /// `launch`: a number that no other launch of the process has.
    explicit GlobalCheck(u64 launch) : launch_(launch) {}

    /// Returns the lanes that read defined values only. Throws a Fault for an address outside of every allocation.
    u64 access(Wave& wave, const Instr& instr, const Access& access, u64 defined, Findings& findings);

private:
    const Allocation& allocation(const Wave& wave, u64 address, const Access& access, int lane);

    u64 launch_;
    Allocation last_;
};

}  // namespace gfxsim

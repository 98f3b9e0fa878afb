// SPDX-License-Identifier: MIT
#pragma once

#include "gfxsim/core/wave.hpp"

namespace gfxsim {

/// Prints to standard error what one wave does: each instruction and the first lanes of what it wrote.
class Tracer : public Observer {
public:
    Tracer(u64 group, u32 wave) : group_(group), wave_(wave) {}
    void access(Wave& wave, const Instr& instr, const Access& access) override;
    void after(Wave& wave, const Instr& instr) override;

private:
    bool watched(const Wave& wave) const { return wave.group->index == group_ && wave.index == wave_; }

    u64 group_;
    u32 wave_;
};

}  // namespace gfxsim

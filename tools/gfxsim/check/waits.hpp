// SPDX-License-Identifier: MIT
// Which registers of a wave are still to be filled by a load that nothing has waited for.
#pragma once

#include <array>
#include <deque>

#include "gfxsim/check/findings.hpp"

namespace gfxsim {

class WaitCheck {
public:
    void start();
    /// Reports uses of registers that a load has yet to fill.
    void before(const Wave& wave, const Instr& instr, Findings& findings) const;
    /// Takes in what the instruction started or waited for.
    void after(const Instr& instr);

    /// The newest memory instruction of a counter, and the newest that is known to have ended.
    u64 issued(Counter counter) const { return issued_[std::size_t(counter)]; }
    u64 ended(Counter counter) const { return ended_[std::size_t(counter)]; }

private:
    /// A memory instruction whose end the wave has not waited for, and the registers that it will write.
    struct Outstanding {
        u64 serial;
        bool scalar;
        u16 first;
        u8 dwords;
        u8 halves;  ///< bit 0: the lower, bit 1: the upper half of each register
    };
    struct Pending {
        std::array<u8, 2> counter{};  ///< of the load that fills each half, or 0
    };
    Pending* file(bool scalar) { return scalar ? scalar_.data() : vector_.data(); }
    void check(const Wave& wave, const Instr& instr, const Operand& operand, u8 halves, Findings& findings) const;
    void issue(const Instr& instr, Counter counter);
    void wait(const Instr& instr);
    void end_first(std::size_t counter);
    /// Scalar loads end in any order, so that it is not known which of those outstanding ends first.
    bool unordered(std::size_t counter) const;

    std::array<Pending, kVectorRows> vector_{};
    std::array<Pending, sreg::count> scalar_{};
    std::array<std::deque<Outstanding>, kCounters> outstanding_;
    std::array<u64, kCounters> issued_{};
    std::array<u64, kCounters> ended_{};
};

}  // namespace gfxsim

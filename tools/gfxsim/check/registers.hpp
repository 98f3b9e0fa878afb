// SPDX-License-Identifier: MIT
// Which registers of a wave hold a value that the program put there, and which are still to be filled by a load.
#pragma once

#include <array>
#include <bitset>
#include <deque>

#include "gfxsim/check/findings.hpp"

namespace gfxsim {

/// A memory instruction whose end the wave has not waited for.
struct Outstanding {
    u64 serial;       ///< counts the instructions of one counter
    bool scalar;      ///< scalar loads end in any order
    u16 first;        ///< registers that it will write
    u8 dwords;
};

class RegisterCheck {
public:
    /// The state when a wave starts.
    void start(const Wave& wave);
    /// Reports uses of registers that a load has yet to fill, and of undefined values where they decide something.
    void before(Wave& wave, const Instr& instr, Findings& findings);
    /// Takes in what the instruction wrote. `loaded`: lanes whose memory was defined, for a load.
    void after(Wave& wave, const Instr& instr, u64 loaded);
    /// Lanes of a vector operand that are defined in all its registers.
    u64 defined_lanes(const Operand& operand) const;

    /// The newest memory instruction of a counter, and the newest that is known to have ended.
    u64 issued(Counter counter) const { return issued_[int(counter)]; }
    u64 ended(Counter counter) const { return ended_[int(counter)]; }

private:
    void check_pending(const Wave& wave, const Instr& instr, const Operand& operand, Findings& findings) const;
    bool scalar_defined(const Operand& operand) const;
    void define(const Operand& operand, u64 lanes_written, u64 lanes_defined);
    void issue(const Instr& instr, Counter counter);
    void wait(const Instr& instr);

    std::array<u64, kVectorRows> vector_{};
    std::bitset<sreg::count> scalar_;
    bool scc_ = false;
    std::array<u8, kVectorRows> vector_pending_{};  ///< counter that fills the register, or 0
    std::array<u8, sreg::count> scalar_pending_{};
    std::array<std::deque<Outstanding>, kCounters> outstanding_;
    std::array<u64, kCounters> issued_{};
    std::array<u64, kCounters> ended_{};
};

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
// Which values in registers go back to something that the program wrote: per lane in vector registers, per bit in
// scalar registers, for compilers keep masks of lanes of which only some bits ever matter.
#pragma once

#include <array>

#include "gfxsim/check/findings.hpp"
#include "gfxsim/check/flow.hpp"

namespace gfxsim {

/// Lanes whose memory was defined, for each register that a load writes; no load writes more vector registers.
using Loaded = std::array<u64, 4>;

/// One register of an operand that has several.
Operand register_of(Operand operand, int dword);

class Definedness {
public:
    /// The state when a wave starts.
    void start(const Wave& wave);
    /// Works out what the instruction's results will be, while its sources still hold their values; reports undefined
    /// values that decide a branch or which lanes work on.
    void before(const Wave& wave, const Instr& instr, Findings& findings);
    /// Takes the results in, of both halves if the instruction has two. `loaded`: of its memory, for a load.
    void after(const Instr& instr, const Loaded& loaded);
    /// Lanes of an operand that are defined in all its registers; all or none for a scalar one.
    u64 lanes(const Operand& operand) const;

private:
    /// A scalar operand's value and the bits of it that are defined.
    struct Bits {
        u64 value;
        u64 defined;
    };
    Bits bits(const Wave& wave, const Operand& operand) const;
    Bits vcc(const Wave& wave) const;
    u64 combined(Flow flow, const Bits& a, const Bits& b) const;
    /// What is known about the results of an instruction, or of one half of a dual-issue instruction.
    struct Results {
        u64 made = 0;     ///< lanes, or bits of a scalar result
        u64 low = 0;      ///< lanes of the low half of a 64-bit result
        u64 written = 0;  ///< lanes
        bool scc = false;
    };
    Results work_out(const Wave& wave, const Instr& instr, Findings& findings) const;
    Results of_bits(const Wave& wave, const Instr& instr, const FlowOf& flow, Findings& findings) const;
    Results of_lanes(const Wave& wave, const Instr& instr, const FlowOf& flow) const;
    u64 of_matrix(const Wave& wave, const Instr& instr) const;
    void take_in(const Instr& instr, const Results& results, const Loaded& loaded);
    void check_branch(const Wave& wave, const Instr& instr, Findings& findings) const;
    void set_scalar(const Operand& operand, u64 defined);
    void set_vector(const Operand& operand, u64 written, u64 defined);

    std::array<u64, kVectorRows> vector_{};
    std::array<u32, sreg::count> scalar_{};
    bool scc_ = false;

    Results first_, second_;  ///< of the instruction that is running
};

}  // namespace gfxsim

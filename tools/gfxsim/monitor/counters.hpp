// SPDX-License-Identifier: MIT
// Counts what a launch did.
#pragma once

#include <array>
#include <vector>

#include "gfxsim/core/wave.hpp"

namespace gfxsim {

struct Counts {
    std::array<u64, kClasses> instructions{};
    u64 matrix_flops = 0;
    u64 barriers = 0;     ///< times that all waves of a workgroup met
    u64 global_read = 0;  ///< bytes that lanes asked for
    u64 global_written = 0;
    u64 global_atomic = 0;
    u64 global_accesses = 0;  ///< instructions
    u64 global_lines = 0;     ///< distinct lines of kLineBytes that those instructions touched
    u64 scalar_read = 0;      ///< bytes that a wave asked for as one, such as its arguments
    u64 scalar_written = 0;
    u64 scalar_accesses = 0;
    u64 lds_read = 0;
    u64 lds_written = 0;
    u64 lds_accesses = 0;
    u64 lds_cycles = 0;           ///< that the banks need for them
    u64 lds_conflict_cycles = 0;  ///< of these: because lanes meet in a bank

    void add(const Counts& other);
};

constexpr u64 kLineBytes = 64;

class LaunchCounter : public Observer {
public:
    void before(Wave& wave, const Instr& instr) override;
    void access(Wave& wave, const Instr& instr, const Access& access) override;
    void barrier(Workgroup&) override { ++counts_.barriers; }
    const Counts& counts() const { return counts_; }

private:
    Counts counts_;
};

}  // namespace gfxsim

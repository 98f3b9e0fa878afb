// SPDX-License-Identifier: MIT
// What the checking mode found in a launch.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gfxsim/core/wave.hpp"

namespace gfxsim {

enum class FindingKind : u8 {
    uninitialised_register,
    uninitialised_memory,
    uninitialised_lds,
    missing_wait,
    lds_race,
    lds_out_of_bounds,
    misaligned,
    divergent_barrier,
    conflicting_stores,
    inactive_lanes,
};
const char* finding_name(FindingKind kind);

/// The first time that an instruction showed a kind of bug, and how often it did.
struct Finding {
    FindingKind kind;
    u32 offset = 0;  ///< of the instruction in the code
    std::string instruction;
    std::string message;
    u32 group[3] = {0, 0, 0};
    u32 wave = 0;
    int lane = -1;  ///< -1: the wave as a whole
    u64 count = 0;
};

class Findings {
public:
    void add(FindingKind kind, const Wave& wave, const Instr& instr, int lane, const std::string& message);
    /// Whether this kind was reported for this instruction already, so that the message need not be made.
    bool again(FindingKind kind, const Instr& instr);
    void merge(const Findings& other);
    std::vector<Finding> list() const;
    bool empty() const { return found_.empty(); }

private:
    std::map<std::pair<u32, FindingKind>, Finding> found_;
};

/// One sentence for people.
std::string describe(const Finding& finding, const std::string& kernel);

}  // namespace gfxsim

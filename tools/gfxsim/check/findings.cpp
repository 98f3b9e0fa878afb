// SPDX-License-Identifier: MIT
#include "gfxsim/check/findings.hpp"

#include <cstdio>

namespace gfxsim {

const char* finding_name(FindingKind kind) {
    constexpr const char* kNames[] = {
        "uninitialised_register", "uninitialised_memory", "uninitialised_lds", "missing_wait",       "lds_race",
        "lds_out_of_bounds",      "misaligned",           "divergent_barrier", "conflicting_stores", "inactive_lanes"};
    return kNames[int(kind)];
}

bool Findings::again(FindingKind kind, const Instr& instr) {
    const auto found = found_.find({instr.offset, kind});
    if (found == found_.end()) return false;
    ++found->second.count;
    return true;
}

void Findings::add(FindingKind kind, const Wave& wave, const Instr& instr, int lane, const std::string& message) {
    if (again(kind, instr)) return;
    Finding finding;
    finding.kind = kind, finding.offset = instr.offset, finding.instruction = wave.program->text(instr),
    finding.message = message;
    for (int axis = 0; axis < 3; ++axis) finding.group[axis] = wave.group->id[axis];
    finding.wave = wave.index, finding.lane = lane, finding.count = 1;
    found_.emplace(std::make_pair(instr.offset, kind), std::move(finding));
}

void Findings::merge(const Findings& other) {
    for (const auto& [key, finding] : other.found_) {
        auto [place, added] = found_.emplace(key, finding);
        if (added) continue;
        // Which thread met a bug first is chance; the lowest workgroup is not.
        Finding& kept = place->second;
        const auto order = [](const Finding& f) {
            return std::make_tuple(f.group[2], f.group[1], f.group[0], f.wave, f.lane);
        };
        const u64 total = kept.count + finding.count;
        if (order(finding) < order(kept)) kept = finding;
        kept.count = total;
    }
}

std::vector<Finding> Findings::list() const {
    std::vector<Finding> all;
    all.reserve(found_.size());
    for (const auto& entry : found_) all.push_back(entry.second);
    return all;
}

std::string describe(const Finding& finding, const std::string& kernel) {
    char place[160];
    std::snprintf(place, sizeof(place), " at offset 0x%x, workgroup (%u, %u, %u), wave %u", finding.offset,
                  finding.group[0], finding.group[1], finding.group[2], finding.wave);
    const std::string lane = finding.lane < 0 ? "" : ", lane " + std::to_string(finding.lane);
    const std::string times = finding.count > 1 ? "; " + std::to_string(finding.count) + " times" : "";
    return std::string(finding_name(finding.kind)) + ": kernel " + kernel + ": '" + finding.instruction + "' " +
           finding.message + place + lane + times + ".";
}

}  // namespace gfxsim

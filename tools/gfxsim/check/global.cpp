// SPDX-License-Identifier: MIT
#include "gfxsim/check/global.hpp"

#include <algorithm>
#include <cstdio>

#include "gfxsim/core/shadow.hpp"

namespace gfxsim {
namespace {

std::string hex(u64 value) {
    char text[24];
    std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

constexpr int kGroupBits = 40;

}  // namespace

const Allocation& GlobalCheck::allocation(const Wave& wave, u64 address, const Access& access, int lane) {
    if (last_.reachable().holds(address, access.bytes)) return last_;
    const AddressSpace& memory = *wave.group->launch->memory;
    const Allocation* found = memory.reach(address, access.bytes);
    const char* verb = access.use == Use::read    ? "reads "
                       : access.use == Use::write ? "writes "
                                                  : "atomically updates ";
    if (!found)
        throw Fault(FaultKind::memory, std::string(verb) + std::to_string(access.bytes) + " bytes at " + hex(address) +
                                           " in lane " + std::to_string(lane) + ", " + memory.describe(address));
    last_ = *found;
    return last_;
}

u64 GlobalCheck::access(Wave& wave, const Instr& instr, const Access& access, u64 defined, Findings& findings) {
    u64 good = ~u64(0);
    const u32 align = std::min<u32>(access.bytes, 4);
    const u64 owner = launch_ << kGroupBits | (wave.group->index + 1);
    for_lanes(access.mask, [&](int lane) {
        const u64 address = access.address[lane];
        const Allocation& at = allocation(wave, address, access, lane);
        if (address % align && !findings.again(FindingKind::misaligned, instr))
            findings.add(
                FindingKind::misaligned, wave, instr, lane,
                "accesses " + std::to_string(access.bytes) + " bytes at " + hex(address) + ", which is not aligned,");
        Shadow* shadow = at.shadow.get();
        if (!shadow) return;
        const u64 offset = address - at.begin;
        if (access.use != Use::write && !shadow->is_defined(offset, access.bytes)) {
            good &= ~(u64(1) << lane);
            if (!findings.again(FindingKind::uninitialised_memory, instr))
                findings.add(FindingKind::uninitialised_memory, wave, instr, lane,
                             "reads " + std::to_string(access.bytes) + " bytes at " + hex(address) + " (byte " +
                                 std::to_string(offset) + " of an allocation) that nothing has written,");
        }
        if (access.use == Use::read) return;
        shadow->define(offset, access.bytes, access.use == Use::atomic || (defined >> lane & 1));
        if (access.use == Use::atomic) return;
        for (u64 word = offset / 4; word <= (offset + access.bytes - 1) / 4; ++word) {
            const u64 before = __atomic_exchange_n(&shadow->writer[word], owner, __ATOMIC_RELAXED);
            // Parts of one word may belong to two workgroups; only whole words are compared.
            const bool whole = offset <= 4 * word && offset + access.bytes >= 4 * word + 4;
            if (!whole || before == owner || before >> kGroupBits != launch_) continue;
            if (findings.again(FindingKind::conflicting_stores, instr)) continue;
            findings.add(FindingKind::conflicting_stores, wave, instr, lane,
                         "stores to " + hex(at.begin + 4 * word) + " (byte " + std::to_string(4 * word) +
                             " of an allocation), to which workgroup " +
                             std::to_string((before & ((u64(1) << kGroupBits) - 1)) - 1) +
                             " stored in the same launch,");
        }
    });
    return good;
}

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
#include "gfxsim/check/checker.hpp"

#include <algorithm>

namespace gfxsim {

void Checker::start(Wave& wave) {
    auto& slot = groups_[wave.group];
    if (!slot) slot = std::make_unique<GroupState>();
    if (wave.index == 0) slot->lds.start(*wave.group);
    while (slot->waves.size() <= wave.index) {
        slot->waves.push_back(std::make_unique<WaveState>());
        slot->waits.push_back(&slot->waves.back()->waits);
    }
    wave.check_state = slot.get();
    WaveState& fresh = state(wave);
    fresh.waits.start();
    fresh.defined.start(wave);
    fresh.scratch.assign(wave.scratch.size(), 0);
    fresh.barrier = nullptr;
}

void Checker::before(Wave& wave, const Instr& instr) {
    loaded_.fill(~u64(0));
    if (!instr.def) return;
    WaveState& now = state(wave);
    for (const Instr* half = &instr; half; half = half->pair) now.waits.before(wave, *half, findings_);
    now.defined.before(wave, instr, findings_);
    if (instr.def->traits.klass == Class::barrier) now.barrier = &instr;
    if (instr.def->traits.klass == Class::matrix) check_lanes(wave, instr);
}

// A product takes the registers of lanes that are off as well, and nothing behind the branch that turned them off, not
// even a register that comes back from scratch memory, writes them. Nobody writes such code; compilers make it when
// they do not know that products need every lane.
void Checker::check_lanes(const Wave& wave, const Instr& instr) {
    const u64 off = wave.full & ~wave.exec();
    if (!off || findings_.again(FindingKind::inactive_lanes, instr)) return;
    findings_.add(FindingKind::inactive_lanes, wave, instr, lowest(off),
                  "needs every lane and runs while some are off,");
}

void Checker::check_operands(Wave& wave, const Instr& instr, const Access& access) {
    const Definedness& registers = state(wave).defined;
    for (int n = 0; n < instr.srcs; ++n) {
        const Operand& operand = instr.src[n];
        // LDS instructions name their address first and data behind it.
        const bool lds = instr.def->traits.klass == Class::lds;
        const bool data =
            lds ? n > 0 : access.data && operand.kind == access.data->kind && operand.index == access.data->index;
        if (data && !(access.use == Use::write && access.space == Space::global)) continue;
        const u64 bad = access.mask & ~registers.lanes(operand);
        if (!bad || findings_.again(FindingKind::uninitialised_register, instr)) continue;
        findings_.add(FindingKind::uninitialised_register, wave, instr, lowest(bad),
                      data ? "stores a value that depends on no value that was written,"
                           : "uses an address that depends on no value that was written,");
    }
}

// Register by register: compilers spill pairs of which one register never had a value, and use the other.
void Checker::scratch_access(Wave& wave, const Access& access) {
    WaveState& now = state(wave);
    const Span memory{0, wave.group->launch->scratch_bytes};
    for (u32 offset = 0; offset < access.bytes; offset += 4) {
        const u32 dword = offset / 4;
        const u64 stored =
            access.use != Use::read && access.data ? now.defined.lanes(register_of(*access.data, int(dword))) : ~u64(0);
        for_lanes(access.mask, [&](int lane) {
            if (!memory.holds(access.address[lane], access.bytes)) return;
            const u64 first = u64(lane) * memory.size() + access.address[lane] + offset;
            for (u64 i = first; i < first + std::min<u32>(access.bytes - offset, 4); ++i) {
                if (access.use != Use::write && !now.scratch[i]) loaded_.at(dword) &= ~(u64(1) << lane);
                if (access.use != Use::read) now.scratch[i] = u8(stored >> lane & 1);
            }
        });
    }
}

void Checker::load(u64 defined) {
    for (u64& lanes : loaded_) lanes &= defined;
}

void Checker::access(Wave& wave, const Instr& instr, const Access& access) {
    if (!access.mask) return;
    check_operands(wave, instr, access);
    if (access.space == Space::scratch) return scratch_access(wave, access);
    const bool stores = access.use != Use::read && access.data;
    const u64 defined = stores ? state(wave).defined.lanes(*access.data) : ~u64(0);
    if (access.space == Space::global) return load(global_.access(wave, instr, access, defined, findings_));
    GroupState& group = *static_cast<GroupState*>(wave.check_state);
    load(group.lds.access(wave, instr, access, defined, {group.waits.data(), instr.def->traits.counter}, findings_));
}

void Checker::after(Wave& wave, const Instr& instr) {
    if (!instr.def) return;
    WaveState& now = state(wave);
    now.defined.after(instr, loaded_);
    now.waits.after(instr);
}

void Checker::barrier(Workgroup& group) {
    GroupState& met = *groups_.at(&group);
    const Instr* first = nullptr;
    for (const Wave* wave : group.waves) {
        if (wave->state != State::ended && !first) first = met.waves[wave->index]->barrier;
    }
    for (const Wave* wave : group.waves) {
        const Instr* at = wave->state == State::ended ? nullptr : met.waves[wave->index]->barrier;
        if (!first || at == first || findings_.again(FindingKind::divergent_barrier, *first)) continue;
        findings_.add(FindingKind::divergent_barrier, *wave, *first, -1,
                      at ? "is a barrier at which some waves meet others that wait at another barrier,"
                         : "is a barrier that other waves reached after this one had ended,");
    }
    met.lds.barrier();
}

}  // namespace gfxsim

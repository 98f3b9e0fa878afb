// SPDX-License-Identifier: MIT
#include "gfxsim/check/waits.hpp"

#include <algorithm>
#include <string_view>

#include "gfxsim/check/names.hpp"

namespace gfxsim {
namespace {

constexpr u8 kBoth = 3;

u8 halves_read(const Instr& instr, int n) {
    if (!instr.src[n].is_vector() || !fills_half(instr.def->src[std::size_t(n)]) || instr.mod.has_sdwa) return kBoth;
    return instr.src[n].high || (instr.mod.op_sel >> n & 1) ? 2 : 1;
}

u8 halves_loaded(const Instr& instr) {
    const std::string_view name = instr.def->name;
    if (name.find("d16_hi") != name.npos) return 2;
    return name.find("d16") != name.npos ? 1 : kBoth;
}

u8 halves_written(const Instr& instr, int n) {
    const Traits& traits = instr.def->traits;
    const Operand& dst = instr.dst[n];
    // Matrices of 16-bit results fill registers in ways of their own.
    if (!dst.is_vector() || !fills_half(instr.def->dst[std::size_t(n)]) || instr.mod.has_sdwa ||
        traits.klass == Class::matrix)
        return kBoth;
    if (dst.high || instr.mod.dst_high || traits.writes_high) return 2;
    return instr.isa != Isa::gfx9 || traits.keeps_half ? 1 : kBoth;
}

std::size_t most_outstanding(Counter counter, Isa isa) {
    switch (counter) {
        case Counter::lgkm: return isa == Isa::gfx9 ? 15 : 63;
        case Counter::km: return 31;
        case Counter::exp:
        case Counter::bvh: return 7;
        default: return 63;
    }
}

}  // namespace

void WaitCheck::start() {
    vector_.fill({}), scalar_.fill({}), issued_.fill(0), ended_.fill(0);
    for (auto& queue : outstanding_) queue.clear();
}

void WaitCheck::check(const Wave& wave, const Instr& instr, const Operand& operand, u8 halves,
                      Findings& findings) const {
    if (operand.kind != OperandKind::vector && operand.kind != OperandKind::scalar) return;
    for (int dword = 0; dword < operand.dwords; ++dword) {
        const std::size_t index = std::size_t(operand.index) + std::size_t(dword);
        const Pending& pending = operand.is_vector() ? vector_[index] : scalar_[index];
        const u8 counter = halves & 1 && pending.counter[0] ? pending.counter[0]
                           : halves & 2                     ? pending.counter[1]
                                                            : u8(0);
        if (!counter) continue;
        if (findings.again(FindingKind::missing_wait, instr)) return;
        findings.add(FindingKind::missing_wait, wave, instr, -1,
                     "uses " + register_name(operand, dword) + " before a wait for " +
                         counter_name(Counter(counter), wave.isa) + " says that the load into it is done,");
        return;
    }
}

void WaitCheck::before(const Wave& wave, const Instr& instr, Findings& findings) const {
    for (int n = 0; n < instr.srcs; ++n) check(wave, instr, instr.src[n], halves_read(instr, n), findings);
    // Loads of one counter return in order, so a later one may fill the same register.
    if (instr.def->traits.counter != Counter::none) return;
    for (int n = 0; n < instr.dsts; ++n) check(wave, instr, instr.dst[n], halves_written(instr, n), findings);
}

void WaitCheck::after(const Instr& instr) {
    const Traits& traits = instr.def->traits;
    if (traits.klass == Class::wait) return wait(instr);
    if (traits.counter == Counter::none) return;
    const std::string_view name = instr.def->name;
    // Later generations count an atomic that returns nothing with the stores.
    const bool as_store =
        traits.klass == Class::global && !instr.dsts && instr.isa != Isa::gfx9 && name.find("_atomic_") != name.npos;
    issue(instr, as_store ? Counter::store : traits.counter);
    // A flat access may go to LDS as well as to memory and counts for both.
    if (name.substr(0, 5) == "flat_") issue(instr, Counter::lgkm);
}

void WaitCheck::issue(const Instr& instr, Counter counter) {
    const std::size_t c = std::size_t(counter);
    Outstanding op{++issued_[c], instr.def->traits.klass == Class::scalar_memory, 0, 0, kBoth};
    if (instr.dsts) {
        op.first = instr.dst[0].index, op.dwords = instr.dst[0].dwords, op.halves = halves_loaded(instr);
        Pending* pending = file(op.scalar) + op.first;
        for (int dword = 0; dword < op.dwords; ++dword) {
            for (int half = 0; half < 2; ++half) {
                if (op.halves >> half & 1) pending[dword].counter[std::size_t(half)] = u8(c);
            }
        }
    }
    outstanding_[c].push_back(op);
    // What the counter cannot count has to wait until the oldest has ended, and compilers count on it.
    if (outstanding_[c].size() > most_outstanding(counter, instr.isa) && !unordered(c)) end_first(c);
}

bool WaitCheck::unordered(std::size_t counter) const {
    return std::any_of(outstanding_[counter].begin(), outstanding_[counter].end(),
                       [](const Outstanding& op) { return op.scalar; });
}

void WaitCheck::wait(const Instr& instr) {
    for (std::size_t c = 1; c < kCounters; ++c) {
        const u8 allowed = instr.mod.wait[c];
        if (allowed == kNoWait) continue;
        // Scalar loads return in any order: as long as one is out, only waiting for all tells anything.
        if (allowed > 0 && unordered(c)) continue;
        while (outstanding_[c].size() > allowed) end_first(c);
    }
}

void WaitCheck::end_first(std::size_t counter) {
    auto& queue = outstanding_[counter];
    const Outstanding op = queue.front();
    queue.pop_front();
    ended_[counter] = op.serial;
    Pending* pending = file(op.scalar);
    for (int index = op.first; index < op.first + op.dwords; ++index) {
        u8 again = 0;
        for (const Outstanding& later : queue) {
            if (later.scalar == op.scalar && index >= later.first && index < later.first + later.dwords)
                again |= later.halves;
        }
        for (int half = 0; half < 2; ++half) {
            u8& mark = pending[index].counter[std::size_t(half)];
            if ((op.halves & ~again) >> half & 1 && mark == counter) mark = 0;
        }
    }
}

}  // namespace gfxsim

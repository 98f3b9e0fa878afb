// SPDX-License-Identifier: MIT
#include "gfxsim/check/registers.hpp"

#include <string_view>

namespace gfxsim {
namespace {

bool is_memory(const Instr& instr) {
    const Class klass = instr.def->traits.klass;
    return klass == Class::lds || klass == Class::global || klass == Class::scratch || klass == Class::scalar_memory;
}

std::string register_name(const Operand& operand, int dword) {
    const int index = operand.index + dword;
    if (operand.is_vector()) return index >= kFirstAgpr ? "a" + std::to_string(index - kFirstAgpr) : "v" + std::to_string(index);
    if (index == sreg::vcc || index == sreg::vcc + 1) return "vcc";
    if (index == sreg::m0) return "m0";
    if (index >= sreg::exec) return "exec";
    return "s" + std::to_string(index);
}

const char* counter_name(Counter counter, Isa isa) {
    switch (counter) {
        case Counter::vm: return isa == Isa::gfx12 ? "loadcnt" : "vmcnt";
        case Counter::lgkm: return isa == Isa::gfx12 ? "dscnt" : "lgkmcnt";
        case Counter::km: return "kmcnt";
        case Counter::store: return isa == Isa::gfx12 ? "storecnt" : "vscnt";
        default: return "its counter";
    }
}

// A constant, or a pseudo register that always has a value.
bool always_defined(const Operand& operand) {
    return operand.kind != OperandKind::vector && operand.kind != OperandKind::scalar && operand.kind != OperandKind::scc;
}

// Lanes take values from other lanes, so a lane's own source says nothing about its result.
bool crosses_lanes(const Instr& instr) {
    const std::string_view name = instr.def->name;
    return instr.mod.dpp.kind != DppKind::none || name.substr(0, 10) == "v_permlane" || name.find("permute_b32") != name.npos ||
           name == "ds_swizzle_b32";
}

// The low half of a 64-bit result needs the low halves of the sources alone, and compilers leave the others unset.
bool carries_upward(std::string_view name) {
    return name == "v_mad_u64_u32" || name == "v_mad_i64_i32" || name == "v_mad_co_u64_u32" || name == "v_mad_co_i64_i32" ||
           name == "v_lshlrev_b64" || name == "v_lshl_add_u64" || name == "v_mov_b64" || name == "v_pk_mov_b32";
}

Operand low_half(Operand operand) {
    if (operand.dwords == 2) operand.dwords = 1;
    return operand;
}

}  // namespace

void RegisterCheck::start(const Wave& wave) {
    const Kernel& kernel = *wave.group->launch->kernel;
    vector_.fill(0), scalar_.reset(), vector_pending_.fill(0), scalar_pending_.fill(0), issued_.fill(0), ended_.fill(0);
    scc_ = false;
    for (auto& queue : outstanding_) queue.clear();
    const bool packed = wave.gpu->packed_ids();
    const u32 ids     = packed ? 1 : 1 + (kernel.rsrc2 >> 11 & 3);
    for (u32 row = 0; row < ids; ++row) vector_[row] = wave.full;
    // Everything below the last register that the hardware fills; more would need the layout a second time.
    const u32 user = kernel.rsrc2 >> 1 & 0x1f, groups = (kernel.rsrc2 >> 7 & 1) + (kernel.rsrc2 >> 8 & 1) + (kernel.rsrc2 >> 9 & 1);
    for (u32 index = 0; index < user + groups + 2; ++index) scalar_.set(index);
    for (u32 index = sreg::flat_scratch; index < sreg::vcc; ++index) scalar_.set(index);
    for (u32 index = sreg::ttmp; index < sreg::m0; ++index) scalar_.set(index);
    scalar_.set(sreg::null), scalar_.set(sreg::exec), scalar_.set(sreg::exec + 1);
}

u64 RegisterCheck::defined_lanes(const Operand& operand) const {
    if (always_defined(operand)) return ~u64(0);
    if (!operand.is_vector()) return scalar_defined(operand) ? ~u64(0) : 0;
    u64 lanes = ~u64(0);
    for (int dword = 0; dword < operand.dwords; ++dword) lanes &= vector_[std::size_t(operand.index + dword)];
    return lanes;
}

bool RegisterCheck::scalar_defined(const Operand& operand) const {
    if (operand.kind == OperandKind::scc) return scc_;
    for (int dword = 0; dword < operand.dwords; ++dword) {
        if (!scalar_[std::size_t(operand.index + dword)]) return false;
    }
    return true;
}

void RegisterCheck::check_pending(const Wave& wave, const Instr& instr, const Operand& operand, Findings& findings) const {
    if (operand.kind != OperandKind::vector && operand.kind != OperandKind::scalar) return;
    for (int dword = 0; dword < operand.dwords; ++dword) {
        const std::size_t index = std::size_t(operand.index + dword);
        const u8 counter        = operand.is_vector() ? vector_pending_[index] : scalar_pending_[index];
        if (!counter) continue;
        if (findings.again(FindingKind::missing_wait, instr)) return;
        findings.add(FindingKind::missing_wait, wave, instr, -1,
                     "uses " + register_name(operand, dword) + " before a wait for " + counter_name(Counter(counter), wave.isa) +
                         " says that the load into it is done,");
        return;
    }
}

void RegisterCheck::before(Wave& wave, const Instr& instr, Findings& findings) {
    const Traits& traits = instr.def->traits;
    for (int n = 0; n < instr.srcs; ++n) check_pending(wave, instr, instr.src[n], findings);
    for (int n = 0; n < instr.dsts; ++n) check_pending(wave, instr, instr.dst[n], findings);

    const auto report = [&](const Operand& operand, int lane, const char* role) {
        if (findings.again(FindingKind::uninitialised_register, instr)) return;
        findings.add(FindingKind::uninitialised_register, wave, instr, lane,
                     "uses " + register_name(operand, 0) + std::string(role) + ", to which the kernel has written no value,");
    };
    if (traits.klass == Class::branch && traits.reads_scc && !scc_) {
        if (!findings.again(FindingKind::uninitialised_register, instr))
            findings.add(FindingKind::uninitialised_register, wave, instr, -1, "branches on SCC, which depends on no value that was written,");
    }
    if (traits.klass == Class::branch && traits.reads_vcc && !scalar_[sreg::vcc]) {
        if (!findings.again(FindingKind::uninitialised_register, instr))
            findings.add(FindingKind::uninitialised_register, wave, instr, -1, "branches on VCC, which depends on no value that was written,");
    }
    // A mask that decides which lanes work on.
    for (int n = 0; n < instr.dsts; ++n) {
        if (!instr.dst[n].is_scalar() || instr.dst[n].index < sreg::exec) continue;
        for (int s = 0; s < instr.srcs; ++s) {
            if (instr.src[s].is_scalar() && !scalar_defined(instr.src[s])) report(instr.src[s], -1, " as a mask of lanes");
        }
    }
}

void RegisterCheck::define(const Operand& operand, u64 written, u64 defined) {
    for (int dword = 0; dword < operand.dwords; ++dword) {
        const std::size_t index = std::size_t(operand.index + dword);
        if (operand.is_vector()) vector_[index] = (vector_[index] & ~written) | (defined & written);
        else if (operand.is_scalar() && index != sreg::null) scalar_.set(index, defined != 0);
    }
}

void RegisterCheck::after(Wave& wave, const Instr& instr, u64 loaded) {
    const Traits& traits = instr.def->traits;
    if (traits.klass == Class::wait) return wait(instr);

    // The destination may be one of the sources.
    std::array<u64, kMaxSrc> before_low{};
    for (int n = 0; n < instr.srcs; ++n) before_low[std::size_t(n)] = defined_lanes(low_half(instr.src[n]));

    u64 defined = ~u64(0);
    if (is_memory(instr)) {
        defined = loaded;
    } else {
        for (int n = 0; n < instr.srcs; ++n) defined &= defined_lanes(instr.src[n]);
        if (traits.reads_dst && instr.dsts) defined &= defined_lanes(instr.dst[0]);
        if (traits.reads_vcc && !scalar_[sreg::vcc]) defined = 0;
        if (traits.reads_scc && !scc_) defined = 0;
        if (crosses_lanes(instr)) defined = defined ? ~u64(0) : 0;
        // Every result of a matrix instruction depends on many lanes.
        if (traits.klass == Class::matrix) defined = defined == ~u64(0) || defined == wave.full ? ~u64(0) : 0;
    }
    const std::string_view name = instr.def->name;
    u64 written = traits.ignores_exec ? wave.full : wave.exec();
    if (name == "v_writelane_b32") written = u64(1) << (read_scalar32(wave, instr.src[1]) & (wave.size - 1));
    if (name == "v_readlane_b32") defined = vector_[instr.src[0].index] >> (read_scalar32(wave, instr.src[1]) & (wave.size - 1)) & 1;
    if (name == "v_readfirstlane_b32") {
        const u64 exec = wave.exec();
        defined        = vector_[instr.src[0].index] >> (exec ? lowest(exec) : 0) & 1;
    }
    // Idioms that give a value whatever the register held.
    const bool same_source = instr.srcs >= 2 && instr.src[0].kind == instr.src[1].kind && instr.src[0].index == instr.src[1].index &&
                             !always_defined(instr.src[0]);
    if (same_source && (name == "v_xor_b32" || name == "s_xor_b32" || name == "s_xor_b64" || name == "v_sub_u32")) defined = ~u64(0);

    for (int n = 0; n < instr.dsts; ++n) {
        const Operand& dst = instr.dst[n];
        if (dst.is_vector()) {
            define(dst, written, defined);
            if (dst.dwords == 2 && carries_upward(name)) {
                u64 low = ~u64(0);
                for (int s = 0; s < instr.srcs; ++s) low &= before_low[std::size_t(s)];
                define(low_half(dst), written, low);
            }
        } else if (dst.is_scalar()) {
            // A mask is defined when the lanes that decide it are; a scalar when its sources are.
            const bool vector_sources = traits.klass == Class::valu && instr.def->dst[std::size_t(n)] == Type::mask;
            define(dst, 0, vector_sources ? u64((defined & written) == written) : defined);
        }
    }
    if (traits.writes_scc) scc_ = defined != 0;
    if (traits.counter != Counter::none) {
        // Later generations count an atomic that returns nothing with the stores.
        const bool as_store = traits.klass == Class::global && !instr.dsts && instr.isa != Isa::gfx9 && name.find("_atomic_") != name.npos;
        issue(instr, as_store ? Counter::store : traits.counter);
        // A flat access may go to LDS as well as to memory and counts for both.
        if (name.substr(0, 5) == "flat_" && instr.isa != Isa::gfx12) issue(instr, Counter::lgkm);
    }
}

void RegisterCheck::issue(const Instr& instr, Counter counter) {
    const int c = int(counter);
    Outstanding op{++issued_[c], instr.def->traits.klass == Class::scalar_memory, 0, 0};
    if (instr.dsts) {
        op.first = instr.dst[0].index, op.dwords = instr.dst[0].dwords;
        u8* pending = instr.dst[0].is_vector() ? vector_pending_.data() : scalar_pending_.data();
        for (int dword = 0; dword < op.dwords; ++dword) pending[op.first + dword] = u8(c);
    }
    outstanding_[std::size_t(c)].push_back(op);
}

void RegisterCheck::wait(const Instr& instr) {
    for (int c = 1; c < kCounters; ++c) {
        const u8 allowed = instr.mod.wait[std::size_t(c)];
        if (allowed == kNoWait) continue;
        auto& queue = outstanding_[std::size_t(c)];
        // Scalar loads return in any order: as long as one is out, only waiting for all tells anything.
        bool unordered = false;
        for (const Outstanding& op : queue) unordered |= op.scalar;
        if (unordered && allowed > 0) continue;
        while (queue.size() > allowed) {
            const Outstanding& op = queue.front();
            u8* pending           = op.scalar ? scalar_pending_.data() : vector_pending_.data();
            for (int dword = 0; dword < op.dwords; ++dword) {
                u8& mark   = pending[op.first + dword];
                bool again = false;
                for (std::size_t later = 1; later < queue.size(); ++later) {
                    const Outstanding& other = queue[later];
                    again |= other.scalar == op.scalar && op.first + dword >= other.first && op.first + dword < other.first + other.dwords;
                }
                if (mark == c && !again) mark = 0;
            }
            ended_[std::size_t(c)] = op.serial;
            queue.pop_front();
        }
    }
}

}  // namespace gfxsim

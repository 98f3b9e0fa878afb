// SPDX-License-Identifier: MIT
#include "gfxsim/check/definedness.hpp"

#include "gfxsim/check/names.hpp"

namespace gfxsim {
namespace {

constexpr u64 kAll = ~u64(0);

bool is_memory(const Instr& instr) {
    const Class klass = instr.def->traits.klass;
    return klass == Class::lds || klass == Class::global || klass == Class::scratch || klass == Class::scalar_memory;
}

// A constant, or a pseudo register that always has a value.
bool always_defined(const Operand& operand) {
    return operand.kind != OperandKind::vector && operand.kind != OperandKind::scalar &&
           operand.kind != OperandKind::scc;
}

Operand half_of(const Operand& operand, bool upper) {
    return operand.dwords == 2 ? register_of(operand, upper) : operand;
}

bool is_bitwise(Flow flow) { return flow >= Flow::bit_copy && flow <= Flow::bit_select; }

u64 width_of(const Operand& operand) { return operand.dwords >= 2 ? kAll : 0xffffffff; }

}  // namespace

Operand register_of(Operand operand, int dword) {
    operand.dwords = 1;
    operand.index = decltype(operand.index)(operand.index + dword);
    return operand;
}

void Definedness::start(const Wave& wave) {
    const Kernel& kernel = *wave.group->launch->kernel;
    vector_.fill(0), scalar_.fill(0);
    scc_ = false;
    const u32 ids = wave.gpu->packed_ids() ? 1 : 1 + (kernel.rsrc2 >> 11 & 3);
    for (u32 row = 0; row < ids; ++row) vector_[row] = kAll;
    // The user registers that the descriptor counts, then the workgroup's ids and the offset of its scratch memory.
    const u32 user = kernel.rsrc2 >> 1 & 0x1f, system = 5;
    for (u32 index = 0; index < user + system; ++index) scalar_[index] = ~u32(0);
    for (u32 index = sreg::flat_scratch; index < sreg::vcc; ++index) scalar_[index] = ~u32(0);
    for (u32 index = sreg::ttmp; index < sreg::m0; ++index) scalar_[index] = ~u32(0);
    scalar_[sreg::null] = scalar_[sreg::exec] = scalar_[sreg::exec + 1] = ~u32(0);
}

u64 Definedness::lanes(const Operand& operand) const {
    if (always_defined(operand)) return kAll;
    if (operand.kind == OperandKind::scc) return scc_ ? kAll : 0;
    u64 lanes = kAll;
    for (int dword = 0; dword < operand.dwords; ++dword) {
        const std::size_t index = std::size_t(operand.index) + std::size_t(dword);
        if (operand.is_vector()) lanes &= vector_[index];
        else if (scalar_[index] != ~u32(0)) return 0;
    }
    return lanes;
}

Definedness::Bits Definedness::bits(const Wave& wave, const Operand& operand) const {
    if (always_defined(operand))
        return {operand.kind == OperandKind::constant ? operand.value : read_scalar32(wave, operand), kAll};
    if (operand.kind == OperandKind::scc) return {wave.scc, scc_ ? kAll : 0};
    const std::size_t index = operand.index;
    if (operand.dwords < 2) return {wave.s[index], scalar_[index] | ~u64(0xffffffff)};
    return {wave.s64(operand.index), scalar_[index] | u64(scalar_[index + 1]) << 32};
}

Definedness::Bits Definedness::vcc(const Wave& wave) const {
    const u32 high = wave.size == 64 ? scalar_[sreg::vcc + 1] : ~u32(0);
    return {wave.mask(sreg::vcc), scalar_[sreg::vcc] | u64(high) << 32};
}

u64 Definedness::combined(Flow flow, const Bits& a, const Bits& b) const {
    const u64 both = a.defined & b.defined, a0 = a.defined & ~a.value, a1 = a.defined & a.value,
              b0 = b.defined & ~b.value, b1 = b.defined & b.value;
    switch (flow) {
        case Flow::bit_copy: return a.defined;
        case Flow::bit_and: return both | a0 | b0;
        case Flow::bit_or: return both | a1 | b1;
        case Flow::bit_and_not: return both | a0 | b1;
        case Flow::bit_or_not: return both | a1 | b0;
        case Flow::bit_not_and: return both | a1 | b0;
        case Flow::bit_not_or: return both | a0 | b1;
        default: return both;
    }
}

Definedness::Results Definedness::of_bits(const Wave& wave, const Instr& instr, const FlowOf& flow,
                                          Findings& findings) const {
    const Bits a = bits(wave, instr.src[0]);
    Bits b{0, kAll};
    if (flow.with_exec) b = {wave.exec(), kAll};
    else if (instr.srcs > 1) b = bits(wave, instr.src[1]);
    u64 made;
    if (flow.flow == Flow::bit_select) made = !scc_ ? 0 : wave.scc ? a.defined : b.defined;
    else if (flow.flow == Flow::bit_each && instr.srcs > 1 && instr.src[0].is_scalar() && instr.src[1].is_scalar() &&
             instr.src[0].index == instr.src[1].index)
        made = kAll;
    else made = combined(flow.flow, a, b);
    const u64 width = instr.dsts ? width_of(instr.dst[0]) : kAll;
    const u64 exec = made | ~wave.full;
    const bool to_exec = flow.with_exec || (instr.dsts && instr.dst[0].is_scalar() && instr.dst[0].index >= sreg::exec);
    if (to_exec && exec != kAll && !findings.again(FindingKind::uninitialised_register, instr))
        findings.add(FindingKind::uninitialised_register, wave, instr, lowest(~exec),
                     "makes a mask of lanes from " + register_name(instr.src[0], 0) +
                         ", which depends on no value that was written,");
    return {flow.with_exec ? kAll : made, kAll, 0, (made & width) == width};
}

Definedness::Results Definedness::of_lanes(const Wave& wave, const Instr& instr, const FlowOf& flow) const {
    const Traits& traits = instr.def->traits;
    Results results{kAll, kAll, traits.ignores_exec ? kAll : wave.exec(), true};
    const auto index_of = [&](const Operand& operand) { return int(read_scalar32(wave, operand) & (wave.size - 1u)); };
    switch (flow.flow) {
        case Flow::nothing: return results;
        case Flow::lane_select: {
            // Dual-issue forms take VCC without naming it.
            const Bits chosen = instr.srcs > 2 ? bits(wave, instr.src[2]) : vcc(wave);
            results.made =
                chosen.defined & ((chosen.value & lanes(instr.src[1])) | (~chosen.value & lanes(instr.src[0])));
            return results;
        }
        case Flow::read_lane:
            results.made = vector_[instr.src[0].index] >> index_of(instr.src[1]) & 1 ? kAll : 0;
            return results;
        case Flow::read_first: {
            const u64 exec = wave.exec();
            if (instr.src[0].is_vector())
                results.made = vector_[instr.src[0].index] >> (exec ? lowest(exec) : 0) & 1 ? kAll : 0;
            return results;
        }
        case Flow::write_lane:
            // A mask of lanes that is saved in a register of lanes may have bits that never matter.
            results.written = u64(1) << index_of(instr.src[1]);
            results.made = bits(wave, instr.src[0]).defined & 0xffffffff ? kAll : 0;
            return results;
        case Flow::pick:
            results.low = lanes(half_of(instr.src[0], instr.mod.op_sel & 1));
            results.made = lanes(half_of(instr.src[1], instr.mod.op_sel >> 1 & 1));
            return results;
        case Flow::halves:
            for (int n = 0; n < instr.srcs; ++n) {
                results.low &= lanes(half_of(instr.src[n], instr.mod.op_sel >> n & 1));
                results.made &= lanes(half_of(instr.src[n], instr.mod.op_sel_hi >> n & 1));
            }
            return results;
        default: break;
    }
    if (traits.klass == Class::matrix) {
        results.made = of_matrix(wave, instr);
        return results;
    }
    for (int n = 0; n < instr.srcs; ++n) {
        const Operand& operand = instr.src[n];
        const bool mask = instr.def->src[std::size_t(n)] == Type::mask && operand.is_scalar();
        results.made &= mask ? bits(wave, operand).defined : lanes(operand);
        results.low &= lanes(half_of(operand, false));
    }
    if (traits.reads_dst && instr.dsts) results.made &= lanes(instr.dst[0]);
    if (traits.reads_vcc) results.made &= vcc(wave).defined;
    if (traits.reads_scc && !scc_) results.made = 0;
    if (flow.flow == Flow::cross_lanes || instr.mod.dpp.kind != DppKind::none) results.made = results.made ? kAll : 0;
    const bool same = instr.srcs >= 2 && instr.src[0].is_vector() && instr.src[1].is_vector() &&
                      instr.src[0].index == instr.src[1].index;
    const std::string_view name = instr.def->name;
    if (same && (name == "v_xor_b32" || name == "v_sub_u32" || name == "v_sub_nc_u32")) results.made = kAll;
    results.scc = results.made != 0;
    return results;
}

u64 Definedness::of_matrix(const Wave& wave, const Instr& instr) const {
    // An element of the result is a sum over many lanes of the factors, and begins with what its own lane accumulated.
    const bool in_place = instr.def->traits.reads_dst;
    const int accumulator = in_place ? -1 : 2;
    u64 factors = kAll;
    for (int n = 0; n < instr.srcs; ++n)
        if (n != accumulator) factors &= lanes(instr.src[n]);
    if ((factors & wave.full) != wave.full) return 0;
    return lanes(in_place ? instr.dst[0] : instr.src[accumulator]);
}

void Definedness::check_branch(const Wave& wave, const Instr& instr, Findings& findings) const {
    const Traits& traits = instr.def->traits;
    const char* what = nullptr;
    if (traits.reads_scc && !scc_) what = "SCC";
    if (traits.reads_vcc) {
        const Bits mask = vcc(wave);
        // One lane that is known to be set decides, whatever the others are.
        if (mask.defined != kAll && !(mask.value & mask.defined)) what = "VCC";
    }
    if (!what || findings.again(FindingKind::uninitialised_register, instr)) return;
    findings.add(FindingKind::uninitialised_register, wave, instr, -1,
                 "branches on " + std::string(what) + ", which depends on no value that was written,");
}

Definedness::Results Definedness::work_out(const Wave& wave, const Instr& instr, Findings& findings) const {
    if (is_memory(instr)) return {0, 0, wave.exec(), false};
    const FlowOf& flow = flow_of(*instr.def);
    return is_bitwise(flow.flow) ? of_bits(wave, instr, flow, findings) : of_lanes(wave, instr, flow);
}

void Definedness::before(const Wave& wave, const Instr& instr, Findings& findings) {
    if (instr.def->traits.klass == Class::branch) check_branch(wave, instr, findings);
    first_ = work_out(wave, instr, findings);
    if (instr.pair) second_ = work_out(wave, *instr.pair, findings);
}

void Definedness::set_scalar(const Operand& operand, u64 defined) {
    for (int dword = 0; dword < operand.dwords; ++dword) {
        const std::size_t index = std::size_t(operand.index) + std::size_t(dword);
        if (index != sreg::null && index < sreg::exec)
            scalar_[index] = dword < 2 ? u32(defined >> (32 * dword)) : u32(defined);
    }
}

void Definedness::set_vector(const Operand& operand, u64 written, u64 defined) {
    for (int dword = 0; dword < operand.dwords; ++dword) {
        u64& row = vector_[std::size_t(operand.index) + std::size_t(dword)];
        row = (row & ~written) | (defined & written);
    }
}

void Definedness::take_in(const Instr& instr, const Results& results, const Loaded& loaded) {
    const Traits& traits = instr.def->traits;
    const FlowOf& flow = flow_of(*instr.def);
    const bool load = is_memory(instr);
    const u64 made = load ? loaded[0] : results.made;
    for (int n = 0; n < instr.dsts; ++n) {
        const Operand& dst = instr.dst[n];
        if (dst.is_vector() && load) {
            for (int dword = 0; dword < dst.dwords; ++dword)
                set_vector(register_of(dst, dword), results.written, loaded.at(std::size_t(dword)));
        } else if (dst.is_vector()) {
            set_vector(dst, results.written, made);
            const bool by_halves = flow.flow == Flow::upward || flow.flow == Flow::pick || flow.flow == Flow::halves;
            if (by_halves && dst.dwords == 2) set_vector(half_of(dst, false), results.written, results.low);
        } else if (dst.is_scalar()) {
            // A compare writes zeros for the lanes that are off.
            const bool mask = traits.klass == Class::valu && instr.def->dst[std::size_t(n)] == Type::mask;
            set_scalar(dst, is_bitwise(flow.flow) ? made : mask ? made | ~results.written : made ? kAll : 0);
        }
    }
    if (traits.writes_scc) scc_ = results.scc;
}

void Definedness::after(const Instr& instr, const Loaded& loaded) {
    take_in(instr, first_, loaded);
    if (instr.pair) take_in(*instr.pair, second_, loaded);
}

}  // namespace gfxsim

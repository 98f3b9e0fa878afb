// SPDX-License-Identifier: MIT
// gfx9's way to choose vector registers by a number: between s_set_gpr_idx_on and s_set_gpr_idx_off every vector
// instruction adds M0 to the registers that it names.
#include "gfxsim/core/wave.hpp"
#include "gfxsim/ops/control_tables.hpp"
#include "gfxsim/ops/isas.hpp"

namespace gfxsim {
namespace {

// M0: the number to add in bits 0 to 7, which operands to add it to in bits 12 to 15.
constexpr u32 kNumber = 0xff, kOperands = 0xf000, kToDestination = 8;

void run_idx(Wave& wave, const Instr& instr) {
    u32& m0 = wave.s[sreg::m0];
    m0 = (m0 & ~kNumber) | (read_scalar32(wave, instr.src[0]) & kNumber);
}

void run_mode(Wave& wave, const Instr& instr) {
    u32& m0 = wave.s[sreg::m0];
    m0 = (m0 & ~kOperands) | instr.mod.imm << 12;
}

void run_off(Wave&, const Instr&) {}

void shift(Operand& operand, u32 by) {
    if (!operand.is_vector()) return;
    const u32 row = operand.index + by;
    if (operand.index >= kFirstAgpr || row + operand.dwords > kFirstAgpr)
        throw Fault(FaultKind::invalid,
                    "makes a vector instruction name a register that does not exist, by adding " + std::to_string(by));
    operand.index = u16(row);
}

Instr shifted(const Instr& instr, u32 m0) {
    Instr copy = instr;
    const u32 operands = (m0 & kOperands) >> 12, by = m0 & kNumber;
    for (u32 i = 0; i < 3; ++i) {
        if (operands >> i & 1) shift(copy.src[i], by);
    }
    if (operands & kToDestination) shift(copy.dst[0], by);
    return copy;
}

// Runs what lies between "on" and "off" itself, so that no other instruction has to ask whether it is in between.
void run_on(Wave& wave, const Instr& instr) {
    run_idx(wave, instr);
    run_mode(wave, instr);
    const auto& instrs = wave.program->instrs;
    while (true) {
        if (wave.pc >= instrs.size()) throw Fault(FaultKind::invalid, "is never followed by s_set_gpr_idx_off");
        const Instr& next = instrs[wave.pc++];
        if (next.run == &run_off) return;
        const bool vector = next.def && next.def->traits.klass == Class::valu;
        const bool scalar =
            next.def && (next.def->traits.klass == Class::salu || next.run == &run_mode || next.run == &run_idx);
        if (!vector && !scalar)
            throw Fault(FaultKind::unsupported,
                        "is followed by '" + wave.program->text(next) + "' before s_set_gpr_idx_off");
        if (vector && wave.skips_vector) continue;
        const Instr running = vector ? shifted(next, wave.s[sreg::m0]) : next;
        if (wave.observer) wave.observer->before(wave, running);
        running.run(wave, running);
        if (wave.observer) wave.observer->after(wave, running);
    }
}

Definition make(const char* name, RunFn run) {
    Definition d;
    d.name = name, d.run = run, d.isas = kGfx9, d.src[0] = Type::u32;
    d.traits.klass = Class::control;
    return d;
}

}  // namespace

Table gpr_index_table() {
    return {
        make("s_set_gpr_idx_on", &run_on),
        make("s_set_gpr_idx_off", &run_off),
        make("s_set_gpr_idx_mode", &run_mode),
        make("s_set_gpr_idx_idx", &run_idx),
    };
}

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
#include "gfxsim/timing/costs.hpp"

#include <fnmatch.h>

#include <stdexcept>

namespace gfxsim::timing {
namespace {

Unit unit_of(Class klass) {
    switch (klass) {
        case Class::salu:
        case Class::scalar_memory: return Unit::scalar;
        case Class::valu: return Unit::vector;
        case Class::matrix: return Unit::matrix;
        case Class::lds: return Unit::lds;
        case Class::global:
        case Class::scratch: return Unit::memory;
        case Class::branch: return Unit::branch;
        default: return Unit::none;
    }
}

// Formats of 8 bits have the numbers 0 and 1, those of 6 and 4 bits the ones behind.
constexpr u8 kFirstNarrow = 2;

}  // namespace

int cycles_of(std::string_view gpu, const Instr& instr) {
    const std::string name = instr.def->name;
    const bool narrow = instr.mod.cbsz >= kFirstNarrow && instr.mod.blgp >= kFirstNarrow;
    for (const auto& row : ckdispatch::arch::instruction_cycles) {
        if (row.gpu == gpu && (narrow || !row.narrow) && fnmatch(row.pattern, name.c_str(), 0) == 0) return row.cycles;
    }
    return 0;
}

std::vector<Cost> costs_of(const Program& program, const Facts& facts) {
    std::vector<Cost> costs(program.instrs.size());
    for (std::size_t i = 0; i < costs.size(); ++i) {
        const Instr& instr = program.instrs[i];
        if (!instr.def) continue;
        Cost& cost = costs[i];
        const Class klass = instr.def->traits.klass;
        const std::string_view name = instr.def->name;
        cost.unit = unit_of(klass);
        cost.issue = u16(instr.size > 8 ? facts.wide_issue_cycles : facts.issue_cycles);
        cost.busy = u16(facts.issue_cycles);
        const int own = klass == Class::valu || klass == Class::matrix ? cycles_of(facts.gpu, instr) : 0;
        if (klass == Class::matrix) cost.busy = u16(own);
        if (klass == Class::valu) cost.busy = u16(own ? own : facts.vector_cycles);
        if (klass == Class::matrix && !own)
            throw std::runtime_error("How long " + std::string(name) + " takes on " + std::string(facts.gpu) +
                                     " is not known, so kernels with it have no time.");
        cost.wait = klass == Class::wait;
        cost.barrier = klass == Class::barrier;
        cost.ends = name == "s_endpgm";
        // A wait state is one instruction that a wave could have begun.
        if (name == "s_nop") cost.issue = u16((instr.src[0].value + 1) * u64(facts.issue_cycles));
    }
    return costs;
}

}  // namespace gfxsim::timing

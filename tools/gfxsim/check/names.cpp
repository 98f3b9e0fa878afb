// SPDX-License-Identifier: MIT
#include "gfxsim/check/names.hpp"

namespace gfxsim {

std::string register_name(const Operand& operand, int dword) {
    const int index = operand.index + dword;
    if (operand.is_vector())
        return index >= kFirstAgpr ? "a" + std::to_string(index - kFirstAgpr) : "v" + std::to_string(index);
    if (index == sreg::vcc || index == sreg::vcc + 1) return "vcc";
    if (index == sreg::m0) return "m0";
    if (index >= sreg::exec) return "exec";
    if (index >= sreg::ttmp && index < sreg::m0) return "ttmp" + std::to_string(index - sreg::ttmp);
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

}  // namespace gfxsim

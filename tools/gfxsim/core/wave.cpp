// SPDX-License-Identifier: MIT
#include "gfxsim/core/wave.hpp"

#include <cstdio>

namespace gfxsim {

u8* Wave::global_slow(u64 address, u32 bytes, Use use) {
    const AddressSpace& memory = *group->launch->memory;
    const Allocation* allocation = memory.reach(address, bytes);
    const char* verb = use == Use::read ? "reads" : use == Use::write ? "writes" : "atomically updates";
    char place[64];
    std::snprintf(place, sizeof(place), "%s %u bytes at 0x%llx, ", verb, bytes,
                  static_cast<unsigned long long>(address));
    if (!allocation) throw Fault(FaultKind::memory, place + memory.describe(address));
    if (use != Use::read && !allocation->writable)
        throw Fault(FaultKind::memory, place + std::string("which is read-only memory"));
    cached_ = allocation->reachable(), cached_writable_ = allocation->writable;
    return reinterpret_cast<u8*>(address);
}

u32 read_scalar32(const Wave& wave, const Operand& operand) {
    switch (operand.kind) {
        case OperandKind::scalar: return operand.index == sreg::null ? 0 : wave.s[operand.index];
        case OperandKind::constant: return u32(operand.value);
        case OperandKind::scc: return wave.scc;
        case OperandKind::vccz: return wave.mask(sreg::vcc) == 0;
        case OperandKind::execz: return wave.exec() == 0;
        default: throw Fault(FaultKind::unsupported, "has an operand that is no scalar where a scalar is read");
    }
}

u64 read_scalar64(const Wave& wave, const Operand& operand) {
    if (operand.kind == OperandKind::scalar) return operand.index == sreg::null ? 0 : wave.s64(operand.index);
    if (operand.kind == OperandKind::constant) return operand.value;
    return read_scalar32(wave, operand);
}

}  // namespace gfxsim

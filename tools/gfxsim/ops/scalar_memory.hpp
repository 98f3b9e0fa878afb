// SPDX-License-Identifier: MIT
// What all instructions share that move scalar registers to and from memory.
#pragma once

#include "gfxsim/core/wave.hpp"
#include "gfxsim/ops/isas.hpp"
#include "gfxsim/ops/tables.hpp"

namespace gfxsim {

/// The atomics among them, which only gfx9 has.
void add_scalar_atomics(Table& table);

namespace scalar_memory {

/// An immediate or a register, and a modifier on top of the latter.
inline u64 offset_of(const Wave& wave, const Instr& instr, int operand) {
    if (instr.srcs <= operand) return u64(i64(instr.mod.offset));
    const Operand& given = instr.src[operand];
    const u32 value = read_scalar32(wave, given);
    const bool immediate = given.kind == OperandKind::constant;
    return u64(immediate ? i64(i32(value)) : i64(value)) + u64(i64(instr.mod.offset));
}

inline void observe(Wave& wave, const Instr& instr, Use use, u64 address, u32 bytes, const Operand& data) {
    if (!wave.observer) return;
    u64 addresses[kLanes] = {address};
    wave.observer->access(wave, instr, Access{Space::global, use, 1, bytes, addresses, &data});
}

/// The buffer that four scalar registers describe.
struct Buffer {
    u64 base;
    u64 bytes;
};

inline Buffer buffer_of(const Wave& wave, const Operand& operand) {
    const u32* word = &wave.s[operand.index];
    const u64 stride = word[1] >> 16 & 0x3fff;
    return {(word[0] | u64(word[1] & 0xffff) << 32) & ~u64(3), stride ? stride * word[2] : word[2]};
}

inline Definition make(const char* name, RunFn run, u8 isas) {
    Definition d;
    d.name = name, d.run = run, d.isas = isas;
    d.traits.klass = Class::scalar_memory;
    d.traits.counter = isas == kGfx12 ? Counter::km : Counter::lgkm;
    return d;
}

}  // namespace scalar_memory
}  // namespace gfxsim

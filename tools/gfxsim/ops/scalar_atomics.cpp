// SPDX-License-Identifier: MIT
// Atomic updates of memory by a scalar register, which is both what is given and what is returned.
#include <string>

#include "gfxsim/ops/atomics.hpp"
#include "gfxsim/ops/scalar_memory.hpp"
#include "gfxsim/ops/vector_memory.hpp"

namespace gfxsim {
namespace {

using namespace atomic;
using namespace scalar_memory;

template <class W>
W read_register(const Wave& wave, u16 index) {
    W value;
    std::memcpy(&value, &wave.s[index], sizeof(value));
    return value;
}

template <auto F>
void update_at(Wave& wave, const Instr& instr, const Operand& data, u64 address) {
    using W = Word<F>;
    observe(wave, instr, Use::atomic, address, sizeof(W), data);
    u8* const at = wave.global(address, sizeof(W), Use::atomic);
    if (address % sizeof(W)) throw_misaligned(address);
    wave.group->sums.flush();
    const W first = read_register<W>(wave, data.index);
    const W second = operands<F> == 2 ? read_register<W>(wave, u16(data.index + sizeof(W) / 4)) : W(0);
    const W old = update_shared<F>(at, first, second, {});
    if (instr.dsts) std::memcpy(&wave.s[data.index], &old, sizeof(old));
}

// The data are the destination if the instruction returns what it found, and stand before the address otherwise.
const Operand& data_of(const Instr& instr) { return instr.dsts ? instr.dst[0] : instr.src[0]; }
int address_at(const Instr& instr) { return instr.dsts ? 0 : 1; }

template <auto F>
void run(Wave& wave, const Instr& instr) {
    const int base = address_at(instr);
    update_at<F>(wave, instr, data_of(instr),
                 (read_scalar64(wave, instr.src[base]) & ~u64(3)) + (offset_of(wave, instr, base + 1) & ~u64(3)));
}

// Behind the end of a buffer there is nothing to update, and 0 to find.
template <auto F>
void run_buffer(Wave& wave, const Instr& instr) {
    using W = Word<F>;
    const int base = address_at(instr);
    const Buffer buffer = buffer_of(wave, instr.src[base]);
    const u64 offset = offset_of(wave, instr, base + 1) & 0xfffffffc;
    if (Span{0, buffer.bytes}.holds(offset, sizeof(W)))
        return update_at<F>(wave, instr, data_of(instr), buffer.base + offset);
    if (instr.dsts) std::memset(&wave.s[instr.dst[0].index], 0, sizeof(W));
}

template <auto F32, auto F64>
void add(Table& table, const char* operation) {
    const auto one = [&](const char* prefix, const char* suffix, RunFn run) {
        Definition def = make(keep_name(std::string(prefix) + operation + suffix), run, kGfx9);
        def.dsts = 1, def.dst[0] = Type::wide, def.src.fill(Type::wide);
        // Behind the address is the offset, one place further where nothing is returned.
        def.src[1] = def.src[2] = Type::i32;
        def.traits.dst_rule = DstRule::if_returning, def.traits.reads_dst = true;
        table.push_back(def);
    };
    one("s_atomic_", "", &run<F32>);
    one("s_atomic_", "_x2", &run<F64>);
    one("s_buffer_atomic_", "", &run_buffer<F32>);
    one("s_buffer_atomic_", "_x2", &run_buffer<F64>);
}

}  // namespace

void add_scalar_atomics(Table& table) {
    add<exchange<u32>, exchange<u64>>(table, "swap");
    add<compare_exchange<u32>, compare_exchange<u64>>(table, "cmpswap");
    add<atomic::add<u32>, atomic::add<u64>>(table, "add");
    add<sub<u32>, sub<u64>>(table, "sub");
    add<atomic::min<i32>, atomic::min<i64>>(table, "smin");
    add<atomic::min<u32>, atomic::min<u64>>(table, "umin");
    add<atomic::max<i32>, atomic::max<i64>>(table, "smax");
    add<atomic::max<u32>, atomic::max<u64>>(table, "umax");
    add<and_<u32>, and_<u64>>(table, "and");
    add<or_<u32>, or_<u64>>(table, "or");
    add<xor_<u32>, xor_<u64>>(table, "xor");
    add<increment<u32>, increment<u64>>(table, "inc");
    add<decrement<u32>, decrement<u64>>(table, "dec");
}

}  // namespace gfxsim

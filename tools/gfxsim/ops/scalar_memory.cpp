// SPDX-License-Identifier: MIT
// Loads and stores of scalar registers.
#include "gfxsim/ops/scalar_memory.hpp"

namespace gfxsim {
namespace {

using namespace scalar_memory;

void write_dwords(Wave& wave, const Operand& to, const u32* values, u32 dwords) {
    if (to.index == sreg::null) return;
    std::memcpy(&wave.s[to.index], values, 4 * dwords);
}

template <u32 dwords>
void run_load(Wave& wave, const Instr& instr) {
    // The two lowest bits of every part of the address are ignored.
    const u64 address = (read_scalar64(wave, instr.src[0]) & ~u64(3)) + (offset_of(wave, instr, 1) & ~u64(3));
    observe(wave, instr, Use::read, address, 4 * dwords, instr.dst[0]);
    u32 values[dwords];
    std::memcpy(values, wave.global(address, 4 * dwords, Use::read), sizeof(values));
    write_dwords(wave, instr.dst[0], values, dwords);
}

template <class T>
void run_load_small(Wave& wave, const Instr& instr) {
    const u64 address = (read_scalar64(wave, instr.src[0]) + offset_of(wave, instr, 1)) & ~u64(sizeof(T) - 1);
    observe(wave, instr, Use::read, address, sizeof(T), instr.dst[0]);
    T value;
    std::memcpy(&value, wave.global(address, sizeof(T), Use::read), sizeof(T));
    write_scalar32(wave, instr.dst[0], u32(i32(value)));
}

template <u32 dwords>
void run_store(Wave& wave, const Instr& instr) {
    const u64 address = (read_scalar64(wave, instr.src[1]) & ~u64(3)) + (offset_of(wave, instr, 2) & ~u64(3));
    observe(wave, instr, Use::write, address, 4 * dwords, instr.src[0]);
    std::memcpy(wave.global(address, 4 * dwords, Use::write), &wave.s[instr.src[0].index], 4 * dwords);
}

// What lies behind the end of a buffer reads as zero.
template <u32 dwords>
void run_buffer_load(Wave& wave, const Instr& instr) {
    const Buffer buffer = buffer_of(wave, instr.src[0]);
    const u64 offset = offset_of(wave, instr, 1) & 0xfffffffc;
    u32 values[dwords] = {};
    u32 inside = 0;
    while (inside < dwords && offset + 4 * inside + 4 <= buffer.bytes) ++inside;
    if (inside) {
        observe(wave, instr, Use::read, buffer.base + offset, 4 * inside, instr.dst[0]);
        std::memcpy(values, wave.global(buffer.base + offset, 4 * inside, Use::read), 4 * inside);
    }
    write_dwords(wave, instr.dst[0], values, dwords);
}

template <class T>
void run_buffer_load_small(Wave& wave, const Instr& instr) {
    const Buffer buffer = buffer_of(wave, instr.src[0]);
    const u64 offset = offset_of(wave, instr, 1) & 0xffffffff & ~u64(sizeof(T) - 1);
    T value = 0;
    if (offset + sizeof(T) <= buffer.bytes) {
        observe(wave, instr, Use::read, buffer.base + offset, sizeof(T), instr.dst[0]);
        std::memcpy(&value, wave.global(buffer.base + offset, sizeof(T), Use::read), sizeof(T));
    }
    write_scalar32(wave, instr.dst[0], u32(i32(value)));
}

template <u32 dwords>
void run_buffer_store(Wave& wave, const Instr& instr) {
    const Buffer buffer = buffer_of(wave, instr.src[1]);
    const u64 offset = offset_of(wave, instr, 2) & 0xfffffffc;
    u32 inside = 0;
    while (inside < dwords && offset + 4 * inside + 4 <= buffer.bytes) ++inside;
    if (!inside) return;
    observe(wave, instr, Use::write, buffer.base + offset, 4 * inside, instr.src[0]);
    std::memcpy(wave.global(buffer.base + offset, 4 * inside, Use::write), &wave.s[instr.src[0].index], 4 * inside);
}

void run_nothing(Wave&, const Instr&) {}

Definition load(const char* name, RunFn run, u8 isas) {
    Definition d = make(name, run, isas);
    d.dsts = 1, d.dst[0] = Type::wide, d.src[0] = Type::wide, d.src[1] = Type::i32;
    return d;
}

Definition store(const char* name, RunFn run) {
    Definition d = make(name, run, kGfx9);
    d.src[0] = Type::wide, d.src[1] = Type::wide, d.src[2] = Type::i32;
    return d;
}

// Caches hold nothing that memory does not.
Definition cache(const char* name, u8 isas) {
    Definition d = make(name, &run_nothing, isas);
    d.traits.counter = Counter::none;
    for (Type& type : d.src) type = Type::u32;
    return d;
}

void add_both(Table& all, const char* name, RunFn run) {
    all.push_back(load(name, run, kGfx11));
    all.push_back(load(name, run, kGfx12));
}

}  // namespace

Table scalar_memory_table() {
    Table all = {
        load("s_load_dword", &run_load<1>, kGfx9),
        load("s_load_dwordx2", &run_load<2>, kGfx9),
        load("s_load_dwordx4", &run_load<4>, kGfx9),
        load("s_load_dwordx8", &run_load<8>, kGfx9),
        load("s_load_dwordx16", &run_load<16>, kGfx9),
        load("s_buffer_load_dword", &run_buffer_load<1>, kGfx9),
        load("s_buffer_load_dwordx2", &run_buffer_load<2>, kGfx9),
        load("s_buffer_load_dwordx4", &run_buffer_load<4>, kGfx9),
        load("s_buffer_load_dwordx8", &run_buffer_load<8>, kGfx9),
        load("s_buffer_load_dwordx16", &run_buffer_load<16>, kGfx9),
        store("s_store_dword", &run_store<1>),
        store("s_store_dwordx2", &run_store<2>),
        store("s_store_dwordx4", &run_store<4>),
        store("s_buffer_store_dword", &run_buffer_store<1>),
        store("s_buffer_store_dwordx2", &run_buffer_store<2>),
        store("s_buffer_store_dwordx4", &run_buffer_store<4>),
        load("s_load_b96", &run_load<3>, kGfx12),
        load("s_load_u8", &run_load_small<u8>, kGfx12),
        load("s_load_i8", &run_load_small<i8>, kGfx12),
        load("s_load_u16", &run_load_small<u16>, kGfx12),
        load("s_load_i16", &run_load_small<i16>, kGfx12),
        load("s_buffer_load_b96", &run_buffer_load<3>, kGfx12),
        load("s_buffer_load_u8", &run_buffer_load_small<u8>, kGfx12),
        load("s_buffer_load_i8", &run_buffer_load_small<i8>, kGfx12),
        load("s_buffer_load_u16", &run_buffer_load_small<u16>, kGfx12),
        load("s_buffer_load_i16", &run_buffer_load_small<i16>, kGfx12),
        cache("s_dcache_inv", kAllIsas),
        cache("s_dcache_inv_vol", kGfx9),
        cache("s_dcache_wb", kGfx9),
        cache("s_dcache_wb_vol", kGfx9),
        cache("s_gl1_inv", kGfx11),
        cache("s_prefetch_inst", kGfx12),
        cache("s_prefetch_inst_pc_rel", kGfx12),
        cache("s_prefetch_data", kGfx12),
        cache("s_prefetch_data_pc_rel", kGfx12),
        cache("s_buffer_prefetch_data", kGfx12),
    };
    add_both(all, "s_load_b32", &run_load<1>);
    add_both(all, "s_load_b64", &run_load<2>);
    add_both(all, "s_load_b128", &run_load<4>);
    add_both(all, "s_load_b256", &run_load<8>);
    add_both(all, "s_load_b512", &run_load<16>);
    add_both(all, "s_buffer_load_b32", &run_buffer_load<1>);
    add_both(all, "s_buffer_load_b64", &run_buffer_load<2>);
    add_both(all, "s_buffer_load_b128", &run_buffer_load<4>);
    add_both(all, "s_buffer_load_b256", &run_buffer_load<8>);
    add_both(all, "s_buffer_load_b512", &run_buffer_load<16>);
    add_scalar_atomics(all);
    return all;
}

}  // namespace gfxsim

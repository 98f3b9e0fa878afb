// SPDX-License-Identifier: MIT
// Loads, stores and atomics of buffer, global, flat and scratch instructions: one description for all of them, with the
// names that it has on each generation.
#pragma once

#include <atomic>
#include <string>

#include "gfxsim/core/gpu.hpp"
#include "gfxsim/ops/atomics.hpp"
#include "gfxsim/ops/isas.hpp"
#include "gfxsim/ops/reach.hpp"
#include "gfxsim/ops/tables.hpp"
#include "gfxsim/ops/transfer.hpp"

namespace gfxsim {

/// A name that lives as long as the tables.
const char* keep_name(std::string name);

/// Adds what is called `old_name` on gfx9, `name11` on gfx11 and `name12` on gfx12; a null name: not there.
void add_named(Table& table, Definition def, const char* prefix, const char* old_name, const char* name11,
               const char* name12);

/// Loads that put what they read into LDS, at M0 and the instruction's offset, one lane behind the other.
template <Form form>
void run_to_lds(Wave& wave, const Instr& instr, const Reach& reach) {
    constexpr u32 kBytes = bytes_of(form) < 4 ? 4 : bytes_of(form);
    // M0 has 16 bits for this where LDS is not larger.
    const u32 m0 = wave.gpu->spec->lds_bytes > 65536 ? wave.s[sreg::m0] : wave.s[sreg::m0] & 0xffff;
    const u32 base = m0 + u32(instr.mod.offset);
    alignas(16) u8 values[kLanes][16] = {};
    for (int space = 0; space < 3; ++space) {
        for_lanes(reach.mask[space], [&](int lane) {
            const u8* from = reinterpret_cast<const u8*>(reach.base[space] + reach.at[lane]);
            if constexpr (bytes_of(form) >= 4) {
                std::memcpy(values[lane], from, kBytes);
            } else {
                const u32 value = extended<form>(from);
                std::memcpy(values[lane], &value, 4);
            }
        });
    }
    for_lanes(reach.partial, [&](int lane) {
        std::memcpy(values[lane], reinterpret_cast<const u8*>(reach.at[lane]), 4u * reach.dwords[lane]);
    });
    Reach lds;
    for (int lane = 0; lane < kLanes; ++lane) lds.at[lane] = base + u32(lane) * kBytes;
    reach_lds(wave, instr, wave.exec(), {kBytes, Use::write, nullptr}, lds);
    for_lanes(lds.mask[int(Space::lds)],
              [&](int lane) { std::memcpy(wave.group->lds.data() + lds.at[lane], values[lane], kBytes); });
}

template <class Place, Form form>
void run_load(Wave& wave, const Instr& instr) {
    Reach reach;
    const u16 row = instr.dst[0].index;
    wave.group->sums.flush();
    Place::reach(wave, instr, kLoads, {bytes_of(form), Use::read, instr.dsts ? &instr.dst[0] : nullptr}, reach);
    if (instr.mod.lds) return run_to_lds<form>(wave, instr, reach);
    for (int space = 0; space < 3; ++space) load_lanes<form>(wave, row, reach.mask[space], reach.base[space], reach.at);
    // What another workgroup wrote before a flag that was just read must be seen by later loads.
    std::atomic_thread_fence(std::memory_order_acquire);
    if (!(reach.outside | reach.partial)) return;
    clear_lanes<form>(wave, row, reach.outside | reach.partial);
    for_lanes(reach.partial, [&](int lane) {
        for (u32 dword = 0; dword < reach.dwords[lane]; ++dword)
            load_lane<Form::b32>(wave.v[row + dword], lane, reinterpret_cast<const u8*>(reach.at[lane] + 4 * dword));
    });
}

/// Loads whose destination is LDS by their name.
template <class Place, Form form>
void run_lds_load(Wave& wave, const Instr& instr) {
    Reach reach;
    Place::reach(wave, instr, kLoads, {bytes_of(form), Use::read, nullptr}, reach);
    run_to_lds<form>(wave, instr, reach);
}

template <class Place, Form form>
void run_store(Wave& wave, const Instr& instr) {
    Reach reach;
    const Operand& data = instr.src[Place::data_at];
    Place::reach(wave, instr, Place::data_at, {bytes_of(form), Use::write, &data}, reach);
    std::atomic_thread_fence(std::memory_order_release);
    for (int space = 0; space < 3; ++space)
        store_lanes<form>(wave, data.index, reach.mask[space], reach.base[space], reach.at);
    for_lanes(reach.partial, [&](int lane) {
        for (u32 dword = 0; dword < reach.dwords[lane]; ++dword)
            store_lane<Form::b32>(wave.v[data.index + dword], lane, reinterpret_cast<u8*>(reach.at[lane] + 4 * dword));
    });
}

/// Only memory behind the caches of later GPUs adds denormal f32 values.
atomic::Denormals memory_denormals(const Wave& wave);
[[noreturn]] void throw_misaligned(u64 address);

template <class Place, auto F>
void run_atomic(Wave& wave, const Instr& instr) {
    using Word = atomic::Word<F>;
    Reach reach;
    const int data_at = Place::atomic_data_at(instr);
    const Operand& data = data_at == kLoads ? instr.dst[0] : instr.src[data_at];
    Place::reach(wave, instr, data_at, {sizeof(Word), Use::atomic, &data}, reach);
    const bool later = atomic::is_float_sum<F> && !instr.dsts;
    if (!later) wave.group->sums.flush();
    const atomic::Denormals in_memory = memory_denormals(wave), in_lds = {wave.mode.denorm32, wave.mode.denorm64};
    for (int space = 0; space < 3; ++space) {
        for_lanes(reach.mask[space], [&](int lane) {
            u8* at = reinterpret_cast<u8*>(reach.base[space] + reach.at[lane]);
            const Word first = atomic::read_word<Word>(wave, data.index, lane);
            const Word second = atomic::operands<F> == 2
                                    ? atomic::read_word<Word>(wave, u16(data.index + sizeof(Word) / 4), lane)
                                    : Word(0);
            Word old;
            if (space == int(Space::global)) {
                if (reinterpret_cast<u64>(at) % sizeof(Word)) throw_misaligned(reinterpret_cast<u64>(at));
                if constexpr (atomic::is_float_sum<F>) {
                    if (later) {
                        wave.group->sums.add({&atomic::apply_later<F>, at, first, in_memory.in32, in_memory.in64});
                        return;
                    }
                }
                old = atomic::update_shared<F>(at, first, second, in_memory);
            } else {
                old = atomic::update<F>(at, first, second, space == int(Space::lds) ? in_lds : in_memory);
            }
            if (instr.dsts) atomic::write_word(wave, instr.dst[0].index, lane, old);
        });
    }
    if (instr.dsts)
        for_lanes(reach.outside, [&](int lane) { atomic::write_word(wave, instr.dst[0].index, lane, Word(0)); });
}

template <class Place>
void add_transfers(Table& table) {
    struct Row {
        RunFn run;
        const char* old_name;
        const char* name;
    };
    const Row loads[] = {
        {run_load<Place, Form::u8>, "load_ubyte", "load_u8"},
        {run_load<Place, Form::i8>, "load_sbyte", "load_i8"},
        {run_load<Place, Form::u16>, "load_ushort", "load_u16"},
        {run_load<Place, Form::i16>, "load_sshort", "load_i16"},
        {run_load<Place, Form::b32>, "load_dword", "load_b32"},
        {run_load<Place, Form::b64>, "load_dwordx2", "load_b64"},
        {run_load<Place, Form::b96>, "load_dwordx3", "load_b96"},
        {run_load<Place, Form::b128>, "load_dwordx4", "load_b128"},
        {run_load<Place, Form::lo_u8>, "load_ubyte_d16", "load_d16_u8"},
        {run_load<Place, Form::lo_i8>, "load_sbyte_d16", "load_d16_i8"},
        {run_load<Place, Form::lo_b16>, "load_short_d16", "load_d16_b16"},
        {run_load<Place, Form::hi_u8>, "load_ubyte_d16_hi", "load_d16_hi_u8"},
        {run_load<Place, Form::hi_i8>, "load_sbyte_d16_hi", "load_d16_hi_i8"},
        {run_load<Place, Form::hi_b16>, "load_short_d16_hi", "load_d16_hi_b16"},
    };
    const Row stores[] = {
        {run_store<Place, Form::u8>, "store_byte", "store_b8"},
        {run_store<Place, Form::u16>, "store_short", "store_b16"},
        {run_store<Place, Form::hi_u8>, "store_byte_d16_hi", "store_d16_hi_b8"},
        {run_store<Place, Form::hi_b16>, "store_short_d16_hi", "store_d16_hi_b16"},
        {run_store<Place, Form::b32>, "store_dword", "store_b32"},
        {run_store<Place, Form::b64>, "store_dwordx2", "store_b64"},
        {run_store<Place, Form::b96>, "store_dwordx3", "store_b96"},
        {run_store<Place, Form::b128>, "store_dwordx4", "store_b128"},
    };
    Definition def;
    def.src.fill(Type::u32);
    def.traits.klass = Place::klass, def.traits.counter = Counter::vm;
    for (const Row& row : loads) {
        Definition load = def;
        load.run = row.run, load.dsts = 1, load.dst[0] = Type::u32, load.traits.dst_rule = DstRule::unless_lds;
        add_named(table, load, Place::prefix, row.old_name, row.name, row.name);
    }
    for (const Row& row : stores) {
        Definition store = def;
        store.run = row.run;
        add_named(table, store, Place::prefix, row.old_name, nullptr, nullptr);
        store.traits.counter = Counter::store;
        add_named(table, store, Place::prefix, nullptr, row.name, row.name);
    }
}

/// Loads into LDS with names of their own, which only gfx9 has.
template <class Place>
void add_lds_loads(Table& table) {
    struct Row {
        RunFn run;
        const char* name;
    };
    const Row rows[] = {
        {run_lds_load<Place, Form::u8>, "load_lds_ubyte"},     {run_lds_load<Place, Form::i8>, "load_lds_sbyte"},
        {run_lds_load<Place, Form::u16>, "load_lds_ushort"},   {run_lds_load<Place, Form::i16>, "load_lds_sshort"},
        {run_lds_load<Place, Form::b32>, "load_lds_dword"},    {run_lds_load<Place, Form::b96>, "load_lds_dwordx3"},
        {run_lds_load<Place, Form::b128>, "load_lds_dwordx4"},
    };
    Definition def;
    def.src.fill(Type::u32);
    def.traits.klass = Place::klass, def.traits.counter = Counter::vm, def.traits.reads_m0 = true;
    for (const Row& row : rows) {
        def.run = row.run;
        add_named(table, def, Place::prefix, row.name, nullptr, nullptr);
    }
}

template <class Place>
void add_atomics(Table& table) {
    using namespace atomic;
    struct Row {
        RunFn run;
        const char* old_name;
        const char* name11;
        const char* name12;
    };
    const Row rows[] = {
        {run_atomic<Place, exchange<u32>>, "swap", "swap_b32", "swap_b32"},
        {run_atomic<Place, exchange<u64>>, "swap_x2", "swap_b64", "swap_b64"},
        {run_atomic<Place, compare_exchange<u32>>, "cmpswap", "cmpswap_b32", "cmpswap_b32"},
        {run_atomic<Place, compare_exchange<u64>>, "cmpswap_x2", "cmpswap_b64", "cmpswap_b64"},
        {run_atomic<Place, compare_exchange<f32>>, nullptr, "cmpswap_f32", nullptr},
        {run_atomic<Place, atomic::add<u32>>, "add", "add_u32", "add_u32"},
        {run_atomic<Place, atomic::add<u64>>, "add_x2", "add_u64", "add_u64"},
        {run_atomic<Place, atomic::add<f32>>, "add_f32", "add_f32", "add_f32"},
        {run_atomic<Place, atomic::add<f64>>, "add_f64", nullptr, nullptr},
        {run_atomic<Place, add_pair<f16>>, "pk_add_f16", nullptr, "pk_add_f16"},
        {run_atomic<Place, add_pair<bf16>>, "pk_add_bf16", nullptr, "pk_add_bf16"},
        {run_atomic<Place, sub<u32>>, "sub", "sub_u32", "sub_u32"},
        {run_atomic<Place, sub<u64>>, "sub_x2", "sub_u64", "sub_u64"},
        {run_atomic<Place, sub_clamp>, nullptr, "csub_u32", "sub_clamp_u32"},
        {run_atomic<Place, sub_if_enough>, nullptr, nullptr, "cond_sub_u32"},
        {run_atomic<Place, atomic::min<i32>>, "smin", "min_i32", "min_i32"},
        {run_atomic<Place, atomic::min<i64>>, "smin_x2", "min_i64", "min_i64"},
        {run_atomic<Place, atomic::min<u32>>, "umin", "min_u32", "min_u32"},
        {run_atomic<Place, atomic::min<u64>>, "umin_x2", "min_u64", "min_u64"},
        {run_atomic<Place, atomic::min<f32>>, nullptr, "min_f32", nullptr},
        {run_atomic<Place, atomic::min<f64>>, "min_f64", nullptr, nullptr},
        {run_atomic<Place, min_number<f32>>, nullptr, nullptr, "min_num_f32"},
        {run_atomic<Place, atomic::max<i32>>, "smax", "max_i32", "max_i32"},
        {run_atomic<Place, atomic::max<i64>>, "smax_x2", "max_i64", "max_i64"},
        {run_atomic<Place, atomic::max<u32>>, "umax", "max_u32", "max_u32"},
        {run_atomic<Place, atomic::max<u64>>, "umax_x2", "max_u64", "max_u64"},
        {run_atomic<Place, atomic::max<f32>>, nullptr, "max_f32", nullptr},
        {run_atomic<Place, atomic::max<f64>>, "max_f64", nullptr, nullptr},
        {run_atomic<Place, max_number<f32>>, nullptr, nullptr, "max_num_f32"},
        {run_atomic<Place, and_<u32>>, "and", "and_b32", "and_b32"},
        {run_atomic<Place, and_<u64>>, "and_x2", "and_b64", "and_b64"},
        {run_atomic<Place, or_<u32>>, "or", "or_b32", "or_b32"},
        {run_atomic<Place, or_<u64>>, "or_x2", "or_b64", "or_b64"},
        {run_atomic<Place, xor_<u32>>, "xor", "xor_b32", "xor_b32"},
        {run_atomic<Place, xor_<u64>>, "xor_x2", "xor_b64", "xor_b64"},
        {run_atomic<Place, increment<u32>>, "inc", "inc_u32", "inc_u32"},
        {run_atomic<Place, increment<u64>>, "inc_x2", "inc_u64", "inc_u64"},
        {run_atomic<Place, decrement<u32>>, "dec", "dec_u32", "dec_u32"},
        {run_atomic<Place, decrement<u64>>, "dec_x2", "dec_u64", "dec_u64"},
    };
    for (const Row& row : rows) {
        Definition def;
        def.run = row.run, def.dsts = 1, def.dst[0] = Type::u32;
        def.src.fill(Type::u32);
        def.traits.klass = Place::klass, def.traits.counter = Counter::vm, def.traits.dst_rule = DstRule::if_returning;
        def.traits.reads_dst = Place::data_at == 0;
        add_named(table, def, (std::string(Place::prefix) + "atomic_").c_str(), row.old_name, row.name11, row.name12);
    }
}

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
// LDS loads and stores.
#include <string>

#include "gfxsim/ops/lds_tables.hpp"
#include "gfxsim/ops/vector_memory.hpp"

namespace gfxsim {
namespace {

constexpr int kLds = int(Space::lds);

template <Form form>
void load_from(Wave& wave, const Instr& instr, const Operand& data, Reach& reach) {
    reach_lds(wave, instr, wave.exec(), {bytes_of(form), Use::read, &data}, reach);
    load_lanes<form>(wave, data.index, reach.mask[kLds], reach.base[kLds], reach.at);
    if (reach.outside) clear_lanes<form>(wave, data.index, reach.outside);
}

template <Form form>
void store_to(Wave& wave, const Instr& instr, const Operand& data, Reach& reach) {
    reach_lds(wave, instr, wave.exec(), {bytes_of(form), Use::write, &data}, reach);
    store_lanes<form>(wave, data.index, reach.mask[kLds], reach.base[kLds], reach.at);
}

template <Form form>
void run_read(Wave& wave, const Instr& instr) {
    Reach reach;
    lds_offsets(wave, instr.src[0], u32(instr.mod.offset), reach);
    load_from<form>(wave, instr, instr.dst[0], reach);
}

template <Form form>
void run_write(Wave& wave, const Instr& instr) {
    Reach reach;
    lds_offsets(wave, instr.src[0], u32(instr.mod.offset), reach);
    store_to<form>(wave, instr, instr.src[1], reach);
}

// Two values at offsets that count values, or 64 of them.
template <Form form, u32 stride>
void run_read2(Wave& wave, const Instr& instr) {
    Reach first, second;
    lds_offsets(wave, instr.src[0], instr.mod.offset0 * stride * bytes_of(form), first);
    lds_offsets(wave, instr.src[0], instr.mod.offset1 * stride * bytes_of(form), second);
    load_from<form>(wave, instr, part(instr.dst[0], 0, dwords_of(form)), first);
    load_from<form>(wave, instr, part(instr.dst[0], dwords_of(form), dwords_of(form)), second);
}

template <Form form, u32 stride>
void run_write2(Wave& wave, const Instr& instr) {
    Reach first, second;
    lds_offsets(wave, instr.src[0], instr.mod.offset0 * stride * bytes_of(form), first);
    lds_offsets(wave, instr.src[0], instr.mod.offset1 * stride * bytes_of(form), second);
    store_to<form>(wave, instr, instr.src[1], first);
    store_to<form>(wave, instr, instr.src[2], second);
}

void lane_offsets(const Wave& wave, const Instr& instr, u64* at) {
    const u32 base = (wave.s[sreg::m0] & 0xffff) + u32(instr.mod.offset);
    for (int lane = 0; lane < kLanes; ++lane) at[lane] = base + 4 * u32(lane);
}

void run_read_addtid(Wave& wave, const Instr& instr) {
    Reach reach;
    lane_offsets(wave, instr, reach.at);
    load_from<Form::b32>(wave, instr, instr.dst[0], reach);
}

void run_write_addtid(Wave& wave, const Instr& instr) {
    Reach reach;
    lane_offsets(wave, instr, reach.at);
    store_to<Form::b32>(wave, instr, instr.src[0], reach);
}

struct Row {
    RunFn run;
    const char* old_name;
    const char* name;
};

constexpr Row kReads[] = {
    {run_read<Form::u8>, "read_u8", "load_u8"},
    {run_read<Form::i8>, "read_i8", "load_i8"},
    {run_read<Form::u16>, "read_u16", "load_u16"},
    {run_read<Form::i16>, "read_i16", "load_i16"},
    {run_read<Form::lo_u8>, "read_u8_d16", "load_u8_d16"},
    {run_read<Form::lo_i8>, "read_i8_d16", "load_i8_d16"},
    {run_read<Form::lo_b16>, "read_u16_d16", "load_u16_d16"},
    {run_read<Form::hi_u8>, "read_u8_d16_hi", "load_u8_d16_hi"},
    {run_read<Form::hi_i8>, "read_i8_d16_hi", "load_i8_d16_hi"},
    {run_read<Form::hi_b16>, "read_u16_d16_hi", "load_u16_d16_hi"},
    {run_read<Form::b32>, "read_b32", "load_b32"},
    {run_read<Form::b64>, "read_b64", "load_b64"},
    {run_read<Form::b96>, "read_b96", "load_b96"},
    {run_read<Form::b128>, "read_b128", "load_b128"},
    {run_read2<Form::b32, 1>, "read2_b32", "load_2addr_b32"},
    {run_read2<Form::b64, 1>, "read2_b64", "load_2addr_b64"},
    {run_read2<Form::b32, 64>, "read2st64_b32", "load_2addr_stride64_b32"},
    {run_read2<Form::b64, 64>, "read2st64_b64", "load_2addr_stride64_b64"},
};

constexpr Row kWrites[] = {
    {run_write<Form::u8>, "write_b8", "store_b8"},
    {run_write<Form::u16>, "write_b16", "store_b16"},
    {run_write<Form::hi_u8>, "write_b8_d16_hi", "store_b8_d16_hi"},
    {run_write<Form::hi_b16>, "write_b16_d16_hi", "store_b16_d16_hi"},
    {run_write<Form::b32>, "write_b32", "store_b32"},
    {run_write<Form::b64>, "write_b64", "store_b64"},
    {run_write<Form::b96>, "write_b96", "store_b96"},
    {run_write<Form::b128>, "write_b128", "store_b128"},
    {run_write2<Form::b32, 1>, "write2_b32", "store_2addr_b32"},
    {run_write2<Form::b64, 1>, "write2_b64", "store_2addr_b64"},
    {run_write2<Form::b32, 64>, "write2st64_b32", "store_2addr_stride64_b32"},
    {run_write2<Form::b64, 64>, "write2st64_b64", "store_2addr_stride64_b64"},
};

}  // namespace

Table lds_table() {
    Table table;
    Definition def;
    def.src.fill(Type::u32);
    def.dst[0] = Type::u32;
    def.traits = lds_traits();
    const auto add = [&](const Row& row, u8 dsts, bool reads_m0) {
        def.run = row.run, def.dsts = dsts, def.traits.reads_m0 = reads_m0;
        add_named(table, def, "ds_", row.old_name, row.name, row.name);
    };
    for (const Row& row : kReads) add(row, 1, false);
    for (const Row& row : kWrites) add(row, 0, false);
    add({run_read_addtid, "read_addtid_b32", "load_addtid_b32"}, 1, true);
    add({run_write_addtid, "write_addtid_b32", "store_addtid_b32"}, 0, true);
    add_lds_atomics(table);
    add_lds_cross_lane(table);
    add_lds_transpose(table);
    return table;
}

}  // namespace gfxsim

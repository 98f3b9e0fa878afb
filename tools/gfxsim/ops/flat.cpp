// SPDX-License-Identifier: MIT
// Global, flat and scratch instructions.
#include "gfxsim/ops/vector_memory.hpp"

namespace gfxsim {
namespace {

// Lanes that follow each other in memory; the address is in scalar registers alone.
void reach_by_lane(Wave& wave, const Instr& instr, const Operand& saddr, const Request& request, Reach& reach) {
    const u64 base = (saddr.is_scalar() ? read_scalar64(wave, saddr) : 0) + u64(i64(instr.mod.offset));
    for (int lane = 0; lane < kLanes; ++lane) reach.at[lane] = base + 4 * u64(lane);
    reach_global(wave, instr, wave.exec(), request, reach);
}

void run_load_addtid(Wave& wave, const Instr& instr) {
    Reach reach;
    reach_by_lane(wave, instr, instr.src[0], {4, Use::read, &instr.dst[0]}, reach);
    load_lanes<Form::b32>(wave, instr.dst[0].index, reach.mask[0], 0, reach.at);
}

void run_store_addtid(Wave& wave, const Instr& instr) {
    Reach reach;
    reach_by_lane(wave, instr, instr.src[1], {4, Use::write, &instr.src[0]}, reach);
    store_lanes<Form::b32>(wave, instr.src[0].index, reach.mask[0], 0, reach.at);
}

// A square of 8 lanes by 8 values is transposed. Each lane's values come from the same place of the 8 lanes.
template <class Value>
void run_load_transposed(Wave& wave, const Instr& instr) {
    if (wave.size != 32)
        throw Fault(FaultKind::unsupported, "is a transposing load in a wave of 64 lanes, which is not simulated");
    const u64 exec = wave.exec();
    if (exec != wave.full)
        throw Fault(FaultKind::unsupported, "is a transposing load with lanes switched off, which is not defined");
    Reach reach;
    GlobalPlace::reach(wave, instr, kLoads, {8 * sizeof(Value), Use::read, &instr.dst[0]}, reach);
    Value in[32][8], out[8];
    for (int lane = 0; lane < 32; ++lane)
        std::memcpy(in[lane], reinterpret_cast<const u8*>(reach.at[lane]), sizeof(in[lane]));
    for (int lane = 0; lane < 32; ++lane) {
        for (int i = 0; i < 8; ++i) out[i] = in[(lane & ~7) + i][lane & 7];
        load_lane<sizeof(out) == 16 ? Form::b128 : Form::b64>(wave.v[instr.dst[0].index], lane,
                                                              reinterpret_cast<const u8*>(out));
    }
}

void run_cache_control(Wave& wave, const Instr&) {
    wave.group->sums.flush();
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace

Table flat_table() {
    Table table;
    add_transfers<GlobalPlace>(table);
    add_transfers<FlatPlace>(table);
    add_transfers<ScratchPlace>(table);
    add_lds_loads<GlobalPlace>(table);
    add_lds_loads<ScratchPlace>(table);
    add_atomics<GlobalPlace>(table);
    add_atomics<FlatPlace>(table);

    Definition load;
    load.src.fill(Type::u32);
    load.dsts = 1, load.dst[0] = Type::u32, load.traits.klass = Class::global, load.traits.counter = Counter::vm;
    Definition other = load;
    other.dsts = 0;
    const auto add = [&](Definition def, RunFn run, const char* old_name, const char* name11, const char* name12) {
        def.run = run;
        add_named(table, def, "global_", old_name, name11, name12);
    };
    add(load, run_load_addtid, nullptr, "load_addtid_b32", "load_addtid_b32");
    add(load, run_load_transposed<u16>, nullptr, nullptr, "load_tr_b128");
    add(load, run_load_transposed<u8>, nullptr, nullptr, "load_tr_b64");
    add(other, run_cache_control, nullptr, nullptr, "inv");
    other.traits.counter = Counter::store;
    add(other, run_store_addtid, nullptr, "store_addtid_b32", "store_addtid_b32");
    add(other, run_cache_control, nullptr, nullptr, "wb");
    add(other, run_cache_control, nullptr, nullptr, "wbinv");
    return table;
}

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
// Instructions of the LDS unit that move values between lanes and touch no memory, and the counters append and consume.
#include "gfxsim/ops/isas.hpp"
#include "gfxsim/ops/lds_tables.hpp"
#include "gfxsim/ops/vector_memory.hpp"

namespace gfxsim {
namespace {

// Lanes that an index can name: gfx11 permutes the halves of a wave of 64 by themselves.
int reachable_lanes(const Wave& wave) { return wave.isa == Isa::gfx11 ? 32 : wave.size; }

void put_lanes(Wave& wave, const Instr& instr, const u32* values) {
    u32* to = wave.v[instr.dst[0].index];
    each_lane(wave.exec(), [&](int lane) { to[lane] = values[lane]; });
}

// Each lane sends its value to another one; of two that send to the same, the later wins.
void run_permute(Wave& wave, const Instr& instr) {
    const u32 *index = wave.v[instr.src[0].index], *value = wave.v[instr.src[1].index];
    const int lanes = reachable_lanes(wave);
    u32 out[kLanes] = {};
    for_lanes(wave.exec(), [&](int lane) {
        const int to = (lane & ~(lanes - 1)) | int((index[lane] + u32(instr.mod.offset)) / 4 & u32(lanes - 1));
        out[to] = value[lane];
    });
    put_lanes(wave, instr, out);
}

// Each lane takes another one's value, or 0 from a lane that is off.
template <bool from_inactive>
void run_backward_permute(Wave& wave, const Instr& instr) {
    const u32 *index = wave.v[instr.src[0].index], *value = wave.v[instr.src[1].index];
    const int lanes = reachable_lanes(wave);
    const u64 exec = wave.exec();
    u32 out[kLanes];
    for (int lane = 0; lane < wave.size; ++lane) {
        const int from = (lane & ~(lanes - 1)) | int((index[lane] + u32(instr.mod.offset)) / 4 & u32(lanes - 1));
        out[lane] = from_inactive || (exec >> from & 1) ? value[from] : 0;
    }
    put_lanes(wave, instr, out);
}

// The lane that `lane` takes its value from.
int swizzled_lane(int lane, u32 mode) {
    const int group = lane & ~31, within = lane & 31;
    if (mode >= 0xe000) {
        const int mask = int(mode & 0x1f);
        int reversed = 0;
        for (int bit = 0; bit < 5; ++bit) reversed |= (within >> bit & 1) << (4 - bit);
        return group | (reversed >> __builtin_popcount(unsigned(mask))) | (within & mask);
    }
    if (mode >= 0xc000) {
        const int keep = int(mode & 0x1f), amount = int(mode >> 5 & 0x1f);
        const int turned = mode >> 10 & 1 ? within - amount : within + amount;
        return group | (within & keep) | (turned & 31 & ~keep);
    }
    if (mode & 0x8000) return (lane & ~3) | int(mode >> (2 * (lane & 3)) & 3);
    return group | (((within & int(mode & 0x1f)) | int(mode >> 5 & 0x1f)) ^ int(mode >> 10 & 0x1f));
}

void run_swizzle(Wave& wave, const Instr& instr) {
    const u32* value = wave.v[instr.src[0].index];
    const u64 exec = wave.exec();
    u32 out[kLanes];
    for (int lane = 0; lane < wave.size; ++lane) {
        const int from = swizzled_lane(lane, u32(instr.mod.offset) & 0xffff);
        out[lane] = exec >> from & 1 ? value[from] : 0;
    }
    put_lanes(wave, instr, out);
}

// One counter in LDS, moved by the number of lanes; all of them get what it was.
template <bool up>
void run_count(Wave& wave, const Instr& instr) {
    const u64 exec = wave.exec();
    if (!exec) return;
    Reach reach;
    const int first = lowest(exec);
    const u32 lanes = u32(__builtin_popcountll(exec));
    reach.at[first] = wave.s[sreg::m0] + u32(instr.mod.offset);
    reach_lds(wave, instr, u64(1) << first, {4, Use::atomic, nullptr}, reach);
    u32 old = 0;
    if (!reach.outside) {
        u8* at = wave.group->lds.data() + reach.at[first];
        std::memcpy(&old, at, 4);
        const u32 moved = up ? old + lanes : old - lanes;
        std::memcpy(at, &moved, 4);
    }
    u32* to = wave.v[instr.dst[0].index];
    for_lanes(exec, [&](int lane) { to[lane] = old; });
}

void run_nop(Wave&, const Instr&) {}

}  // namespace

void add_lds_cross_lane(Table& table) {
    const auto add = [&](const char* name, RunFn run, u8 isas = kAllIsas) {
        Definition def;
        def.src.fill(Type::u32);
        def.name = name, def.run = run, def.dsts = 1, def.dst[0] = Type::u32, def.traits = lds_traits(),
        def.isas = isas;
        table.push_back(def);
        return &table.back();
    };
    add("ds_permute_b32", run_permute);
    add("ds_bpermute_b32", run_backward_permute<false>);
    add("ds_bpermute_fi_b32", run_backward_permute<true>, kGfx12);
    add("ds_swizzle_b32", run_swizzle);
    add("ds_append", run_count<true>)->traits.reads_m0 = true;
    add("ds_consume", run_count<false>)->traits.reads_m0 = true;
    add("ds_nop", run_nop)->dsts = 0;
}

}  // namespace gfxsim

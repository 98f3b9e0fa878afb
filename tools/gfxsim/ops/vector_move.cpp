// SPDX-License-Identifier: MIT
// Moves between vector registers and between vector and scalar registers.
#include <utility>

#include "gfxsim/ops/vector_integer.hpp"
#include "gfxsim/ops/vector_move.hpp"

namespace gfxsim {
namespace {

using namespace integer;

template <class T> T choose(T a, T b, bool second) { return second ? b : a; }

bool is_plain_copy(const Instr& instr) {
    const Modifiers& mod = instr.mod;
    const Operand& from = instr.src[0];
    return mod.dpp.kind == DppKind::none && !mod.has_sdwa && !from.neg && !from.abs;
}

// The most frequent instruction of all, so it does without the rows in between.
void run_mov_b32(Wave& wave, const Instr& instr) {
    if (instr.mod.clamp || instr.mod.omod != Omod::none)
        throw Fault(FaultKind::unsupported, "has an output modifier, which is not simulated for a move");
    if (!is_plain_copy(instr)) return LaneInstruction<same<u32>, Into::vector>::run(wave, instr);
    const Operand& from = instr.src[0];
    const u64 exec = wave.exec();
    u32* to = wave.v[instr.dst[0].index];
    if (from.is_vector()) {
        const u32* row = wave.v[from.index];
        if (exec == wave.full) std::memmove(to, row, sizeof(u32) * wave.size);
        else for_lanes(exec, [&](int lane) { to[lane] = row[lane]; });
        return;
    }
    const u32 value = read_scalar32(wave, from);
    if (exec == wave.full) {
        for (int lane = 0; lane < wave.size; ++lane) to[lane] = value;
    } else {
        for_lanes(exec, [&](int lane) { to[lane] = value; });
    }
}

// The mask goes to the lanes in halves, because its bits are then as wide as the values.
void run_cndmask_b32(Wave& wave, const Instr& instr) {
    if (instr.mod.dpp.kind != DppKind::none || instr.mod.has_sdwa)
        return LaneInstruction<choose<u32>, Into::vector>::run(wave, instr);
    Source from[3];
    fetch(wave, instr, 0, Type::u32, from[0]);
    fetch(wave, instr, 1, Type::u32, from[1]);
    fetch(wave, instr, 2, Type::mask, from[2]);
    Results out;
    for (int first = 0; first < wave.size; first += 32) {
        const u32 mask = u32(from[2].mask >> first);
        for (int i = 0; i < 32; ++i) {
            const u32 a = take<u32>(from[0], first + i), b = take<u32>(from[1], first + i);
            out.row[0][first + i] = mask >> i & 1 ? b : a;
        }
    }
    store(wave, instr, Type::u32, out, wave.exec());
}

u32 read_lane(const Wave& wave, const Operand& operand, int lane) {
    return operand.is_vector() ? wave.v[operand.index][lane] : read_scalar32(wave, operand);
}

int chosen_lane(const Wave& wave, const Operand& operand) {
    return int(read_scalar32(wave, operand) & (wave.size - 1));
}

void run_readfirstlane(Wave& wave, const Instr& instr) {
    const u64 exec = wave.exec();
    write_scalar32(wave, instr.dst[0], read_lane(wave, instr.src[0], exec ? lowest(exec) : 0));
}

void run_readlane(Wave& wave, const Instr& instr) {
    write_scalar32(wave, instr.dst[0], read_lane(wave, instr.src[0], chosen_lane(wave, instr.src[1])));
}

void run_writelane(Wave& wave, const Instr& instr) {
    const u32 value = read_scalar32(wave, instr.src[0]);
    wave.v[instr.dst[0].index][chosen_lane(wave, instr.src[1])] = value;
}

void run_nothing(Wave&, const Instr&) {}

void run_swap_b32(Wave& wave, const Instr& instr) {
    u32* a = wave.v[instr.dst[0].index];
    u32* b = wave.v[instr.dst[1].index];
    for_lanes(wave.exec(), [&](int lane) { std::swap(a[lane], b[lane]); });
}

void run_swap_b16(Wave& wave, const Instr& instr) {
    const Operand &first = instr.dst[0], &second = instr.dst[1];
    const int shift_a = first.high ? 16 : 0, shift_b = second.high ? 16 : 0;
    for_lanes(wave.exec(), [&](int lane) {
        u32 &a = wave.v[first.index][lane], &b = wave.v[second.index][lane];
        const u32 was_a = a >> shift_a & 0xffff, was_b = b >> shift_b & 0xffff;
        a = (a & ~(0xffffu << shift_a)) | was_b << shift_a;
        b = (b & ~(0xffffu << shift_b)) | was_a << shift_b;
    });
}

// The register behind `base` that M0 chooses.
u16 relative_row(const Operand& base, u32 by) {
    const u32 row = base.index + by;
    if (!base.is_vector() || row < by || row >= kFirstAgpr)
        throw Fault(FaultKind::invalid, "chooses a vector register that does not exist by M0 = " + std::to_string(by));
    return u16(row);
}

void copy_row(Wave& wave, u16 to, u16 from) {
    for_lanes(wave.exec(), [&](int lane) { wave.v[to][lane] = wave.v[from][lane]; });
}

void run_movreld(Wave& wave, const Instr& instr) {
    const u16 to = relative_row(instr.dst[0], wave.s[sreg::m0]);
    for_lanes(wave.exec(), [&](int lane) { wave.v[to][lane] = read_lane(wave, instr.src[0], lane); });
}

void run_movrels(Wave& wave, const Instr& instr) {
    copy_row(wave, instr.dst[0].index, relative_row(instr.src[0], wave.s[sreg::m0]));
}

void run_movrelsd(Wave& wave, const Instr& instr) {
    const u32 m0 = wave.s[sreg::m0];
    copy_row(wave, relative_row(instr.dst[0], m0), relative_row(instr.src[0], m0));
}

void run_movrelsd_2(Wave& wave, const Instr& instr) {
    const u32 m0 = wave.s[sreg::m0];
    copy_row(wave, relative_row(instr.dst[0], m0 >> 16 & 0x3ff), relative_row(instr.src[0], m0 & 0x3ff));
}

void run_swaprel(Wave& wave, const Instr& instr) {
    const u32 m0 = wave.s[sreg::m0];
    const u16 a = relative_row(instr.dst[0], m0 >> 16 & 0x3ff), b = relative_row(instr.dst[1], m0 & 0x3ff);
    for_lanes(wave.exec(), [&](int lane) { std::swap(wave.v[a][lane], wave.v[b][lane]); });
}

Definition make(const char* name, RunFn run, u8 dsts, Traits traits = {}, u8 isas = kAllIsas) {
    Definition d;
    d.name = name, d.run = run, d.dsts = dsts, d.traits = traits, d.isas = isas;
    for (Type& type : d.dst) type = Type::u32;
    for (Type& type : d.src) type = Type::u32;
    return d;
}

Definition cndmask_b32() {
    Definition d = lanes<choose<u32>>("v_cndmask_b32");
    d.run = &run_cndmask_b32;
    return d;
}

constexpr Traits any_lane() {
    Traits traits;
    traits.ignores_exec = true;
    return traits;
}
constexpr Traits one_lane_of_many() {
    Traits traits = any_lane();
    traits.reads_dst = true;
    return traits;
}
constexpr Traits exchanging() {
    Traits traits;
    traits.reads_dst = true;
    return traits;
}
constexpr Traits by_m0() {
    Traits traits;
    traits.reads_m0 = true;
    return traits;
}

}  // namespace

Table vector_move_table() {
    Table all = {
        make("v_mov_b32", &run_mov_b32, 1),
        lanes<same<u64>>("v_mov_b64", {}, kGfx9),
        lanes<same<u16>>("v_mov_b16", {}, kGfx11And12),
        make("v_accvgpr_read_b32", &run_mov_b32, 1, {}, kGfx9),
        make("v_accvgpr_write_b32", &run_mov_b32, 1, {}, kGfx9),
        make("v_accvgpr_mov_b32", &run_mov_b32, 1, {}, kGfx9),
        cndmask_b32(),
        lanes<choose<u16>>("v_cndmask_b16", {}, kGfx11And12),
        make("v_readfirstlane_b32", &run_readfirstlane, 1),
        make("v_readlane_b32", &run_readlane, 1, any_lane()),
        make("v_writelane_b32", &run_writelane, 1, one_lane_of_many()),
        make("v_swap_b32", &run_swap_b32, 2, exchanging()),
        make("v_swap_b16", &run_swap_b16, 2, exchanging(), kGfx11And12),
        make("v_movreld_b32", &run_movreld, 1, by_m0(), kGfx11And12),
        make("v_movrels_b32", &run_movrels, 1, by_m0(), kGfx11And12),
        make("v_movrelsd_b32", &run_movrelsd, 1, by_m0(), kGfx11And12),
        make("v_movrelsd_2_b32", &run_movrelsd_2, 1, by_m0(), kGfx11And12),
        make("v_swaprel_b32", &run_swaprel, 2, by_m0(), kGfx11And12),
        make("v_nop", &run_nothing, 0),
        make("v_clrexcp", &run_nothing, 0, {}, kGfx9),
        make("v_pipeflush", &run_nothing, 0, {}, kGfx11And12),
    };
    for (const Definition& def : vector_permlane_table()) all.push_back(def);
    return all;
}

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
// Moves from lane to lane without LDS. A row has 16 lanes.
#include <utility>

#include "gfxsim/core/wave.hpp"
#include "gfxsim/ops/isas.hpp"
#include "gfxsim/ops/vector_move.hpp"

namespace gfxsim {
namespace {

struct Row {
    u32 lane[kLanes];
};

Row copy_of(const Wave& wave, const Operand& operand) {
    if (!operand.is_vector())
        throw Fault(FaultKind::unsupported, "moves lanes of an operand that is no vector register");
    Row row;
    std::memcpy(row.lane, wave.v[operand.index], sizeof(row.lane));
    return row;
}

// op_sel has the bits that DPP calls fi and bound_ctrl: whether a lane that is switched off may be read, and whether
// reading it otherwise gives zero or leaves the destination as it is.
template <class From>
void permute(Wave& wave, const Instr& instr, From&& from) {
    const Row source = copy_of(wave, instr.src[0]);
    const u64 exec = wave.exec();
    const bool fetch_inactive = instr.mod.op_sel & 1, bound_ctrl = instr.mod.op_sel & 2;
    u32* to = wave.v[instr.dst[0].index];
    for_lanes(exec, [&](int lane) {
        const int other = from(lane);
        if (fetch_inactive || (exec >> other & 1)) to[lane] = source.lane[other];
        else if (bound_ctrl) to[lane] = 0;
    });
}

template <int flipped_row>
void run_permlane16(Wave& wave, const Instr& instr) {
    const u64 select = read_scalar32(wave, instr.src[1]) | u64(read_scalar32(wave, instr.src[2])) << 32;
    permute(wave, instr, [&](int lane) { return ((lane & ~15) ^ flipped_row) + int(select >> 4 * (lane & 15) & 15); });
}

template <int flipped_row>
void run_permlane16_var(Wave& wave, const Instr& instr) {
    const Row select = copy_of(wave, instr.src[1]);
    permute(wave, instr, [&](int lane) { return ((lane & ~15) ^ flipped_row) + int(select.lane[lane] & 15); });
}

void run_permlane64(Wave& wave, const Instr& instr) {
    if (wave.size == 32) return;
    const Row source = copy_of(wave, instr.src[0]);
    for_lanes(wave.exec(), [&](int lane) { wave.v[instr.dst[0].index][lane] = source.lane[lane ^ 32]; });
}

// Exchanges the odd rows (or the upper half) of the first register with the even rows (or the lower half) of the
// second.
template <int distance>
void run_permlane_swap(Wave& wave, const Instr& instr) {
    if (wave.exec() != wave.full)
        throw Fault(FaultKind::unsupported,
                    "runs with some lanes switched off, for which its result is not documented");
    u32* first = wave.v[instr.dst[0].index];
    u32* second = wave.v[instr.dst[1].index];
    for (int lane = 0; lane < kLanes; ++lane) {
        if (!(lane & distance)) std::swap(second[lane], first[lane + distance]);
    }
}

Definition make(const char* name, RunFn run, u8 dsts, u8 isas) {
    Definition d;
    d.name = name, d.run = run, d.dsts = dsts, d.isas = isas;
    for (Type& type : d.dst) type = Type::u32;
    for (Type& type : d.src) type = Type::u32;
    d.traits.reads_dst = dsts == 2;
    return d;
}

}  // namespace

Table vector_permlane_table() {
    return {
        make("v_permlane16_b32", &run_permlane16<0>, 1, kGfx11And12),
        make("v_permlanex16_b32", &run_permlane16<16>, 1, kGfx11And12),
        make("v_permlane16_var_b32", &run_permlane16_var<0>, 1, kGfx12),
        make("v_permlanex16_var_b32", &run_permlane16_var<16>, 1, kGfx12),
        make("v_permlane64_b32", &run_permlane64, 1, kGfx11And12),
        make("v_permlane16_swap_b32", &run_permlane_swap<16>, 2, kGfx9),
        make("v_permlane32_swap_b32", &run_permlane_swap<32>, 2, kGfx9),
    };
}

}  // namespace gfxsim

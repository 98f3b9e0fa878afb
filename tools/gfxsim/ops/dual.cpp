// SPDX-License-Identifier: MIT
// Dual-issue instructions: two vector instructions in one, both of which read before either writes.
#include "gfxsim/ops/dual.hpp"

#include <string_view>

#include "gfxsim/core/lanes.hpp"
#include "gfxsim/core/wave.hpp"
#include "gfxsim/ops/isas.hpp"
#include "gfxsim/ops/tables.hpp"

namespace gfxsim {
namespace {

bool reads(const Instr& instr, u16 row) {
    for (int i = 0; i < instr.srcs; ++i) {
        if (instr.src[std::size_t(i)].is_vector() && instr.src[std::size_t(i)].index == row) return true;
    }
    return instr.def->traits.reads_dst && instr.dst[0].index == row;
}

void run_in_order(Wave& wave, const Instr& instr) {
    instr.def->run(wave, instr);
    instr.pair->run(wave, *instr.pair);
}

// The second half must not see what the first one wrote.
void run_apart(Wave& wave, const Instr& instr) {
    u32* row = wave.v[instr.dst[0].index];
    u32 before[kLanes], after[kLanes];
    std::memcpy(before, row, sizeof(before));
    instr.def->run(wave, instr);
    std::memcpy(after, row, sizeof(after));
    std::memcpy(row, before, sizeof(before));
    instr.pair->run(wave, *instr.pair);
    std::memcpy(row, after, sizeof(after));
}

// Without a name for its condition, which is always VCC.
u32 choose_by_vcc(const Lane& lane, u32 a, u32 b) { return lane.wave.mask(sreg::vcc) >> lane.index & 1 ? b : a; }

constexpr Traits by_vcc() {
    Traits traits;
    traits.reads_vcc = true;
    return traits;
}

struct Half {
    const char* name;
    std::string_view whole;  ///< the single instruction that does the same
    u8 isas;
};

constexpr Half kHalves[] = {
    {"v_dual_add_f32", "v_add_f32", kGfx11And12},
    {"v_dual_sub_f32", "v_sub_f32", kGfx11And12},
    {"v_dual_subrev_f32", "v_subrev_f32", kGfx11And12},
    {"v_dual_mul_f32", "v_mul_f32", kGfx11And12},
    {"v_dual_mul_dx9_zero_f32", "v_mul_dx9_zero_f32", kGfx11And12},
    {"v_dual_fmac_f32", "v_fmac_f32", kGfx11And12},
    {"v_dual_fmaak_f32", "v_fmaak_f32", kGfx11And12},
    {"v_dual_fmamk_f32", "v_fmamk_f32", kGfx11And12},
    {"v_dual_max_f32", "v_max_f32", kGfx11},
    {"v_dual_min_f32", "v_min_f32", kGfx11},
    {"v_dual_max_num_f32", "v_max_num_f32", kGfx12},
    {"v_dual_min_num_f32", "v_min_num_f32", kGfx12},
    {"v_dual_dot2acc_f32_f16", "v_dot2acc_f32_f16", kGfx11And12},
    {"v_dual_dot2acc_f32_bf16", "v_dot2acc_f32_bf16", kGfx11And12},
    {"v_dual_mov_b32", "v_mov_b32", kGfx11And12},
    {"v_dual_add_nc_u32", "v_add_nc_u32", kGfx11And12},
    {"v_dual_lshlrev_b32", "v_lshlrev_b32", kGfx11And12},
    {"v_dual_and_b32", "v_and_b32", kGfx11And12},
};

}  // namespace

void make_dual(Instr& first, const Instr& second) {
    const bool known = first.dsts == 1 && second.dsts == 1;
    first.run = known && !reads(second, first.dst[0].index) ? &run_in_order : &run_apart;
}

Table dual_table() {
    Table singles;
    for (auto table : {vector_float_table, vector_packed_table, vector_integer_table, vector_move_table}) {
        for (const Definition& def : table()) singles.push_back(def);
    }
    Table all = {lanes<choose_by_vcc>("v_dual_cndmask_b32", by_vcc(), kGfx11And12)};
    for (const Half& half : kHalves) {
        for (Definition def : singles) {
            if (def.name != half.whole || !(def.isas & half.isas)) continue;
            def.name = half.name, def.isas &= half.isas;
            all.push_back(def);
        }
    }
    return all;
}

}  // namespace gfxsim

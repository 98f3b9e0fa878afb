// SPDX-License-Identifier: MIT
#include "gfxsim/core/dpp.hpp"

namespace gfxsim {
namespace {

constexpr int kOutside = -1;

// The lane that `lane` reads, or kOutside. A row has 16 lanes.
int source_lane(const Dpp& dpp, int lane, int lanes) {
    const int row = lane & ~15, in_row = lane & 15, amount = dpp.value[0];
    switch (dpp.kind) {
        case DppKind::none: return lane;
        case DppKind::quad_perm: return (lane & ~3) | dpp.value[lane & 3];
        case DppKind::row_shl: return in_row + amount < 16 ? lane + amount : kOutside;
        case DppKind::row_shr: return in_row - amount >= 0 ? lane - amount : kOutside;
        case DppKind::row_ror: return row | ((in_row - amount) & 15);
        case DppKind::wave_shl: return lane + 1 < lanes ? lane + 1 : kOutside;
        case DppKind::wave_shr: return lane >= 1 ? lane - 1 : kOutside;
        case DppKind::wave_rol: return (lane + 1) % lanes;
        case DppKind::wave_ror: return (lane + lanes - 1) % lanes;
        case DppKind::row_mirror: return row | (15 - in_row);
        case DppKind::row_half_mirror: return (lane & ~7) | (7 - (lane & 7));
        case DppKind::row_bcast15: return lane >= 16 ? row - 1 : kOutside;
        case DppKind::row_bcast31: return lane >= 32 ? 31 : kOutside;
        case DppKind::row_newbcast:
        case DppKind::row_share: return row | amount;
        case DppKind::row_xmask: return row | (in_row ^ amount);
        case DppKind::dpp8: return (lane & ~7) | dpp.value[lane & 7];
    }
    return kOutside;
}

}  // namespace

u64 dpp_move(const Wave& wave, const Dpp& dpp, const u32* in, u32* out) {
    const u64 exec = wave.exec();
    u64 enabled = 0;
    for (int lane = 0; lane < wave.size; ++lane) {
        const int from = source_lane(dpp, lane, wave.size);
        const bool valid = from != kOutside && (dpp.fetch_inactive || (exec >> from & 1));
        out[lane] = valid ? in[from] : 0;
        const bool row_on = dpp.row_mask >> (lane / 16) & 1;
        const bool bank_on = dpp.bank_mask >> (lane % 16 / 4) & 1;
        if ((valid || dpp.bound_ctrl) && row_on && bank_on) enabled |= u64(1) << lane;
    }
    return enabled;
}

}  // namespace gfxsim

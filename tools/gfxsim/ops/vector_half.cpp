// SPDX-License-Identifier: MIT
// Arithmetic of f16.
#include "gfxsim/ops/float_parts.hpp"
#include "gfxsim/ops/vector_parts.hpp"

namespace gfxsim {
namespace {

using namespace fp;

i16 exponent(f16 a) { return i16(frexp_exponent(a)); }

}  // namespace

Table vector_half_table() {
    // gfx9's forms with op_sel leave the other half of the destination alone, its older forms clear it.
    constexpr Traits keep = keeping_half();
    return {
        lanes<add<f16>>("v_add_f16"),
        lanes<sub<f16>>("v_sub_f16"),
        lanes<subrev<f16>>("v_subrev_f16"),
        lanes<mul<f16>>("v_mul_f16"),
        lanes<fma<f16>>("v_fma_f16", keep),
        lanes<fma<f16>>("v_fma_legacy_f16", {}, kGfx9),
        lanes<fma<f16>>("v_fmac_f16", accumulating(), kGfx11And12),
        lanes<fma<f16>>("v_fmamk_f16", {}, kGfx11And12),
        lanes<fma<f16>>("v_fmaak_f16", {}, kGfx11And12),
        lanes<mad<f16>>("v_mad_f16", keep, kGfx9),
        lanes<mad<f16>>("v_mad_legacy_f16", {}, kGfx9),
        lanes<mad<f16>>("v_mac_f16", accumulating(), kGfx9),
        lanes<mad<f16>>("v_madmk_f16", {}, kGfx9),
        lanes<mad<f16>>("v_madak_f16", {}, kGfx9),

        lanes<min<f16>>("v_min_f16", {}, kGfx9And11),
        lanes<max<f16>>("v_max_f16", {}, kGfx9And11),
        lanes<chained<f16, min, min>>("v_min3_f16", keep, kGfx9And11),
        lanes<chained<f16, max, max>>("v_max3_f16", keep, kGfx9And11),
        lanes<median<f16, min, max>>("v_med3_f16", keep, kGfx9And11),
        lanes<chained<f16, min, max>>("v_minmax_f16", {}, kGfx11),
        lanes<chained<f16, max, min>>("v_maxmin_f16", {}, kGfx11),
        lanes<min_num<f16>>("v_min_num_f16", {}, kGfx12),
        lanes<max_num<f16>>("v_max_num_f16", {}, kGfx12),
        lanes<chained<f16, min_num, min_num>>("v_min3_num_f16", {}, kGfx12),
        lanes<chained<f16, max_num, max_num>>("v_max3_num_f16", {}, kGfx12),
        lanes<median<f16, min_num, max_num>>("v_med3_num_f16", {}, kGfx12),
        lanes<chained<f16, min_num, max_num>>("v_minmax_num_f16", {}, kGfx12),
        lanes<chained<f16, max_num, min_num>>("v_maxmin_num_f16", {}, kGfx12),
        lanes<minimum<f16>>("v_minimum_f16", {}, kGfx12),
        lanes<maximum<f16>>("v_maximum_f16", {}, kGfx12),
        lanes<chained<f16, minimum, minimum>>("v_minimum3_f16", {}, kGfx12),
        lanes<chained<f16, maximum, maximum>>("v_maximum3_f16", {}, kGfx12),
        lanes<chained<f16, minimum, maximum>>("v_minimummaximum_f16", {}, kGfx12),
        lanes<chained<f16, maximum, minimum>>("v_maximumminimum_f16", {}, kGfx12),

        lanes<floor<f16>>("v_floor_f16"),
        lanes<ceil<f16>>("v_ceil_f16"),
        lanes<trunc<f16>>("v_trunc_f16"),
        lanes<rndne<f16>>("v_rndne_f16"),
        lanes<fract<f16>>("v_fract_f16"),
        lanes<static_cast<f16 (*)(const Lane&, f16, i16)>(ldexp)>("v_ldexp_f16"),
        lanes<frexp_mantissa<f16>>("v_frexp_mant_f16"),
        lanes<exponent>("v_frexp_exp_i16_f16"),
    };
}

}  // namespace gfxsim

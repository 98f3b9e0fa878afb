// SPDX-License-Identifier: MIT
// Floating-point instructions on scalar registers, which gfx11.5 introduced.
#include "gfxsim/ops/float_math.hpp"
#include "gfxsim/ops/float_parts.hpp"
#include "gfxsim/ops/scalar_alu.hpp"
#include "gfxsim/ops/scalar_tables.hpp"

namespace gfxsim {
namespace {

template <class T> T fmac(const Lane& lane, Old<T> before, T a, T b) { return fp::fma(lane, a, b, before.value); }

f32 from_i32(i32 a) { return f32(a); }
f32 from_u32(u32 a) { return f32(a); }
i32 to_i32(f32 a) {
    return fp::is_nan(a) ? 0 : a >= 2147483648.0f ? 0x7fffffff : a < -2147483648.0f ? i32(0x80000000) : i32(a);
}
u32 to_u32(f32 a) { return fp::is_nan(a) || a <= 0 ? 0 : a >= 4294967296.0f ? 0xffffffff : u32(a); }

f16 narrowed(const Lane& lane, f32 a) { return fp::rounded_f16(lane, f64(a)); }
f32 widened(f16 a) { return to_f32(fp::quieted(a)); }
f32 widened_high(u32 a) { return widened(f16{u16(a >> 16)}); }
u32 packed_toward_zero(f32 a, f32 b) {
    return to_f16(f64(a), Round::zero).bits | u32(to_f16(f64(b), Round::zero).bits) << 16;
}

bool lt(f32 a, f32 b) { return a < b; }
bool eq(f32 a, f32 b) { return a == b; }
bool le(f32 a, f32 b) { return a <= b; }
bool gt(f32 a, f32 b) { return a > b; }
bool lg(f32 a, f32 b) { return a < b || a > b; }
bool ge(f32 a, f32 b) { return a >= b; }
bool ordered(f32 a, f32 b) { return !fp::is_nan(a) && !fp::is_nan(b); }
template <bool (*F)(f32, f32)> bool negated(f32 a, f32 b) { return !F(a, b); }
template <bool (*F)(f32, f32)> bool compared16(f16 a, f16 b) { return F(to_f32(a), to_f32(b)); }

}  // namespace

Table scalar_float_table() {
    constexpr u8 k = kGfx12;
    return {
        scalar<fp::add<f32>>("s_add_f32", k),
        scalar<fp::sub<f32>>("s_sub_f32", k),
        scalar<fp::mul<f32>>("s_mul_f32", k),
        scalar<fp::fma<f32>>("s_fmaak_f32", k),
        scalar<fp::fma<f32>>("s_fmamk_f32", k),
        scalar<fmac<f32>>("s_fmac_f32", k),
        scalar<fp::min_num<f32>>("s_min_num_f32", kGfx12),
        scalar<fp::max_num<f32>>("s_max_num_f32", kGfx12),
        scalar<fp::minimum<f32>>("s_minimum_f32", kGfx12),
        scalar<fp::maximum<f32>>("s_maximum_f32", kGfx12),
        scalar<fp::ceil<f32>>("s_ceil_f32", k),
        scalar<fp::floor<f32>>("s_floor_f32", k),
        scalar<fp::trunc<f32>>("s_trunc_f32", k),
        scalar<fp::rndne<f32>>("s_rndne_f32", k),
        scalar<from_i32>("s_cvt_f32_i32", k),
        scalar<from_u32>("s_cvt_f32_u32", k),
        scalar<to_i32>("s_cvt_i32_f32", k),
        scalar<to_u32>("s_cvt_u32_f32", k),
        scalar<narrowed>("s_cvt_f16_f32", k),
        scalar<widened>("s_cvt_f32_f16", k),
        scalar<widened_high>("s_cvt_hi_f32_f16", k),
        scalar<packed_toward_zero>("s_cvt_pk_rtz_f16_f32", k),
        scalar<fp::add<f16>>("s_add_f16", k),
        scalar<fp::sub<f16>>("s_sub_f16", k),
        scalar<fp::mul<f16>>("s_mul_f16", k),
        scalar<fmac<f16>>("s_fmac_f16", k),
        scalar<fp::min_num<f16>>("s_min_num_f16", kGfx12),
        scalar<fp::max_num<f16>>("s_max_num_f16", kGfx12),
        scalar<fp::minimum<f16>>("s_minimum_f16", kGfx12),
        scalar<fp::maximum<f16>>("s_maximum_f16", kGfx12),
        scalar<fp::ceil<f16>>("s_ceil_f16", k),
        scalar<fp::floor<f16>>("s_floor_f16", k),
        scalar<fp::trunc<f16>>("s_trunc_f16", k),
        scalar<fp::rndne<f16>>("s_rndne_f16", k),
        scalar<lt>("s_cmp_lt_f32", k),
        scalar<eq>("s_cmp_eq_f32", k),
        scalar<le>("s_cmp_le_f32", k),
        scalar<gt>("s_cmp_gt_f32", k),
        scalar<lg>("s_cmp_lg_f32", k),
        scalar<ge>("s_cmp_ge_f32", k),
        scalar<ordered>("s_cmp_o_f32", k),
        scalar<negated<ordered>>("s_cmp_u_f32", k),
        scalar<negated<ge>>("s_cmp_nge_f32", k),
        scalar<negated<lg>>("s_cmp_nlg_f32", k),
        scalar<negated<gt>>("s_cmp_ngt_f32", k),
        scalar<negated<le>>("s_cmp_nle_f32", k),
        scalar<negated<eq>>("s_cmp_neq_f32", k),
        scalar<negated<lt>>("s_cmp_nlt_f32", k),
        scalar<compared16<lt>>("s_cmp_lt_f16", k),
        scalar<compared16<eq>>("s_cmp_eq_f16", k),
        scalar<compared16<le>>("s_cmp_le_f16", k),
        scalar<compared16<gt>>("s_cmp_gt_f16", k),
        scalar<compared16<lg>>("s_cmp_lg_f16", k),
        scalar<compared16<ge>>("s_cmp_ge_f16", k),
        scalar<compared16<ordered>>("s_cmp_o_f16", k),
        scalar<compared16<negated<ordered>>>("s_cmp_u_f16", k),
        scalar<compared16<negated<ge>>>("s_cmp_nge_f16", k),
        scalar<compared16<negated<lg>>>("s_cmp_nlg_f16", k),
        scalar<compared16<negated<gt>>>("s_cmp_ngt_f16", k),
        scalar<compared16<negated<le>>>("s_cmp_nle_f16", k),
        scalar<compared16<negated<eq>>>("s_cmp_neq_f16", k),
        scalar<compared16<negated<lt>>>("s_cmp_nlt_f16", k),
    };
}

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
// Arithmetic of f64.
#include "gfxsim/ops/float_parts.hpp"
#include "gfxsim/ops/vector_parts.hpp"

namespace gfxsim {
namespace {

using namespace fp;

i32 exponent(f64 a) { return frexp_exponent(a); }

// The fraction of 2/pi, its highest bits first.
constexpr u64 kTwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
};
constexpr int kTwoOverPiBits = 1201;

u64 bit_of_two_over_pi(int place) {
    return place < kTwoOverPiBits ? kTwoOverPi[place / 64] >> (63 - place % 64) & 1 : 0;
}

// A piece of 53 bits of 2/pi, with which the argument of a sine is reduced: from where the argument's exponent and the
// number of the piece say.
f64 trig_preop(f64 a, u32 piece) {
    const int exponent = exponent_field(a);
    const int first = int(piece & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
    u64 bits = 0;
    for (int i = 0; i < 53; ++i) bits = bits << 1 | bit_of_two_over_pi(first + i);
    return std::ldexp(f64(bits), -53 - first + (exponent >= 1968 ? 128 : 0));
}

}  // namespace

Table vector_double_table() {
    return {
        lanes<add<f64>>("v_add_f64"),
        lanes<mul<f64>>("v_mul_f64"),
        lanes<fma<f64>>("v_fma_f64"),
        lanes<fma<f64>>("v_fmac_f64", accumulating(), kGfx9),

        lanes<min<f64>>("v_min_f64", {}, kGfx9And11),
        lanes<max<f64>>("v_max_f64", {}, kGfx9And11),
        lanes<min_num<f64>>("v_min_num_f64", {}, kGfx12),
        lanes<max_num<f64>>("v_max_num_f64", {}, kGfx12),
        lanes<minimum<f64>>("v_minimum_f64", {}, kGfx12),
        lanes<maximum<f64>>("v_maximum_f64", {}, kGfx12),

        lanes<floor<f64>>("v_floor_f64"),
        lanes<ceil<f64>>("v_ceil_f64"),
        lanes<trunc<f64>>("v_trunc_f64"),
        lanes<rndne<f64>>("v_rndne_f64"),
        lanes<fract<f64>>("v_fract_f64"),
        lanes<static_cast<f64 (*)(const Lane&, f64, i32)>(ldexp)>("v_ldexp_f64"),
        lanes<frexp_mantissa<f64>>("v_frexp_mant_f64"),
        lanes<exponent>("v_frexp_exp_i32_f64"),
        lanes<trig_preop>("v_trig_preop_f64"),
    };
}

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
// Conversions between f32 and bf16 or the formats of 8 bits, and those that round stochastically.
#include "gfxsim/ops/small_formats.hpp"
#include "gfxsim/ops/vector_parts.hpp"

namespace gfxsim {
namespace {

using namespace fp;

template <class Small>
u16 pk_small_of_f32(const Lane& lane, f32 a, f32 b) {
    refuse_clamp(lane.instr);
    const Format& format = Small::format(lane.wave);
    return u16(encode(format, a) | encode(format, b) << 8);
}

// gfx9 names the byte with op_sel, gfx12 with byte_sel.
u32 chosen_byte(const Instr& instr) { return instr.isa == Isa::gfx9 ? instr.mod.op_sel >> 2 & 3 : instr.mod.byte_sel; }

template <class Small>
u32 small_of_f32_stochastic(const Lane& lane, f32 a, u32 seed) {
    refuse_clamp(lane.instr);
    return into_byte(lane, chosen_byte(lane.instr), encode_stochastic(Small::format(lane.wave), a, seed));
}

// SDWA has chosen the byte already.
template <class Small>
f32 f32_of_small(const Lane& lane, u32 a) {
    const u32 byte = lane.instr.mod.has_sdwa ? 0 : lane.instr.mod.byte_sel;
    return Small::values(lane.wave)[a >> (8 * byte) & 0xff];
}
template <class Small>
pair<f32> pk_f32_of_small(const Lane& lane, u16 a) {
    const f32* values = Small::values(lane.wave);
    return {values[a & 0xff], values[a >> 8]};
}

f32 f32_of_bf16(bf16 a) { return quieted(to_f32(a)); }
pair<bf16> pk_bf16_of_f32(f32 a, f32 b) { return {to_bf16(a), to_bf16(b)}; }
// A NaN is not rounded: it keeps what fits of its payload, as without random bits.
f16 f16_of_f32_stochastic(f32 a, u32 seed) {
    return is_nan(a) ? to_f16(a) : f16{u16(encode_stochastic(kF16, a, seed))};
}
bf16 bf16_of_f32_stochastic(f32 a, u32 seed) {
    return is_nan(a) ? to_bf16(a) : bf16{u16(encode_stochastic(kBf16, a, seed))};
}

}  // namespace

Table vector_convert_small_table() {
    constexpr Traits keep = keeping_half();
    constexpr u8 isas = kGfx9 | kGfx12;
    // How random bits are added is documented for some of these formats only.
    Traits random = inexact();
    random.keeps_half = true;
    return {
        lanes<pk_small_of_f32<Fp8>>("v_cvt_pk_fp8_f32", keep, isas),
        lanes<pk_small_of_f32<Bf8>>("v_cvt_pk_bf8_f32", keep, isas),
        lanes<small_of_f32_stochastic<Fp8>>("v_cvt_sr_fp8_f32", random, isas),
        lanes<small_of_f32_stochastic<Bf8>>("v_cvt_sr_bf8_f32", random, isas),
        lanes<f32_of_small<Fp8>>("v_cvt_f32_fp8", {}, isas),
        lanes<f32_of_small<Bf8>>("v_cvt_f32_bf8", {}, isas),
        lanes<pk_f32_of_small<Fp8>>("v_cvt_pk_f32_fp8", {}, isas),
        lanes<pk_f32_of_small<Bf8>>("v_cvt_pk_f32_bf8", {}, isas),

        lanes<f32_of_bf16>("v_cvt_f32_bf16", {}, kGfx9),
        lanes<pk_bf16_of_f32>("v_cvt_pk_bf16_f32", {}, kGfx9),
        lanes<f16_of_f32_stochastic>("v_cvt_sr_f16_f32", random, kGfx9),
        lanes<bf16_of_f32_stochastic>("v_cvt_sr_bf16_f32", random, kGfx9),
    };
}

}  // namespace gfxsim

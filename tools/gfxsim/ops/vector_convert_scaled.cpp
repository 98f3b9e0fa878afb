// SPDX-License-Identifier: MIT
// gfx950's conversions with a scale, which is a power of two: the exponent of an f32.
#include "gfxsim/ops/float_parts.hpp"
#include "gfxsim/ops/small_formats.hpp"
#include "gfxsim/ops/vector_parts.hpp"

namespace gfxsim {
namespace {

using namespace fp;

/// By what a number is divided on the way to a small format and multiplied on the way back.
f64 scale_of(f32 scale) {
    return exponent_field(scale) == 255 ? invalid<f64>() : power_of_two(exponent_field(scale) - 127);
}

f64 number(f32 a) { return a; }
f64 number(f16 a) { return to_f32(a); }
f64 number(bf16 a) { return to_f32(a); }

/// Exact. The sign of a NaN matters even where the small format has none: it is that of the largest number, which
/// stands for it.
f64 divided(f64 value, f64 scale) { return settled(value / scale, value, scale); }
f64 multiplied(f64 value, f64 scale) { return settled(value * scale, value, scale); }
f64 divided(f64 value, f32 scale) { return divided(value, scale_of(scale)); }
f64 multiplied(f64 value, f32 scale) { return multiplied(value, scale_of(scale)); }

template <class T>
T rounded(f64 value) {
    if constexpr (std::is_same_v<T, f32>) return f32(value);
    else if constexpr (std::is_same_v<T, f16>) return to_f16(value, Round::nearest);
    else return bf16{u16(encode(kBf16, value))};
}

// Two numbers in one register have no modifiers of the kind that is printed with an operand.
void refuse_modifiers(const Instr& instr) {
    refuse_clamp(instr);
    if (instr.src[0].neg || instr.src[0].abs)
        throw Fault(FaultKind::unsupported, "negates a packed operand of a conversion, which is not simulated");
}

u32 dst_byte(const Instr& instr) { return instr.mod.op_sel >> 2 & 3; }
u32 src_byte(const Instr& instr) { return instr.mod.op_sel & 3; }

template <class Small>
u32 pack(const Lane& lane, f64 a, f64 b) {
    const Format& format = Small::format(lane.wave);
    return encode(format, a) | encode(format, b) << Small::bits;
}

// To 8 bits: two numbers become one half of the destination.
template <class Small>
u16 pk_of_f32(const Lane& lane, f32 a, f32 b, f32 scale) {
    refuse_clamp(lane.instr);
    return u16(pack<Small>(lane, divided(a, scale), divided(b, scale)));
}
template <class Small, class From>
u16 pk_of_half(const Lane& lane, pair<From> a, f32 scale) {
    refuse_modifiers(lane.instr);
    return u16(pack<Small>(lane, divided(number(a.lo), scale), divided(number(a.hi), scale)));
}
template <class Small, class From>
u32 stochastic(const Lane& lane, From a, u32 seed, f32 scale) {
    refuse_clamp(lane.instr);
    const u32 code = encode_stochastic(Small::format(lane.wave), divided(number(a), scale), seed);
    return into_byte(lane, dst_byte(lane.instr), code);
}

// To 4 bits: two numbers become one byte of the destination.
u32 fp4_of_f32(const Lane& lane, f32 a, f32 b, f32 scale) {
    refuse_clamp(lane.instr);
    return into_byte(lane, dst_byte(lane.instr), pack<Fp4>(lane, divided(a, scale), divided(b, scale)));
}
template <class From>
u32 fp4_of_half(const Lane& lane, pair<From> a, f32 scale) {
    refuse_modifiers(lane.instr);
    return into_byte(lane, dst_byte(lane.instr),
                     pack<Fp4>(lane, divided(number(a.lo), scale), divided(number(a.hi), scale)));
}
template <class From>
u32 fp4_stochastic(const Lane& lane, pair<From> a, u32 seed, f32 scale) {
    refuse_modifiers(lane.instr);
    const u32 lo = encode_stochastic(kFp4, divided(number(a.lo), scale), seed);
    const u32 hi = encode_stochastic(kFp4, divided(number(a.hi), scale), next_random(seed));
    return into_byte(lane, dst_byte(lane.instr), lo | hi << 4);
}

// Back from 8 and 4 bits.
template <class Small, class To>
To single(const Lane& lane, u32 a, f32 scale) {
    return rounded<To>(multiplied(Small::values(lane.wave)[a >> (8 * src_byte(lane.instr)) & 0xff], scale));
}
template <class Small, class To>
pair<To> pk_from(const Lane& lane, u16 a, f32 scale) {
    const f32* values = Small::values(lane.wave);
    return {rounded<To>(multiplied(values[a & 0xff], scale)), rounded<To>(multiplied(values[a >> 8], scale))};
}
template <class To>
pair<To> pk_from_fp4(const Lane& lane, u32 a, f32 scale) {
    const u32 byte = a >> (8 * src_byte(lane.instr)) & 0xff;
    const f32* values = Fp4::values(lane.wave);
    return {rounded<To>(multiplied(values[byte & 0xf], scale)), rounded<To>(multiplied(values[byte >> 4], scale))};
}

// 32 numbers of 6 bits fill six registers.

constexpr int kCount = 32;

u32 read_six(const Wave& wave, const Operand& operand, int element, int lane) {
    const int bit = 6 * element, row = operand.index + bit / 32;
    const u64 both = u64(wave.v[row][lane]) | (bit % 32 > 26 ? u64(wave.v[row + 1][lane]) << 32 : 0);
    return u32(both >> bit % 32) & 0x3f;
}

template <class T>
f64 read_number(const Wave& wave, const Operand& operand, int element, int lane) {
    if constexpr (std::is_same_v<T, f32>) return bit_cast<f32>(wave.v[operand.index + element][lane]);
    else return number(T{u16(wave.v[operand.index + element / 2][lane] >> (element % 2 * 16))});
}

void need_registers(const Instr& instr, int sources) {
    refuse_modifiers(instr);
    for (int n = 0; n < sources; ++n) {
        if (!instr.src[n].is_vector())
            throw Fault(FaultKind::unsupported, "has an operand of many registers that is no vector register");
    }
}

// `interleaved`: even elements come from the first operand and odd ones from the second.
template <class Small, class From, bool interleaved, bool random>
void run_to_six(Wave& wave, const Instr& instr) {
    need_registers(instr, interleaved ? 2 : 1);
    Source seeds, scales;
    if (random) fetch(wave, instr, 1, Type::u32, seeds);
    fetch(wave, instr, interleaved || random ? 2 : 1, Type::f32, scales);
    for_lanes(wave.exec(), [&](int lane) {
        const f64 scale = scale_of(take<f32>(scales, lane));
        u32 seed = random ? take<u32>(seeds, lane) : 0;
        u32 packed[6] = {};
        for (int i = 0; i < kCount; ++i) {
            const Operand& from = instr.src[interleaved ? i % 2 : 0];
            const f64 value = divided(read_number<From>(wave, from, interleaved ? i / 2 : i, lane), scale);
            const u32 code =
                random ? encode_stochastic(Small::format(wave), value, seed) : encode(Small::format(wave), value);
            const int bit = 6 * i;
            packed[bit / 32] |= code << bit % 32;
            if (bit % 32 > 26) packed[bit / 32 + 1] |= code >> (32 - bit % 32);
            seed = next_random(seed);
        }
        for (int row = 0; row < 6; ++row) wave.v[instr.dst[0].index + row][lane] = packed[row];
    });
}

template <class Small, class To>
void run_from_six(Wave& wave, const Instr& instr) {
    need_registers(instr, 1);
    Source scales;
    fetch(wave, instr, 1, Type::f32, scales);
    for_lanes(wave.exec(), [&](int lane) {
        const f64 scale = scale_of(take<f32>(scales, lane));
        u32 out[kCount];
        for (int i = 0; i < kCount; ++i) {
            const To value = rounded<To>(multiplied(Small::values(wave)[read_six(wave, instr.src[0], i, lane)], scale));
            if constexpr (std::is_same_v<To, f32>) out[i] = bit_cast<u32>(value);
            else out[i / 2] = i % 2 ? out[i / 2] | u32(value.bits) << 16 : value.bits;
        }
        constexpr int rows = std::is_same_v<To, f32> ? kCount : kCount / 2;
        for (int row = 0; row < rows; ++row) wave.v[instr.dst[0].index + row][lane] = out[row];
    });
}

Definition wide(const char* name, RunFn run, std::array<Type, kMaxSrc> sources) {
    Definition definition;
    definition.name = name, definition.run = run, definition.dsts = 1, definition.isas = kGfx9;
    definition.dst[0] = Type::wide, definition.src = sources;
    return definition;
}

template <class Small, class From>
Definition to_six(const char* name) {
    return wide(name, &run_to_six<Small, From, false, false>, {Type::wide, Type::f32});
}
template <class Small>
Definition two_to_six(const char* name) {
    return wide(name, &run_to_six<Small, f32, true, false>, {Type::wide, Type::wide, Type::f32});
}
template <class Small, class From>
Definition to_six_randomly(const char* name) {
    Definition definition = wide(name, &run_to_six<Small, From, false, true>, {Type::wide, Type::u32, Type::f32});
    definition.traits.exact = Exact::rounding;
    return definition;
}
template <class Small, class To>
Definition from_six(const char* name) {
    return wide(name, &run_from_six<Small, To>, {Type::wide, Type::f32});
}

}  // namespace

Table vector_convert_scaled_table() {
    constexpr Traits keep = keeping_half(), random = inexact();
    return {
        lanes<pk_of_f32<Fp8>>("v_cvt_scalef32_pk_fp8_f32", keep, kGfx9),
        lanes<pk_of_f32<Bf8>>("v_cvt_scalef32_pk_bf8_f32", keep, kGfx9),
        lanes<pk_of_half<Fp8, f16>>("v_cvt_scalef32_pk_fp8_f16", keep, kGfx9),
        lanes<pk_of_half<Bf8, f16>>("v_cvt_scalef32_pk_bf8_f16", keep, kGfx9),
        lanes<pk_of_half<Fp8, bf16>>("v_cvt_scalef32_pk_fp8_bf16", keep, kGfx9),
        lanes<pk_of_half<Bf8, bf16>>("v_cvt_scalef32_pk_bf8_bf16", keep, kGfx9),
        lanes<stochastic<Fp8, f32>>("v_cvt_scalef32_sr_fp8_f32", random, kGfx9),
        lanes<stochastic<Bf8, f32>>("v_cvt_scalef32_sr_bf8_f32", random, kGfx9),
        lanes<stochastic<Fp8, f16>>("v_cvt_scalef32_sr_fp8_f16", random, kGfx9),
        lanes<stochastic<Bf8, f16>>("v_cvt_scalef32_sr_bf8_f16", random, kGfx9),
        lanes<stochastic<Fp8, bf16>>("v_cvt_scalef32_sr_fp8_bf16", random, kGfx9),
        lanes<stochastic<Bf8, bf16>>("v_cvt_scalef32_sr_bf8_bf16", random, kGfx9),
        lanes<fp4_of_f32>("v_cvt_scalef32_pk_fp4_f32", {}, kGfx9),
        lanes<fp4_of_half<f16>>("v_cvt_scalef32_pk_fp4_f16", {}, kGfx9),
        lanes<fp4_of_half<bf16>>("v_cvt_scalef32_pk_fp4_bf16", {}, kGfx9),
        lanes<fp4_stochastic<f32>>("v_cvt_scalef32_sr_pk_fp4_f32", random, kGfx9),
        lanes<fp4_stochastic<f16>>("v_cvt_scalef32_sr_pk_fp4_f16", random, kGfx9),
        lanes<fp4_stochastic<bf16>>("v_cvt_scalef32_sr_pk_fp4_bf16", random, kGfx9),

        lanes<single<Fp8, f32>>("v_cvt_scalef32_f32_fp8", {}, kGfx9),
        lanes<single<Bf8, f32>>("v_cvt_scalef32_f32_bf8", {}, kGfx9),
        lanes<single<Fp8, f16>>("v_cvt_scalef32_f16_fp8", keep, kGfx9),
        lanes<single<Bf8, f16>>("v_cvt_scalef32_f16_bf8", keep, kGfx9),
        lanes<pk_from<Fp8, f32>>("v_cvt_scalef32_pk_f32_fp8", {}, kGfx9),
        lanes<pk_from<Bf8, f32>>("v_cvt_scalef32_pk_f32_bf8", {}, kGfx9),
        lanes<pk_from<Fp8, f16>>("v_cvt_scalef32_pk_f16_fp8", {}, kGfx9),
        lanes<pk_from<Bf8, f16>>("v_cvt_scalef32_pk_f16_bf8", {}, kGfx9),
        lanes<pk_from<Fp8, bf16>>("v_cvt_scalef32_pk_bf16_fp8", {}, kGfx9),
        lanes<pk_from<Bf8, bf16>>("v_cvt_scalef32_pk_bf16_bf8", {}, kGfx9),
        lanes<pk_from_fp4<f32>>("v_cvt_scalef32_pk_f32_fp4", {}, kGfx9),
        lanes<pk_from_fp4<f16>>("v_cvt_scalef32_pk_f16_fp4", {}, kGfx9),
        lanes<pk_from_fp4<bf16>>("v_cvt_scalef32_pk_bf16_fp4", {}, kGfx9),

        two_to_six<Fp6>("v_cvt_scalef32_2xpk16_fp6_f32"),
        two_to_six<Bf6>("v_cvt_scalef32_2xpk16_bf6_f32"),
        to_six<Fp6, f16>("v_cvt_scalef32_pk32_fp6_f16"),
        to_six<Fp6, bf16>("v_cvt_scalef32_pk32_fp6_bf16"),
        to_six<Bf6, f16>("v_cvt_scalef32_pk32_bf6_f16"),
        to_six<Bf6, bf16>("v_cvt_scalef32_pk32_bf6_bf16"),
        to_six_randomly<Fp6, f32>("v_cvt_scalef32_sr_pk32_fp6_f32"),
        to_six_randomly<Fp6, f16>("v_cvt_scalef32_sr_pk32_fp6_f16"),
        to_six_randomly<Fp6, bf16>("v_cvt_scalef32_sr_pk32_fp6_bf16"),
        to_six_randomly<Bf6, f32>("v_cvt_scalef32_sr_pk32_bf6_f32"),
        to_six_randomly<Bf6, f16>("v_cvt_scalef32_sr_pk32_bf6_f16"),
        to_six_randomly<Bf6, bf16>("v_cvt_scalef32_sr_pk32_bf6_bf16"),
        from_six<Fp6, f32>("v_cvt_scalef32_pk32_f32_fp6"),
        from_six<Fp6, f16>("v_cvt_scalef32_pk32_f16_fp6"),
        from_six<Fp6, bf16>("v_cvt_scalef32_pk32_bf16_fp6"),
        from_six<Bf6, f32>("v_cvt_scalef32_pk32_f32_bf6"),
        from_six<Bf6, f16>("v_cvt_scalef32_pk32_f16_bf6"),
        from_six<Bf6, bf16>("v_cvt_scalef32_pk32_bf16_bf6"),
    };
}

}  // namespace gfxsim

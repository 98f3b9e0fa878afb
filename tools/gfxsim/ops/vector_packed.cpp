// SPDX-License-Identifier: MIT
// Instructions on two numbers at once, and multiply-adds that mix f16 with f32.
#include "gfxsim/ops/float_math.hpp"
#include "gfxsim/ops/integer.hpp"

namespace gfxsim {
namespace {

using namespace fp;

/// A function of single numbers on each half.
template <class T, T (*function)(const Lane&, T, T)>
pair<T> both(const Lane& lane, pair<T> a, pair<T> b) {
    return {function(lane, a.lo, b.lo), function(lane, a.hi, b.hi)};
}
template <class T, T (*function)(const Lane&, T, T, T)>
pair<T> both3(const Lane& lane, pair<T> a, pair<T> b, pair<T> c) {
    return {function(lane, a.lo, b.lo, c.lo), function(lane, a.hi, b.hi, c.hi)};
}

// Integers wrap, or saturate with "clamp".
template <class T> T sum(const Lane& lane, i64 value) {
    return lane.instr.mod.clamp ? integer::saturated<T>(value) : T(value);
}
template <class T> T int_add(const Lane& lane, T a, T b) { return sum<T>(lane, i64(a) + i64(b)); }
template <class T> T int_sub(const Lane& lane, T a, T b) { return sum<T>(lane, i64(a) - i64(b)); }
template <class T> T int_mad(const Lane& lane, T a, T b, T c) { return sum<T>(lane, i64(a) * i64(b) + i64(c)); }
u16 int_mul(const Lane&, u16 a, u16 b) { return u16(u32(a) * b); }
template <class T> T int_min(const Lane&, T a, T b) { return integer::minimum(a, b); }
template <class T> T int_max(const Lane&, T a, T b) { return integer::maximum(a, b); }
u16 shift_left(const Lane&, u16 by, u16 a) { return u16(a << (by & 15)); }
template <class T> T shift_right(const Lane&, T by, T a) { return T(a >> (by & 15)); }

pair<f16> pack(f16 a, f16 b) { return {a, b}; }

/// The first from one operand and the second from the other, each half where op_sel says.
pair<u32> pk_mov(pair<u32> a, pair<u32> b) { return {a.lo, b.lo}; }

// One operand of a mixed multiply-add: an f32, or an f16 from the half that op_sel names.
struct MixSource {
    alignas(64) f32 value[kLanes];
    u64 enabled;

    MixSource(const Wave& wave, const Instr& instr, int n) {
        const Operand& operand = instr.src[n];
        const bool is_half = instr.mod.op_sel_hi >> n & 1;
        if (is_half && operand.kind == OperandKind::constant && operand.written == Written::real)
            throw Fault(FaultKind::unsupported, "takes an f16 from a floating-point constant, which is not simulated");
        Source source;
        enabled = fetch(wave, instr, n, Type::f32, source);
        const u32* raw = source.row[0];
        const Mode mode = wave.mode;
        if (is_half) {
            const int shift = instr.mod.op_sel >> n & 1 ? 16 : 0;
            for (int lane = 0; lane < kLanes; ++lane)
                value[lane] = to_f32(flush(f16{u16(raw[lane] >> shift)}, mode.denorm32, mode.denorm64, 0));
        } else {
            for (int lane = 0; lane < kLanes; ++lane)
                value[lane] = flush(bit_cast<f32>(raw[lane]), mode.denorm32, mode.denorm64, 0);
        }
        const u32 keep = operand.abs ? 0x7fffffff : ~u32(0), flip = operand.neg ? 0x80000000 : 0;
        for (int lane = 0; lane < kLanes; ++lane)
            value[lane] = bit_cast<f32>((bit_cast<u32>(value[lane]) & keep) ^ flip);
    }
};

enum class Mix { full, low, high };

template <Mix mix, bool plain, f32 (*function)(const Lane&, f32, f32, f32)>
[[gnu::flatten]] void compute_mix(const Wave& wave, const Instr& instr, const MixSource& a, const MixSource& b,
                                  const MixSource& c, Results& out) {
    const Mode mode = wave.mode;
    for (int i = 0; i < kLanes; ++i) {
        f32 full = function(Lane{wave, instr, i, plain}, a.value[i], b.value[i], c.value[i]);
        if (!plain) full = flush(full, mode.denorm32, mode.denorm64, 1);
        if constexpr (mix == Mix::full) put(out, i, full);
        else if constexpr (plain) put(out, i, to_f16(full));
        else put(out, i, flush(to_f16(f64(full), mode.round64), mode.denorm32, mode.denorm64, 1));
    }
}

template <Mix mix, f32 (*function)(const Lane&, f32, f32, f32)>
void run_mix(Wave& wave, const Instr& instr) {
    const MixSource a(wave, instr, 0), b(wave, instr, 1), c(wave, instr, 2);
    Results out;
    if (wave.mode.plain()) {
        compute_mix<mix, true, function>(wave, instr, a, b, c, out);
    } else {
        const HostRounding rounding(wave.mode.round32);
        compute_mix<mix, false, function>(wave, instr, a, b, c, out);
    }
    store(wave, instr, mix == Mix::full ? Type::f32 : Type::f16, out, wave.exec() & a.enabled);
}

template <Mix mix, f32 (*function)(const Lane&, f32, f32, f32)>
Definition mixed(const char* name, u8 isas) {
    Definition definition;
    definition.name = name, definition.run = &run_mix<mix, function>, definition.dsts = 1, definition.isas = isas;
    definition.dst[0] = mix == Mix::full ? Type::f32 : Type::f16;
    definition.src = {Type::f32, Type::f32, Type::f32};
    definition.traits.keeps_half = true;
    definition.traits.writes_high = mix == Mix::high;
    return definition;
}

}  // namespace

Table vector_packed_table() {
    return {
        lanes<both<f16, add>>("v_pk_add_f16"),
        lanes<both<f16, mul>>("v_pk_mul_f16"),
        lanes<both3<f16, fma>>("v_pk_fma_f16"),
        lanes<both3<f16, fma>>("v_pk_fmac_f16", accumulating(), kGfx9),
        lanes<both3<f16, fma>>("v_pk_fmac_f16", splatting(accumulating()), kGfx11And12),
        lanes<both<f16, min>>("v_pk_min_f16", {}, kGfx9And11),
        lanes<both<f16, max>>("v_pk_max_f16", {}, kGfx9And11),
        lanes<both<f16, min_num>>("v_pk_min_num_f16", {}, kGfx12),
        lanes<both<f16, max_num>>("v_pk_max_num_f16", {}, kGfx12),
        lanes<both<f16, minimum>>("v_pk_minimum_f16", {}, kGfx12),
        lanes<both<f16, maximum>>("v_pk_maximum_f16", {}, kGfx12),
        lanes<both3<f16, chained<f16, minimum, minimum>>>("v_pk_minimum3_f16", {}, kGfx9),
        lanes<both3<f16, chained<f16, maximum, maximum>>>("v_pk_maximum3_f16", {}, kGfx9),

        lanes<pack>("v_pack_b32_f16"),

        lanes<both<f32, add>>("v_pk_add_f32", {}, kGfx9),
        lanes<both<f32, mul>>("v_pk_mul_f32", {}, kGfx9),
        lanes<both3<f32, fma>>("v_pk_fma_f32", {}, kGfx9),
        lanes<pk_mov>("v_pk_mov_b32", {}, kGfx9),

        lanes<both<u16, int_add>>("v_pk_add_u16"),
        lanes<both<i16, int_add>>("v_pk_add_i16"),
        lanes<both<u16, int_sub>>("v_pk_sub_u16"),
        lanes<both<i16, int_sub>>("v_pk_sub_i16"),
        lanes<both<u16, int_mul>>("v_pk_mul_lo_u16"),
        lanes<both3<u16, int_mad>>("v_pk_mad_u16"),
        lanes<both3<i16, int_mad>>("v_pk_mad_i16"),
        lanes<both<u16, int_min>>("v_pk_min_u16"),
        lanes<both<i16, int_min>>("v_pk_min_i16"),
        lanes<both<u16, int_max>>("v_pk_max_u16"),
        lanes<both<i16, int_max>>("v_pk_max_i16"),
        lanes<both<u16, shift_left>>("v_pk_lshlrev_b16"),
        lanes<both<u16, shift_right>>("v_pk_lshrrev_b16"),
        lanes<both<i16, shift_right>>("v_pk_ashrrev_i16"),

        mixed<Mix::full, fma<f32>>("v_fma_mix_f32", kAllIsas),
        mixed<Mix::low, fma<f32>>("v_fma_mixlo_f16", kAllIsas),
        mixed<Mix::high, fma<f32>>("v_fma_mixhi_f16", kAllIsas),
    };
}

}  // namespace gfxsim

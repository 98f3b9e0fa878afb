// SPDX-License-Identifier: MIT
// Reciprocals, roots, powers, logarithms, sines. The hardware's last bit is not documented; here it is that of the
// correctly rounded result. In f32 most of them know no denormals in any mode.
#include "gfxsim/ops/elementary.hpp"
#include "gfxsim/ops/float_parts.hpp"
#include "gfxsim/ops/vector_parts.hpp"

namespace gfxsim {
namespace {

using namespace fp;

f64 rcp_of(f64 x) { return 1 / x; }
f64 sqrt_of(f64 x) { return x < 0 ? negative_nan<f64>() : std::sqrt(x); }
f64 rsq_of(f64 x) { return x < 0 ? negative_nan<f64>() : 1 / std::sqrt(x); }

f64 exp_of(f64 x) {
    // Beyond this every format has infinity or nothing.
    const f64 bounded = x > 400 ? 400 : x < -400 ? -400 : x;
    return x == INFINITY ? x : x == -INFINITY ? 0 : elementary::exp2(bounded);
}
f64 log_of(f64 x) {
    const f64 result = elementary::log2(x);
    return x < 0 ? negative_nan<f64>() : x == 0 ? -INFINITY : x == INFINITY ? x : result;
}
template <int quarter>
f64 turns_of(f64 x) {
    // Every number this large is whole.
    const f64 bounded = std::fabs(x) > 0x1p40 ? 0 : x;
    const f64 result  = elementary::circular(bounded, quarter) + 0.0;  // no negative zeros
    return std::fabs(x) == INFINITY ? negative_nan<f64>() : x == 0 && quarter == 0 ? x : result;
}

f32 without_denormal(f32 a) { return is_denormal(a) ? zero<f32>(is_negative(a)) : a; }

/// In f32, by way of f64.
template <f64 (*function)(f64), bool denormals>
f32 special32(f32 a) {
    const f32 x      = denormals ? a : without_denormal(a);
    const f32 result = f32(function(f64(x)));
    return is_nan(a) ? quiet(a) : denormals ? result : without_denormal(result);
}
/// In f16, which has denormals here.
template <f64 (*function)(f64)>
f16 special16(const Lane& lane, f16 a) {
    return is_nan(a) ? quiet(a) : rounded_f16(lane, function(f64(wide(a))));
}
template <f64 (*function)(f64)>
f64 special64(f64 a) {
    return is_nan(a) ? quiet(a) : function(a);
}

// gfx12 has them on scalar registers too, where no lane takes part.
template <auto function, class T>
void run_scalar(Wave& wave, const Instr& instr) {
    const Operand& source = instr.src[0];
    T value               = bit_cast<T>(bits_type<T>(read_scalar32(wave, source)));
    if (source.abs) value = with_sign(value, false);
    if (source.neg) value = negated(value);
    const Mode& mode = wave.mode;
    value            = flush(value, mode.denorm32, mode.denorm64, 0);
    T result;
    if constexpr (std::is_same_v<T, f16>) result = function(Lane{wave, instr, 0, false}, value);
    else result = function(value);
    if (instr.mod.clamp || instr.mod.omod != Omod::none)
        throw Fault(FaultKind::unsupported, "changes a scalar result with clamp or omod, which is not simulated");
    write_scalar32(wave, instr.dst[0], bits_of(flush(result, mode.denorm32, mode.denorm64, 1)));
}

template <auto function, class T>
Definition scalar(const char* name) {
    Definition definition;
    definition.name = name, definition.run = &run_scalar<function, T>, definition.dsts = 1, definition.isas = kGfx12;
    definition.dst[0] = definition.src[0] = type_of<T>;
    definition.traits.exact        = Exact::rounding;
    definition.traits.ignores_exec = true;
    return definition;
}

constexpr auto rcp32  = special32<rcp_of, false>;
constexpr auto rsq32  = special32<rsq_of, false>;
constexpr auto sqrt32 = special32<sqrt_of, false>;
constexpr auto exp32  = special32<exp_of, false>;
constexpr auto log32  = special32<log_of, false>;

}  // namespace

Table vector_special_table() {
    constexpr Traits last = inexact();
    return {
        lanes<rcp32>("v_rcp_f32", last),
        lanes<rcp32>("v_rcp_iflag_f32", last),
        lanes<rsq32>("v_rsq_f32", last),
        lanes<sqrt32>("v_sqrt_f32", last),
        lanes<exp32>("v_exp_f32", last),
        lanes<log32>("v_log_f32", last),
        lanes<exp32>("v_exp_legacy_f32", last, kGfx9),
        lanes<log32>("v_log_legacy_f32", last, kGfx9),
        lanes<special32<turns_of<0>, true>>("v_sin_f32", last),
        lanes<special32<turns_of<1>, true>>("v_cos_f32", last),

        lanes<special16<rcp_of>>("v_rcp_f16", last),
        lanes<special16<rsq_of>>("v_rsq_f16", last),
        lanes<special16<sqrt_of>>("v_sqrt_f16", last),
        lanes<special16<exp_of>>("v_exp_f16", last),
        lanes<special16<log_of>>("v_log_f16", last),
        lanes<special16<turns_of<0>>>("v_sin_f16", last),
        lanes<special16<turns_of<1>>>("v_cos_f16", last),

        lanes<special64<rcp_of>>("v_rcp_f64", last),
        lanes<special64<rsq_of>>("v_rsq_f64", last),
        lanes<special64<sqrt_of>>("v_sqrt_f64", last),

        scalar<rcp32, f32>("v_s_rcp_f32"),
        scalar<rsq32, f32>("v_s_rsq_f32"),
        scalar<sqrt32, f32>("v_s_sqrt_f32"),
        scalar<exp32, f32>("v_s_exp_f32"),
        scalar<log32, f32>("v_s_log_f32"),
        scalar<special16<rcp_of>, f16>("v_s_rcp_f16"),
        scalar<special16<rsq_of>, f16>("v_s_rsq_f16"),
        scalar<special16<sqrt_of>, f16>("v_s_sqrt_f16"),
        scalar<special16<exp_of>, f16>("v_s_exp_f16"),
        scalar<special16<log_of>, f16>("v_s_log_f16"),
    };
}

}  // namespace gfxsim

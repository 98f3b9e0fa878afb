// SPDX-License-Identifier: MIT
// Reciprocals, roots, powers, logarithms, sines. The hardware's last bit is not documented; here it is that of the
// correctly rounded result. In f32 most of them know no denormals in any mode.
#include "gfxsim/ops/elementary.hpp"
#include "gfxsim/ops/float_parts.hpp"
#include "gfxsim/ops/vector_parts.hpp"

namespace gfxsim {
namespace {

using namespace fp;

// Each function is computed for ordinary numbers, in f64 where f32 would be rounded twice; what it gives for others is
// mended in the type of the result.

struct Rcp {
    template <class T> static T of(T x) { return 1 / x; }
    template <class T> static T mended(T, T result) { return result; }
};

struct Sqrt {
    template <class T> static T of(T x) { return std::sqrt(x); }
    template <class T> static T mended(T x, T result) {
        return pick(is_negative(x) && !is_zero(x), negative_nan<T>(), result);
    }
};

struct Rsq {
    static f64 of(f64 x) { return 1 / std::sqrt(x); }
    template <class T> static T mended(T x, T result) { return Sqrt::mended(x, result); }
};

struct Exp {
    // Beyond 400 every format has infinity or nothing.
    static f64 of(f64 x) { return elementary::exp2(pick(x > 400, 400.0, pick(x < -400, -400.0, x))); }
    template <class T> static T mended(T, T result) { return result; }
};

struct Log {
    static f64 of(f64 x) { return elementary::log2(x); }
    template <class T> static T mended(T x, T result) {
        const T positive = pick(is_infinite(x), x, result);
        return pick(is_zero(x), infinity<T>(true), pick(is_negative(x), negative_nan<T>(), positive));
    }
};

/// Of an angle in turns. `quarter` 0: sine, 1: cosine.
template <int quarter>
struct Circular {
    // Every number beyond this is whole, and a NaN has no turn. A result is no negative zero.
    static f64 of(f64 x) { return elementary::circular(pick(std::fabs(x) <= 0x1p40, x, 0.0), quarter) + 0.0; }
    template <class T> static T mended(T x, T result) {
        return pick(is_infinite(x), negative_nan<T>(), pick(quarter == 0 && is_zero(x), x, result));
    }
};

inline f32 without_denormal(f32 a) { return pick(is_denormal(a), zero<f32>(is_negative(a)), a); }

template <class Function, bool denormals>
inline f32 special32(f32 a) {
    const f32 x = denormals ? a : without_denormal(a);
    const f32 result = Function::mended(x, f32(Function::of(x)));
    return pick(is_nan(a), quiet(a), denormals ? result : without_denormal(result));
}
/// f16 has denormals here.
template <class Function>
inline f16 special16(const Lane& lane, f16 a) {
    return pick(is_nan(a), quiet(a), Function::mended(a, rounded_f16(lane, Function::of(f64(wide(a))))));
}
template <class Function>
inline f64 special64(f64 a) {
    return pick(is_nan(a), quiet(a), Function::mended(a, Function::of(a)));
}

// gfx12 has them on scalar registers too, where no lane takes part.
template <auto function, class T>
void run_scalar(Wave& wave, const Instr& instr) {
    const Operand& source = instr.src[0];
    T value = bit_cast<T>(bits_type<T>(read_scalar32(wave, source)));
    if (source.abs) value = with_sign(value, false);
    if (source.neg) value = negated(value);
    const Mode& mode = wave.mode;
    value = flush(value, mode.denorm32, mode.denorm64, 0);
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
    definition.traits.exact = Exact::rounding;
    definition.traits.ignores_exec = true;
    return definition;
}

constexpr auto rcp32 = special32<Rcp, false>;
constexpr auto rsq32 = special32<Rsq, false>;
constexpr auto sqrt32 = special32<Sqrt, false>;
constexpr auto exp32 = special32<Exp, false>;
constexpr auto log32 = special32<Log, false>;

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
        lanes<special32<Circular<0>, true>>("v_sin_f32", last),
        lanes<special32<Circular<1>, true>>("v_cos_f32", last),

        lanes<special16<Rcp>>("v_rcp_f16", last),
        lanes<special16<Rsq>>("v_rsq_f16", last),
        lanes<special16<Sqrt>>("v_sqrt_f16", last),
        lanes<special16<Exp>>("v_exp_f16", last),
        lanes<special16<Log>>("v_log_f16", last),
        lanes<special16<Circular<0>>>("v_sin_f16", last),
        lanes<special16<Circular<1>>>("v_cos_f16", last),

        lanes<special64<Rcp>>("v_rcp_f64", last),
        lanes<special64<Rsq>>("v_rsq_f64", last),
        lanes<special64<Sqrt>>("v_sqrt_f64", last),

        scalar<rcp32, f32>("v_s_rcp_f32"),
        scalar<rsq32, f32>("v_s_rsq_f32"),
        scalar<sqrt32, f32>("v_s_sqrt_f32"),
        scalar<exp32, f32>("v_s_exp_f32"),
        scalar<log32, f32>("v_s_log_f32"),
        scalar<special16<Rcp>, f16>("v_s_rcp_f16"),
        scalar<special16<Rsq>, f16>("v_s_rsq_f16"),
        scalar<special16<Sqrt>, f16>("v_s_sqrt_f16"),
        scalar<special16<Exp>, f16>("v_s_exp_f16"),
        scalar<special16<Log>, f16>("v_s_log_f16"),
    };
}

}  // namespace gfxsim

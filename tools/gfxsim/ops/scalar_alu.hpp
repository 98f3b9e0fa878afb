// SPDX-License-Identifier: MIT
// Turns a plain function into an instruction on scalar registers, as lanes.hpp does for vector registers.
#pragma once

#include "gfxsim/core/lanes.hpp"

namespace gfxsim {

/// Parameters that are no sources: the SCC bit, and what the destination held before.
struct Scc {
    bool value;
};
template <class T>
struct Old {
    T value;
};

enum class SccFrom : u8 {
    result,   ///< a bool result, or the bit of a with_bit; otherwise SCC stays
    nonzero,  ///< whether the value is other than zero
};

template <class T> inline constexpr bool is_old = false;
template <class T> inline constexpr bool is_old<Old<T>> = true;
template <class T> inline constexpr bool is_scalar_source = !is_old<T> && !std::is_same_v<T, Scc>;

template <class T>
inline T read_scalar(const Wave& wave, const Operand& operand) {
    if constexpr (sizeof(T) == 8) return bit_cast<T>(read_scalar64(wave, operand));
    else if constexpr (sizeof(T) == 2) return bit_cast<T>(u16(read_scalar32(wave, operand)));
    else return bit_cast<T>(read_scalar32(wave, operand));
}

template <class T>
inline void write_scalar(Wave& wave, const Operand& operand, T value) {
    if constexpr (sizeof(T) == 8) write_scalar64(wave, operand, bit_cast<u64>(value));
    else if constexpr (sizeof(T) == 2) write_scalar32(wave, operand, bit_cast<u16>(value));
    else write_scalar32(wave, operand, bit_cast<u32>(value));
}

template <auto F, SccFrom scc_from>
struct ScalarInstruction {
    using Sig = Signature<decltype(F)>;
    using R = typename Sig::Result;
    using Args = typename Sig::Args;
    using Value = typename value_of<R>::type;
    static constexpr std::size_t arity = std::tuple_size_v<Args>;
    static constexpr bool has_bit = !std::is_same_v<R, Value>;
    static constexpr bool only_scc = std::is_same_v<R, bool>;
    template <std::size_t I> using Arg = std::tuple_element_t<I, Args>;

    /// The number of sources before parameter `n`.
    template <std::size_t... I>
    static constexpr std::size_t sources_before(std::size_t n, std::index_sequence<I...>) {
        return ((I < n && is_scalar_source<Arg<I>> ? 1 : 0) + ... + 0);
    }
    static constexpr std::size_t sources_before(std::size_t n) {
        return sources_before(n, std::make_index_sequence<arity>{});
    }

    static void run(Wave& wave, const Instr& instr) { dispatch(wave, instr, std::make_index_sequence<arity>{}); }

private:
    template <std::size_t... I>
    static void dispatch(Wave& wave, const Instr& instr, std::index_sequence<I...>) {
        if constexpr (is_float_type<Value> || (is_float_type<Arg<I>> || ...)) {
            if (!wave.mode.plain()) {
                constexpr bool in32 = std::is_same_v<Value, f32> || (std::is_same_v<Arg<I>, f32> || ...);
                HostRounding rounding(in32 ? wave.mode.round32 : wave.mode.round64);
                return finish(
                    wave, instr,
                    flushed(wave, call<false>(wave, instr, flushed(wave, argument<I>(wave, instr), 0)...), 1));
            }
        }
        finish(wave, instr, call<true>(wave, instr, argument<I>(wave, instr)...));
    }

    template <bool plain, class... A>
    static R call(const Wave& wave, const Instr& instr, A... args) {
        if constexpr (Sig::knows_lane) return F(Lane{wave, instr, 0, plain}, args...);
        else return F(args...);
    }

    template <std::size_t I>
    static Arg<I> argument(const Wave& wave, const Instr& instr) {
        using A = Arg<I>;
        if constexpr (std::is_same_v<A, Scc>) return Scc{wave.scc};
        else if constexpr (is_old<A>) return A{read_scalar<decltype(A::value)>(wave, instr.dst[0])};
        else return read_scalar<A>(wave, instr.src[sources_before(I)]);
    }

    template <class T>
    static T flushed(const Wave& wave, T value, int bit) {
        if constexpr (is_old<T>) return T{flushed(wave, value.value, bit)};
        else return flush(value, wave.mode.denorm32, wave.mode.denorm64, bit);
    }

    static void finish(Wave& wave, const Instr& instr, R result) {
        if constexpr (only_scc) {
            wave.scc = result;
        } else if constexpr (has_bit) {
            write_scalar(wave, instr.dst[0], result.value);
            wave.scc = result.bit;
        } else {
            write_scalar(wave, instr.dst[0], result);
            if constexpr (scc_from == SccFrom::nonzero) wave.scc = result != 0;
        }
    }
};

template <auto F, SccFrom scc_from, std::size_t... I>
constexpr Definition make_scalar(const char* name, u8 isas, std::index_sequence<I...>) {
    using S = ScalarInstruction<F, scc_from>;
    Definition d;
    d.name = name, d.run = &S::run, d.isas = isas;
    d.dsts = S::only_scc ? 0 : 1;
    if constexpr (!S::only_scc) d.dst[0] = type_of<typename S::Value>;
    const auto describe = [&d](auto index) {
        using A = typename S::template Arg<decltype(index)::value>;
        if constexpr (std::is_same_v<A, Scc>) d.traits.reads_scc = true;
        else if constexpr (is_old<A>) d.traits.reads_dst = true;
        else if constexpr (is_scalar_source<A>) d.src[S::sources_before(decltype(index)::value)] = type_of<A>;
    };
    (describe(std::integral_constant<std::size_t, I>{}), ...);
    d.traits.klass = Class::salu;
    d.traits.writes_scc = S::only_scc || S::has_bit || scc_from == SccFrom::nonzero;
    return d;
}

/// A scalar instruction that computes F.
template <auto F, SccFrom scc_from = SccFrom::result>
constexpr Definition scalar(const char* name, u8 isas = kAllIsas) {
    return make_scalar<F, scc_from>(name, isas, std::make_index_sequence<ScalarInstruction<F, scc_from>::arity>{});
}

/// The same, with SCC telling whether the result is other than zero.
template <auto F>
constexpr Definition tested(const char* name, u8 isas = kAllIsas) {
    return scalar<F, SccFrom::nonzero>(name, isas);
}

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
// Turns a plain function of numbers into an instruction that runs it in every lane.
//
// lanes<F>("v_name") makes a Definition from a function such as f32 add(f32, f32): the signature says what the
// operands hold. This file does what all such instructions share: operands from vector and scalar registers and
// constants, input modifiers, op_sel, DPP, SDWA, the MODE register, output modifiers, EXEC.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "gfxsim/core/instr.hpp"
#include "gfxsim/core/wave.hpp"

namespace gfxsim {

/// An instruction's function may take this first, if it must know its lane or the mode.
struct Lane {
    const Wave& wave;
    const Instr& instr;
    int index;
    bool plain;  ///< the mode rounds to nearest and keeps denormals; known when the function is compiled
};

/// A result with a carry or condition bit for each lane.
template <class T>
struct with_bit {
    T value;
    bool bit;
};

/// One source operand, as rows of one dword per lane, and the bits that its modifiers keep and flip.
struct Source {
    const u32* row[2] = {nullptr, nullptr};
    u32 keep = ~u32(0);
    u32 flip = 0;
    u32 flip_hi = 0;  ///< of the second value of a packed operand
    u8 shift = 0;     ///< 16: the upper half of a register
    u8 shift_hi = 16;
    u64 mask = 0;  ///< of a bool operand
    alignas(64) u32 room[2][kLanes];
};

/// Fills `source`; returns the lanes that DPP leaves enabled.
u64 fetch(const Wave& wave, const Instr& instr, int operand, Type type, Source& source);

template <class T>
inline T take(const Source& in, int lane) {
    if constexpr (std::is_same_v<T, bool>) {
        return in.mask >> lane & 1;
    } else if constexpr (std::is_same_v<T, pair<f32>> || std::is_same_v<T, pair<u32>>) {
        using E = decltype(T::lo);
        return T{bit_cast<E>(in.row[0][lane] ^ in.flip), bit_cast<E>(in.row[1][lane] ^ in.flip_hi)};
    } else if constexpr (sizeof(T) == 8) {
        return bit_cast<T>(u64(in.row[0][lane]) | u64((in.row[1][lane] & in.keep) ^ in.flip) << 32);
    } else if constexpr (sizeof(T) == 2) {
        return bit_cast<T>(u16((in.row[0][lane] >> in.shift & in.keep) ^ in.flip));
    } else if constexpr (is_packed16(type_of<T>)) {
        using E = decltype(T::lo);
        const u32 raw = in.row[0][lane];
        return T{bit_cast<E>(u16(raw >> in.shift ^ in.flip)), bit_cast<E>(u16(raw >> in.shift_hi ^ in.flip_hi))};
    } else {
        return bit_cast<T>((in.row[0][lane] & in.keep) ^ in.flip);
    }
}

/// The results of all lanes, before they are written.
struct Results {
    alignas(64) u32 row[2][kLanes];
};

template <class T>
inline void put(Results& out, int lane, T value) {
    // Members of pairs are written one by one: as one number they would keep loops from becoming vector code.
    if constexpr (type_of<T> == Type::pkf32 || type_of<T> == Type::pku32) {
        out.row[0][lane] = bit_cast<u32>(value.lo), out.row[1][lane] = bit_cast<u32>(value.hi);
    } else if constexpr (is_packed16(type_of<T>)) {
        out.row[0][lane] = u32(bit_cast<u16>(value.lo)) | u32(bit_cast<u16>(value.hi)) << 16;
    } else if constexpr (sizeof(T) == 8) {
        const u64 bits = bit_cast<u64>(value);
        out.row[0][lane] = u32(bits), out.row[1][lane] = u32(bits >> 32);
    } else if constexpr (sizeof(T) == 2) {
        out.row[0][lane] = bit_cast<u16>(value);
    } else {
        out.row[0][lane] = bit_cast<u32>(value);
    }
}

/// Applies output modifiers and SDWA or half-register selection, and writes the enabled lanes of a vector register.
void store(Wave& wave, const Instr& instr, Type type, Results& out, u64 enabled);

/// Sets the host's rounding while an instruction runs in a wave that does not round to nearest.
class HostRounding {
public:
    explicit HostRounding(Round round);
    ~HostRounding();

private:
    int before_;
};

/// Flushes a denormal input or result, as the mode says, for instructions on floating-point types.
template <class T>
inline T flush(T value, u8 denorm32, u8 denorm64, int bit) {
    if constexpr (std::is_same_v<T, f32>) {
        if (!(denorm32 >> bit & 1)) {
            const u32 bits = bit_cast<u32>(value);
            if ((bits & 0x7f800000) == 0) return bit_cast<f32>(bits & 0x80000000);
        }
    } else if constexpr (std::is_same_v<T, f16>) {
        if (!(denorm64 >> bit & 1) && (value.bits & 0x7c00) == 0) return f16{u16(value.bits & 0x8000)};
    } else if constexpr (std::is_same_v<T, f64>) {
        if (!(denorm64 >> bit & 1)) {
            const u64 bits = bit_cast<u64>(value);
            if ((bits & 0x7ff0000000000000) == 0) return bit_cast<f64>(bits & 0x8000000000000000);
        }
    } else if constexpr (std::is_same_v<T, pair<f16>> || std::is_same_v<T, pair<f32>>) {
        return T{flush(value.lo, denorm32, denorm64, bit), flush(value.hi, denorm32, denorm64, bit)};
    } else if constexpr (std::is_same_v<T, with_bit<f32>> || std::is_same_v<T, with_bit<f64>>) {
        return T{flush(value.value, denorm32, denorm64, bit), value.bit};
    }
    return value;
}

template <class T> inline constexpr bool is_float_type =
    std::is_same_v<T, f32> || std::is_same_v<T, f64> || std::is_same_v<T, f16> || std::is_same_v<T, pair<f16>> ||
    std::is_same_v<T, pair<f32>> || std::is_same_v<T, with_bit<f32>> || std::is_same_v<T, with_bit<f64>>;

template <class T> inline constexpr bool is_f32_type =
    std::is_same_v<T, f32> || std::is_same_v<T, pair<f32>> || std::is_same_v<T, with_bit<f32>>;

template <class T> struct value_of {
    using type = T;
};
template <class T> struct value_of<with_bit<T>> {
    using type = T;
};

template <class F> struct Signature;
template <class R, class... A>
struct Signature<R (*)(A...)> {
    using Result = R;
    using Args = std::tuple<A...>;
    static constexpr bool knows_lane = false;
};
template <class R, class... A>
struct Signature<R (*)(const Lane&, A...)> {
    using Result = R;
    using Args = std::tuple<A...>;
    static constexpr bool knows_lane = true;
};

/// Whether a function's result goes to a lane mask alone (compares), and whether that mask is EXEC.
enum class Into : u8 { vector, mask, exec, mask_and_exec };

template <auto F, Into into>
struct LaneInstruction {
    using Sig = Signature<decltype(F)>;
    using R = typename Sig::Result;
    using Args = typename Sig::Args;
    static constexpr std::size_t arity = std::tuple_size_v<Args>;
    static constexpr bool has_bit = !std::is_same_v<R, typename value_of<R>::type>;

    static void run(Wave& wave, const Instr& instr) {
        if constexpr (into == Into::vector) {
            dispatch(wave, instr, std::make_index_sequence<arity>{});
        } else {
            const u64 result = LaneInstruction<F, Into::mask>::mask(wave, instr);
            if constexpr (into != Into::exec) wave.set_mask(instr.dst[0].index, result);
            if constexpr (into != Into::mask) wave.set_mask(sreg::exec, result);
        }
    }

    /// The mask of a compare. It is one function for all that may become of the mask: its loops take long to compile.
    [[gnu::noinline]] static u64 mask(Wave& wave, const Instr& instr) {
        static_assert(into == Into::mask);
        return dispatch(wave, instr, std::make_index_sequence<arity>{});
    }

private:
    /// Returns the bits of the enabled lanes, if F makes any.
    template <std::size_t... I>
    static u64 dispatch(Wave& wave, const Instr& instr, std::index_sequence<I...> indices) {
        Source sources[arity == 0 ? 1 : arity];
        const u64 exec = wave.exec();
        u64 enabled = exec;
        ((enabled &= fetch(wave, instr, int(I), type_of<std::tuple_element_t<I, Args>>, sources[I])), ...);
        constexpr bool floats = is_float_type<R> || (is_float_type<std::tuple_element_t<I, Args>> || ...);
        if constexpr (floats) {
            if (!wave.mode.plain()) {
                // f16 and f64 share one rounding mode, f32 has its own; from an integer it is the result's.
                constexpr bool from32 = (is_f32_type<std::tuple_element_t<I, Args>> || ...);
                constexpr bool in32 =
                    from32 || (is_f32_type<R> && !(is_float_type<std::tuple_element_t<I, Args>> || ...));
                HostRounding rounding(in32 ? wave.mode.round32 : wave.mode.round64);
                return loop<true>(wave, instr, sources, exec, enabled, indices);
            }
        }
        return plain_loop(wave, instr, sources, exec, enabled, indices);
    }

    // The loop becomes vector code only if the whole of F is inside it.
    template <std::size_t... I>
    [[gnu::flatten]] static u64 plain_loop(Wave& wave, const Instr& instr, const Source* sources, u64 exec, u64 enabled,
                                           std::index_sequence<I...> indices) {
        return loop<false>(wave, instr, sources, exec, enabled, indices);
    }

    template <bool general, std::size_t... I>
    static u64 loop(Wave& wave, const Instr& instr, const Source* sources, u64 exec, u64 enabled,
                    std::index_sequence<I...>) {
        Results out;
        u64 bits = 0;
        const u8 denorm32 = wave.mode.denorm32, denorm64 = wave.mode.denorm64;
        for (int first = 0; first < wave.size; first += 32) {
            u32 word = 0;
            for (int i = 0; i < 32; ++i) {
                const int lane = first + i;
                R result = [&] {
                    if constexpr (general) {
                        return flush(call<false>(wave, instr, lane,
                                                 flush(take<std::tuple_element_t<I, Args>>(sources[I], lane), denorm32,
                                                       denorm64, 0)...),
                                     denorm32, denorm64, 1);
                    } else {
                        return call<true>(wave, instr, lane, take<std::tuple_element_t<I, Args>>(sources[I], lane)...);
                    }
                }();
                if constexpr (into != Into::vector) {
                    word |= u32(result) << i;
                } else if constexpr (has_bit) {
                    put(out, lane, result.value);
                    word |= u32(result.bit) << i;
                } else {
                    put(out, lane, result);
                }
            }
            bits |= u64(word) << first;
        }
        if constexpr (into == Into::vector) {
            store(wave, instr, type_of<typename value_of<R>::type>, out, enabled);
            if constexpr (has_bit) wave.set_mask(instr.dst[1].index, bits & exec);
        }
        return bits & enabled;
    }

    template <bool plain, class... A>
    static R call(const Wave& wave, const Instr& instr, int lane, A... args) {
        if constexpr (Sig::knows_lane) return F(Lane{wave, instr, lane, plain}, args...);
        else return F(args...);
    }
};

template <auto F, Into into, std::size_t... I>
constexpr Definition make_lanes(const char* name, Traits traits, u8 isas, std::index_sequence<I...>) {
    using L = LaneInstruction<F, into>;
    Definition d;
    d.name = name, d.run = &L::run, d.traits = traits, d.isas = isas;
    ((d.src[I] = type_of<std::tuple_element_t<I, typename L::Args>>), ...);
    if constexpr (into == Into::vector) {
        d.dsts = L::has_bit ? 2 : 1;
        d.dst[0] = type_of<typename value_of<typename L::R>::type>;
        if (L::has_bit) d.dst[1] = Type::mask;
    } else if constexpr (into == Into::exec) {
        d.dsts = 0, d.traits.writes_exec = true;
    } else {
        d.dsts = 1, d.dst[0] = Type::mask;
        if constexpr (into == Into::mask_and_exec) d.traits.writes_exec = true;
    }
    return d;
}

/// A vector instruction whose lanes each compute F.
template <auto F, Into into = Into::vector>
constexpr Definition lanes(const char* name, Traits traits = {}, u8 isas = kAllIsas) {
    return make_lanes<F, into>(name, traits, isas, std::make_index_sequence<LaneInstruction<F, into>::arity>{});
}

}  // namespace gfxsim

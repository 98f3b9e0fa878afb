// SPDX-License-Identifier: MIT
// What atomic instructions compute, wherever their memory is.
#pragma once

#include <cmath>
#include <type_traits>

#include "gfxsim/core/float16.hpp"
#include "gfxsim/core/float_bits.hpp"
#include "gfxsim/core/lanes.hpp"
#include "gfxsim/core/wave.hpp"

namespace gfxsim {
namespace atomic {

template <class T> T exchange(T, T value) { return value; }
template <class T>
T add(T old, T value) {
    if constexpr (std::is_floating_point_v<T>) return fp::settled(old + value, old, value);
    else return old + value;
}
template <class T> T sub(T old, T value) { return old - value; }
template <class T> T reverse_sub(T old, T value) { return value - old; }
template <class T> T and_(T old, T value) { return old & value; }
template <class T> T or_(T old, T value) { return old | value; }
template <class T> T xor_(T old, T value) { return old ^ value; }
template <class T> T min(T old, T value) { return value < old ? value : old; }
template <class T> T max(T old, T value) { return value > old ? value : old; }
template <class T> T increment(T old, T limit) { return old >= limit ? 0 : old + 1; }
template <class T> T decrement(T old, T limit) { return old == 0 || old > limit ? limit : old - 1; }
inline u32 sub_clamp(u32 old, u32 value) { return old < value ? 0 : old - value; }
inline u32 sub_if_enough(u32 old, u32 value) { return old >= value ? old - value : old; }

/// The number that is not NaN, with -0 below +0.
template <class T>
T min_number(T old, T value) {
    if (fp::is_nan(value)) return fp::is_nan(old) ? fp::quiet(value) : old;
    if (fp::is_nan(old)) return value;
    return value < old || (value == old && std::signbit(value)) ? value : old;
}
template <class T>
T max_number(T old, T value) {
    if (fp::is_nan(value)) return fp::is_nan(old) ? fp::quiet(value) : old;
    if (fp::is_nan(old)) return value;
    return value > old || (value == old && !std::signbit(value)) ? value : old;
}

/// Half precision adds round once because f32 has more than twice the bits.
inline f16 add_half(f16 old, f16 value) { return fp::settled(to_f16(to_f32(old) + to_f32(value)), old, value); }
inline bf16 add_half(bf16 old, bf16 value) { return fp::settled(to_bf16(to_f32(old) + to_f32(value)), old, value); }
template <class T> pair<T> add_pair(pair<T> old, pair<T> value) {
    return {add_half(old.lo, value.lo), add_half(old.hi, value.hi)};
}

// With a third operand. LDS names its two data operands in another order on gfx9 than later.
template <class T> T compare_exchange(T old, T value, T compare) { return old == compare ? value : old; }
template <class T> T exchange_compare(T old, T compare, T value) { return old == compare ? value : old; }
template <class T> T mask_or(T old, T mask, T value) { return (old & ~mask) | value; }
inline u32 wrap(u32 old, u32 limit, u32 value) { return old >= limit ? old - limit : old + value; }

/// The types of an atomic function.
template <class F> struct Shape;
template <class T> struct Shape<T (*)(T, T)> {
    using Value = T;
    static constexpr int operands = 1;
};
template <class T> struct Shape<T (*)(T, T, T)> {
    using Value = T;
    static constexpr int operands = 2;
};
template <auto F> using Value = typename Shape<decltype(F)>::Value;
template <auto F> using Word = std::conditional_t<sizeof(Value<F>) == 8, u64, u32>;
template <auto F> inline constexpr int operands = Shape<decltype(F)>::operands;

/// Which denormals an atomic keeps, as in the mode: bit 0 of inputs, bit 1 of results.
struct Denormals {
    u8 in32 = 3, in64 = 3;
};

/// The new contents of memory.
template <auto F>
inline Word<F> result(Word<F> old, Word<F> first, Word<F> second, Denormals keep) {
    using T = Value<F>;
    const auto value = [&](Word<F> bits) { return flush(bit_cast<T>(bits), keep.in32, keep.in64, 0); };
    T made;
    if constexpr (operands<F> == 1) made = F(value(old), value(first));
    else made = F(value(old), value(first), value(second));
    return bit_cast<Word<F>>(flush(made, keep.in32, keep.in64, 1));
}

/// On memory that only this thread uses; returns what was there.
template <auto F>
inline Word<F> update(u8* at, Word<F> first, Word<F> second, Denormals keep) {
    Word<F> old;
    std::memcpy(&old, at, sizeof(old));
    const Word<F> made = result<F>(old, first, second, keep);
    std::memcpy(at, &made, sizeof(made));
    return old;
}

/// On memory that other workgroups use at the same time.
template <auto F>
inline Word<F> update_shared(u8* at, Word<F> first, Word<F> second, Denormals keep) {
    auto* word = reinterpret_cast<Word<F>*>(at);
    Word<F> old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(word, &old, result<F>(old, first, second, keep), true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {}
    return old;
}

/// Whether the result of several updates depends on their order although none of them returns anything.
template <auto F> inline constexpr bool is_float_sum = false;
template <> inline constexpr bool is_float_sum<add<f32>> = true;
template <> inline constexpr bool is_float_sum<add<f64>> = true;
template <> inline constexpr bool is_float_sum<add_pair<f16>> = true;
template <> inline constexpr bool is_float_sum<add_pair<bf16>> = true;

template <auto F>
void apply_later(u8* at, u64 value, u8 denorm32, u8 denorm64) {
    update_shared<F>(at, Word<F>(value), Word<F>(0), {denorm32, denorm64});
}

/// A lane's operand in one or two registers.
template <class W>
inline W read_word(const Wave& wave, u16 row, int lane) {
    if constexpr (sizeof(W) == 8) return wave.v[row][lane] | u64(wave.v[row + 1][lane]) << 32;
    else return wave.v[row][lane];
}
template <class W>
inline void write_word(Wave& wave, u16 row, int lane, W value) {
    wave.v[row][lane] = u32(value);
    if constexpr (sizeof(W) == 8) wave.v[row + 1][lane] = u32(value >> 32);
}

}  // namespace atomic
}  // namespace gfxsim

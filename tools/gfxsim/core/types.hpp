// SPDX-License-Identifier: MIT
// The number types of AMD instructions and how they lie in 32-bit registers.
#pragma once

#include <cstdint>
#include <cstring>

namespace gfxsim {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using f32 = float;
using f64 = double;

/// IEEE half precision as its bits; arithmetic happens in a wider type.
struct f16 {
    u16 bits;
};

/// The upper half of an f32.
struct bf16 {
    u16 bits;
};

/// Two 16-bit or two 32-bit values in one operand of a packed instruction.
template <class T>
struct pair {
    T lo;
    T hi;
};

template <class To, class From>
inline To bit_cast(const From& from) {
    static_assert(sizeof(To) == sizeof(From), "a bit cast keeps the size");
    To to;
    std::memcpy(&to, &from, sizeof(To));
    return to;
}

/// What an operand holds: how many registers it takes and how the disassembler's constants are to be read.
enum class Type : u8 {
    none,
    u16,
    i16,
    f16,
    bf16,
    u32,
    i32,
    f32,
    u64,
    i64,
    f64,
    pk16,
    pkf16,
    pkbf16,
    pkf32,
    pku32,
    wide,
    mask
};

/// Whether it fills one half of a register.
constexpr bool fills_half(Type type) {
    return type == Type::u16 || type == Type::i16 || type == Type::f16 || type == Type::bf16;
}

template <class T> struct TypeOf;
template <> struct TypeOf<u16> {
    static constexpr Type value = Type::u16;
};
template <> struct TypeOf<i16> {
    static constexpr Type value = Type::i16;
};
template <> struct TypeOf<f16> {
    static constexpr Type value = Type::f16;
};
template <> struct TypeOf<bf16> {
    static constexpr Type value = Type::bf16;
};
template <> struct TypeOf<u32> {
    static constexpr Type value = Type::u32;
};
template <> struct TypeOf<i32> {
    static constexpr Type value = Type::i32;
};
template <> struct TypeOf<f32> {
    static constexpr Type value = Type::f32;
};
template <> struct TypeOf<u64> {
    static constexpr Type value = Type::u64;
};
template <> struct TypeOf<i64> {
    static constexpr Type value = Type::i64;
};
template <> struct TypeOf<f64> {
    static constexpr Type value = Type::f64;
};
template <> struct TypeOf<pair<u16>> {
    static constexpr Type value = Type::pk16;
};
template <> struct TypeOf<pair<i16>> {
    static constexpr Type value = Type::pk16;
};
template <> struct TypeOf<pair<f16>> {
    static constexpr Type value = Type::pkf16;
};
template <> struct TypeOf<pair<bf16>> {
    static constexpr Type value = Type::pkbf16;
};
template <> struct TypeOf<pair<f32>> {
    static constexpr Type value = Type::pkf32;
};
template <> struct TypeOf<pair<u32>> {
    static constexpr Type value = Type::pku32;
};
/// A bool is one bit per lane, in a scalar register or pair.
template <> struct TypeOf<bool> {
    static constexpr Type value = Type::mask;
};

template <class T> inline constexpr Type type_of = TypeOf<T>::value;

/// Two values of 16 bits in one register.
constexpr bool is_packed16(Type type) { return type == Type::pk16 || type == Type::pkf16 || type == Type::pkbf16; }

}  // namespace gfxsim

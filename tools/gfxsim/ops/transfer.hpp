// SPDX-License-Identifier: MIT
// Data between the lanes' registers and memory, once it is known where each lane's memory is.
#pragma once

#include "gfxsim/core/wave.hpp"

namespace gfxsim {

/// How a value lies in memory and in its registers. Of the halves, a load keeps the one that it does not name.
enum class Form : u8 { u8, i8, u16, i16, b32, b64, b96, b128, lo_u8, lo_i8, lo_b16, hi_u8, hi_i8, hi_b16 };

constexpr u32 bytes_of(Form form) {
    switch (form) {
        case Form::u8:
        case Form::i8:
        case Form::lo_u8:
        case Form::lo_i8:
        case Form::hi_u8:
        case Form::hi_i8: return 1;
        case Form::u16:
        case Form::i16:
        case Form::lo_b16:
        case Form::hi_b16: return 2;
        case Form::b32: return 4;
        case Form::b64: return 8;
        case Form::b96: return 12;
        case Form::b128: return 16;
    }
    return 0;
}

constexpr int dwords_of(Form form) { return int(bytes_of(form) + 3) / 4; }
constexpr bool is_low_half(Form form) { return form == Form::lo_u8 || form == Form::lo_i8 || form == Form::lo_b16; }
constexpr bool is_high_half(Form form) { return form == Form::hi_u8 || form == Form::hi_i8 || form == Form::hi_b16; }
constexpr bool is_signed(Form form) {
    return form == Form::i8 || form == Form::i16 || form == Form::lo_i8 || form == Form::hi_i8;
}

/// A byte or half word from memory, extended to 32 bits.
template <Form form>
inline u32 extended(const u8* from) {
    if constexpr (bytes_of(form) == 1) {
        return is_signed(form) ? u32(i32(i8(*from))) : *from;
    } else {
        u16 value;
        std::memcpy(&value, from, 2);
        return is_signed(form) ? u32(i32(i16(value))) : value;
    }
}

template <Form form>
inline void load_lane(u32* row, int lane, const u8* from) {
    if constexpr (bytes_of(form) >= 4) {
        u32 value[dwords_of(form)];
        std::memcpy(value, from, sizeof(value));
        for (int dword = 0; dword < dwords_of(form); ++dword) row[dword * kLanes + lane] = value[dword];
    } else {
        const u32 value = extended<form>(from);
        u32& to = row[lane];
        if constexpr (is_low_half(form)) to = (to & 0xffff0000) | (value & 0xffff);
        else if constexpr (is_high_half(form)) to = (to & 0xffff) | value << 16;
        else to = value;
    }
}

template <Form form>
inline void store_lane(const u32* row, int lane, u8* to) {
    if constexpr (bytes_of(form) >= 4) {
        u32 value[dwords_of(form)];
        for (int dword = 0; dword < dwords_of(form); ++dword) value[dword] = row[dword * kLanes + lane];
        std::memcpy(to, value, sizeof(value));
    } else {
        const u32 value = is_high_half(form) ? row[lane] >> 16 : row[lane];
        if constexpr (bytes_of(form) == 1) {
            *to = u8(value);
        } else {
            const u16 half = u16(value);
            std::memcpy(to, &half, 2);
        }
    }
}

/// Calls f(lane) for the lanes in a mask; the masks of a full wave run as plain loops.
template <class F>
inline void each_lane(u64 mask, F&& f) {
    if (mask == ~u64(0)) {
        for (int lane = 0; lane < 64; ++lane) f(lane);
    } else if (mask == 0xffffffff) {
        for (int lane = 0; lane < 32; ++lane) f(lane);
    } else {
        for_lanes(mask, f);
    }
}

/// Four neighbouring lanes at once, which compilers turn into a transposition of vectors.
template <Form form>
inline void load_four(u32* row, int lane, u64 base, const u64* at) {
    constexpr int n = dwords_of(form);
    u32 value[4][n];
    for (int i = 0; i < 4; ++i)
        std::memcpy(value[i], reinterpret_cast<const u8*>(base + at[lane + i]), sizeof(value[i]));
    for (int dword = 0; dword < n; ++dword) {
        for (int i = 0; i < 4; ++i) row[dword * kLanes + lane + i] = value[i][dword];
    }
}

template <Form form>
inline void store_four(const u32* row, int lane, u64 base, const u64* at) {
    constexpr int n = dwords_of(form);
    u32 value[4][n];
    for (int dword = 0; dword < n; ++dword) {
        for (int i = 0; i < 4; ++i) value[i][dword] = row[dword * kLanes + lane + i];
    }
    for (int i = 0; i < 4; ++i) std::memcpy(reinterpret_cast<u8*>(base + at[lane + i]), value[i], sizeof(value[i]));
}

/// The number of lanes of a wave whose lanes are all in a mask, or 0.
inline int full_lanes(u64 mask) { return mask == ~u64(0) ? 64 : mask == 0xffffffff ? 32 : 0; }

template <Form form>
void load_lanes(Wave& wave, u16 row, u64 mask, u64 base, const u64* at) {
    u32* to = wave.v[row];
    const int lanes = full_lanes(mask);
    if constexpr (bytes_of(form) >= 8) {
        for (int lane = 0; lane < lanes; lane += 4) load_four<form>(to, lane, base, at);
        if (lanes) return;
    }
    each_lane(mask, [=](int lane) { load_lane<form>(to, lane, reinterpret_cast<const u8*>(base + at[lane])); });
}

template <Form form>
void store_lanes(const Wave& wave, u16 row, u64 mask, u64 base, const u64* at) {
    const u32* from = wave.v[row];
    const int lanes = full_lanes(mask);
    if constexpr (bytes_of(form) >= 8) {
        for (int lane = 0; lane < lanes; lane += 4) store_four<form>(from, lane, base, at);
        if (lanes) return;
    }
    each_lane(mask, [=](int lane) { store_lane<form>(from, lane, reinterpret_cast<u8*>(base + at[lane])); });
}

/// What a load gives where there is no memory.
template <Form form>
void clear_lanes(Wave& wave, u16 row, u64 mask) {
    constexpr u8 kZeros[16] = {};
    u32* to = wave.v[row];
    for_lanes(mask, [=](int lane) { load_lane<form>(to, lane, kZeros); });
}

inline void observe(Wave& wave, const Instr& instr, Space space, Use use, u64 mask, u32 bytes, const u64* address,
                    const Operand* data) {
    if (wave.observer && mask) wave.observer->access(wave, instr, Access{space, use, mask, bytes, address, data});
}

}  // namespace gfxsim

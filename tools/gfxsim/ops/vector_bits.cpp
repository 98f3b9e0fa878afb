// SPDX-License-Identifier: MIT
// Logic, shifts, bit fields and bit counts in vector registers.
#include "gfxsim/ops/vector_integer.hpp"

namespace gfxsim {
namespace {

using namespace integer;

template <class T, class N = u32> T ashrrev(N by, T a) { return T(a >> (by & (width<T> - 1))); }

u32 and_or(u32 a, u32 b, u32 c) { return (a & b) | c; }
u32 or3(u32 a, u32 b, u32 c) { return a | b | c; }
u32 xor3(u32 a, u32 b, u32 c) { return a ^ b ^ c; }
u32 lshl_or(u32 a, u32 b, u32 c) { return (a << (b & 31)) | c; }

u32 bfe_u32(u32 a, u32 first, u32 length) { return field(a, first & 31, length & 31); }
i32 bfe_i32(i32 a, u32 first, u32 length) { return signed_field(a, first & 31, length & 31); }
u32 bfi(u32 mask, u32 a, u32 b) { return (mask & a) | (~mask & b); }
u32 alignbit(u32 high, u32 low, u16 by) { return u32((u64(high) << 32 | low) >> (by & 31)); }
u32 alignbyte(u32 high, u32 low, u16 by) { return u32((u64(high) << 32 | low) >> 8 * (by & 3)); }

u32 reversed_bits(u32 a) {
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
    a = (a >> 8 & 0x00ff00ff) | (a & 0x00ff00ff) << 8;
    return a >> 16 | a << 16;
}

u32 bcnt(u32 a, u32 b) { return count_ones(a) + b; }
// Counts bits of lanes below this one: lanes 0 to 31 and 32 to 63 have an instruction each.
u32 mbcnt_lo(const Lane& lane, u32 a, u32 b) {
    const u32 below = lane.index >= 32 ? ~u32(0) : (u32(1) << lane.index) - 1;
    return count_ones(a & below) + b;
}
u32 mbcnt_hi(const Lane& lane, u32 a, u32 b) {
    const u32 below = lane.index < 32 ? 0 : (u32(1) << (lane.index - 32)) - 1;
    return count_ones(a & below) + b;
}
i32 find_low(u32 a) { return first_one(a); }
i32 find_high(u32 a) { return leading_zeros(a); }
i32 find_sign(i32 a) { return sign_bits(a); }

// Each byte of the selector picks one of eight bytes, the sign of one of four halves, 0x00 or 0xff.
u32 perm(u32 high, u32 low, u32 selector) {
    const u64 data = u64(high) << 32 | low;
    u32 result = 0;
    for (int i = 0; i < 32; i += 8) {
        const u32 pick = selector >> i & 0xff;
        const u32 byte = u32(data >> 8 * (pick & 7)) & 0xff, sign = 0 - (u32(data >> (16 * (pick & 3) + 15)) & 1);
        result |= (pick < 8 ? byte : pick < 12 ? sign & 0xff : pick == 12 ? 0 : 0xff) << i;
    }
    return result;
}

// Nearly always all lanes have the same selector; then each byte of the result is one shift of one operand.
void run_perm(Wave& wave, const Instr& instr) {
    if (instr.src[2].is_vector() || instr.mod.dpp.kind != DppKind::none)
        return LaneInstruction<perm, Into::vector>::run(wave, instr);
    Source sources[2];
    fetch(wave, instr, 0, Type::u32, sources[0]);
    fetch(wave, instr, 1, Type::u32, sources[1]);
    const u32 selector = read_scalar32(wave, instr.src[2]);
    Results out;
    for (u32& value : out.row[0]) value = 0;
    for (int i = 0; i < 32; i += 8) {
        const u32 pick = selector >> i & 0xff;
        if (pick == 12) continue;
        // The second operand has the lower bytes.
        const u32 place = pick < 8 ? pick : 2 * (pick - 8) + 1;
        const u32* row = sources[place & 4 ? 0 : 1].row[0];
        const u32 shift = 8 * (place & 3);
        for (int lane = 0; lane < kLanes; ++lane) {
            const u32 byte = row[lane] >> shift & 0xff;
            const u32 sign = byte & 0x80 ? 0xff : 0;
            out.row[0][lane] |= (pick < 8 ? byte : pick < 12 ? sign : 0xff) << i;
        }
    }
    store(wave, instr, Type::u32, out, wave.exec());
}

Definition perm_b32() {
    Definition d = lanes<perm>("v_perm_b32");
    d.run = &run_perm;
    return d;
}

// The immediate is a table of what three bits give, the first operand's being the highest.
template <class T> T bitop3(const Lane& lane, T a, T b, T c) {
    const u32 table = lane.instr.mod.imm;
    const auto chosen = [table](int n) { return T(0) - T(table >> n & 1); };
    const T low = T((~b & ~c & chosen(0)) | (~b & c & chosen(1)) | (b & ~c & chosen(2)) | (b & c & chosen(3)));
    const T high = T((~b & ~c & chosen(4)) | (~b & c & chosen(5)) | (b & ~c & chosen(6)) | (b & c & chosen(7)));
    return T((~a & low) | (a & high));
}

u32 next_random(u32 a) { return a << 1 ^ (a >> 31 ? 197 : 0); }

u16 sat_pk_u8_i16(u32 a) { return u16(saturated<u8>(i16(a)) | saturated<u8>(i16(a >> 16)) << 8); }
u16 ashr_pk_i8(i32 a, i32 b, u32 by) {
    return u16(u8(saturated<i8>(a >> (by & 31))) | u8(saturated<i8>(b >> (by & 31))) << 8);
}
u16 ashr_pk_u8(i32 a, i32 b, u32 by) { return u16(saturated<u8>(a >> (by & 31)) | saturated<u8>(b >> (by & 31)) << 8); }

}  // namespace

Table vector_bits_table() {
    return {
        lanes<bit_not<u32>>("v_not_b32"),
        lanes<bit_and<u32>>("v_and_b32"),
        lanes<bit_or<u32>>("v_or_b32"),
        lanes<bit_xor<u32>>("v_xor_b32"),
        lanes<bit_xnor<u32>>("v_xnor_b32"),
        lanes<bit_not<u16>>("v_not_b16", {}, kGfx11And12),
        lanes<bit_and<u16>>("v_and_b16", {}, kGfx11And12),
        lanes<bit_or<u16>>("v_or_b16", {}, kGfx11And12),
        lanes<bit_xor<u16>>("v_xor_b16", {}, kGfx11And12),
        lanes<and_or>("v_and_or_b32"),
        lanes<or3>("v_or3_b32"),
        lanes<xor3>("v_xor3_b32", {}, kGfx11And12),
        lanes<lshl_or>("v_lshl_or_b32"),
        lanes<bitop3<u32>>("v_bitop3_b32", {}, kGfx9),
        lanes<bitop3<u16>>("v_bitop3_b16", keeps_half(), kGfx9),

        lanes<lshlrev<u16, u16>>("v_lshlrev_b16"),
        lanes<lshlrev<u32>>("v_lshlrev_b32"),
        lanes<lshlrev<u64>>("v_lshlrev_b64"),
        lanes<lshrrev<u16, u16>>("v_lshrrev_b16"),
        lanes<lshrrev<u32>>("v_lshrrev_b32"),
        lanes<lshrrev<u64>>("v_lshrrev_b64"),
        lanes<ashrrev<i16, u16>>("v_ashrrev_i16"),
        lanes<ashrrev<i32>>("v_ashrrev_i32"),
        lanes<ashrrev<i64>>("v_ashrrev_i64"),
        lanes<alignbit>("v_alignbit_b32"),
        lanes<alignbyte>("v_alignbyte_b32"),
        perm_b32(),

        lanes<bfe_u32>("v_bfe_u32"),
        lanes<bfe_i32>("v_bfe_i32"),
        lanes<bfi>("v_bfi_b32"),
        lanes<mask_of<u32>>("v_bfm_b32"),
        lanes<reversed_bits>("v_bfrev_b32"),
        lanes<bcnt>("v_bcnt_u32_b32"),
        lanes<mbcnt_lo>("v_mbcnt_lo_u32_b32"),
        lanes<mbcnt_hi>("v_mbcnt_hi_u32_b32"),
        lanes<find_low>("v_ffbl_b32", {}, kGfx9),
        lanes<find_high>("v_ffbh_u32", {}, kGfx9),
        lanes<find_sign>("v_ffbh_i32", {}, kGfx9),
        lanes<find_low>("v_ctz_i32_b32", {}, kGfx11And12),
        lanes<find_high>("v_clz_i32_u32", {}, kGfx11And12),
        lanes<find_sign>("v_cls_i32", {}, kGfx11And12),
        lanes<next_random>("v_prng_b32", {}, kGfx9),
        lanes<sat_pk_u8_i16>("v_sat_pk_u8_i16"),
        lanes<ashr_pk_i8>("v_ashr_pk_i8_i32", keeps_half(), kGfx9),
        lanes<ashr_pk_u8>("v_ashr_pk_u8_i32", keeps_half(), kGfx9),
    };
}

}  // namespace gfxsim

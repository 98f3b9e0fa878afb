// SPDX-License-Identifier: MIT
// Integer and bit instructions on scalar registers (SOP1, SOP2, SOPK, SOPC).
#include "gfxsim/ops/integer.hpp"
#include "gfxsim/ops/isas.hpp"
#include "gfxsim/ops/scalar_alu.hpp"
#include "gfxsim/ops/scalar_tables.hpp"
#include "gfxsim/ops/tables.hpp"

namespace gfxsim {
namespace {

using namespace integer;

using Carry32 = with_bit<u32>;

Carry32 add_carry(u32 a, u32 b) { return {a + b, a + b < a}; }
Carry32 sub_borrow(u32 a, u32 b) { return {a - b, b > a}; }
Carry32 addc(Scc carry, u32 a, u32 b) { return {a + b + carry.value, u64(a) + b + carry.value > 0xffffffff}; }
Carry32 subb(Scc carry, u32 a, u32 b) { return {a - b - carry.value, u64(b) + carry.value > a}; }
Carry32 add_overflow(u32 a, u32 b) { return {a + b, bool((~(a ^ b) & (a ^ (a + b))) >> 31)}; }
Carry32 sub_overflow(u32 a, u32 b) { return {a - b, bool(((a ^ b) & (a ^ (a - b))) >> 31)}; }
template <u32 shift> Carry32 lshl_add(u32 a, u32 b) {
    const u64 sum = (u64(a) << shift) + b;
    return {u32(sum), sum > 0xffffffff};
}

// SCC tells which operand won.
template <class T> with_bit<T> min_scc(T a, T b) { return {a < b ? a : b, a < b}; }
template <class T> with_bit<T> max_scc(T a, T b) { return {a >= b ? a : b, a >= b}; }

i32 absolute(i32 a) { return i32(a < 0 ? 0 - u32(a) : u32(a)); }
i32 absolute_difference(i32 a, i32 b) { return absolute(i32(u32(a) - u32(b))); }

template <class T> T ashr(T a, u32 by) { return T(a >> (by & (width<T> - 1))); }
// The second operand of a bit-field extraction holds the field: where it starts and how long it is.
template <class T> T bfe_unsigned(T a, u32 where) { return field<T>(a, where & (width<T> - 1), where >> 16 & 0x7f); }
template <class T> T bfe_signed(T a, u32 where) {
    return signed_field<T>(a, where & (width<T> - 1), where >> 16 & 0x7f);
}

template <class T> T select(Scc scc, T a, T b) { return scc.value ? a : b; }
template <class T> T move_if(Scc scc, Old<T> before, T a) { return scc.value ? a : before.value; }

template <class T> i32 zeros(T a) { return i32(count_ones(T(~a))); }
template <class T> i32 ones(T a) { return i32(count_ones(a)); }
template <class T> i32 find_zero(T a) { return first_one(u64(T(~a))); }
template <class T> i32 find_one(T a) { return first_one(u64(a)); }
template <class T> i32 find_high(T a) { return leading_zeros(a); }
template <class T> i32 find_sign(T a) { return sign_bits(a); }
template <class T> i32 sign_extended(u32 a) { return T(a); }
template <class T> T bit_cleared(Old<T> before, u32 n) { return T(before.value & ~(T(1) << (n & (width<T> - 1)))); }
template <class T> T bit_set(Old<T> before, u32 n) { return T(before.value | T(1) << (n & (width<T> - 1))); }
template <class T> bool bit_is_zero(T a, u32 n) { return !(a >> (n & (width<T> - 1)) & 1); }
template <class T> bool bit_is_one(T a, u32 n) { return a >> (n & (width<T> - 1)) & 1; }

/// One bit for each four lanes, if any of them is set.
template <class T> T quad_mask(T a) {
    T result = 0;
    for (u32 i = 0; i < width<T> / 4; ++i) result |= T((a >> 4 * i & 0xf) != 0) << i;
    return result;
}
template <class T> T whole_quads(T a) {
    T result = 0;
    for (u32 i = 0; i < width<T>; i += 4) result |= T((a >> i & 0xf) != 0 ? 0xf : 0) << i;
    return result;
}
u64 replicated(u32 a) {
    u64 result = 0;
    for (int i = 0; i < 32; ++i) result |= u64(a >> i & 1 ? 3 : 0) << 2 * i;
    return result;
}

u32 pack_ll(u32 a, u32 b) { return (a & 0xffff) | b << 16; }
u32 pack_lh(u32 a, u32 b) { return (a & 0xffff) | (b & 0xffff0000); }
u32 pack_hh(u32 a, u32 b) { return a >> 16 | (b & 0xffff0000); }
u32 pack_hl(u32 a, u32 b) { return a >> 16 | b << 16; }

// SOPK's constant is 16 bits wide.
i32 movk(u32 k) { return i16(k); }
i32 cmovk(Scc scc, Old<i32> before, u32 k) { return scc.value ? i32(i16(k)) : before.value; }
Carry32 addk(Old<u32> before, u32 k) { return add_overflow(before.value, u32(i32(i16(k)))); }
u32 mulk(Old<u32> before, u32 k) { return before.value * u32(i32(i16(k))); }

template <class T> bool equal(T a, T b) { return a == b; }
template <class T> bool unequal(T a, T b) { return a != b; }
template <class T> bool greater(T a, T b) { return a > b; }
template <class T> bool greater_equal(T a, T b) { return a >= b; }
template <class T> bool less(T a, T b) { return a < b; }
template <class T> bool less_equal(T a, T b) { return a <= b; }
template <bool (*compare)(i32, i32)> bool with_signed_k(i32 a, u32 k) { return compare(a, i16(k)); }
template <bool (*compare)(u32, u32)> bool with_unsigned_k(u32 a, u32 k) { return compare(a, u16(k)); }

}  // namespace

Table scalar_arithmetic_table() {
    return {
        scalar<add_carry>("s_add_u32", kGfx9And11),
        scalar<add_carry>("s_add_co_u32", kGfx12),
        scalar<sub_borrow>("s_sub_u32", kGfx9And11),
        scalar<sub_borrow>("s_sub_co_u32", kGfx12),
        scalar<add_overflow>("s_add_i32", kGfx9And11),
        scalar<add_overflow>("s_add_co_i32", kGfx12),
        scalar<sub_overflow>("s_sub_i32", kGfx9And11),
        scalar<sub_overflow>("s_sub_co_i32", kGfx12),
        scalar<addc>("s_addc_u32", kGfx9And11),
        scalar<addc>("s_add_co_ci_u32", kGfx12),
        scalar<subb>("s_subb_u32", kGfx9And11),
        scalar<subb>("s_sub_co_ci_u32", kGfx12),
        scalar<add<u64>>("s_add_nc_u64", kGfx12),
        scalar<sub<u64>>("s_sub_nc_u64", kGfx12),
        scalar<min_scc<i32>>("s_min_i32"),
        scalar<min_scc<u32>>("s_min_u32"),
        scalar<max_scc<i32>>("s_max_i32"),
        scalar<max_scc<u32>>("s_max_u32"),
        scalar<mul<u32>>("s_mul_i32"),
        scalar<mul<u64>>("s_mul_u64", kGfx12),
        scalar<mul_hi_u32>("s_mul_hi_u32"),
        scalar<mul_hi_i32>("s_mul_hi_i32"),
        scalar<lshl_add<1>>("s_lshl1_add_u32"),
        scalar<lshl_add<2>>("s_lshl2_add_u32"),
        scalar<lshl_add<3>>("s_lshl3_add_u32"),
        scalar<lshl_add<4>>("s_lshl4_add_u32"),
        tested<absolute>("s_abs_i32"),
        tested<absolute_difference>("s_absdiff_i32"),
        scalar<movk>("s_movk_i32"),
        scalar<cmovk>("s_cmovk_i32"),
        scalar<addk>("s_addk_i32", kGfx9And11),
        scalar<addk>("s_addk_co_i32", kGfx12),
        scalar<mulk>("s_mulk_i32"),
        scalar<sign_extended<i8>>("s_sext_i32_i8"),
        scalar<sign_extended<i16>>("s_sext_i32_i16"),
    };
}

Table scalar_bits_table() {
    return {
        scalar<same<u32>>("s_mov_b32"),
        scalar<same<u64>>("s_mov_b64"),
        scalar<move_if<u32>>("s_cmov_b32"),
        scalar<move_if<u64>>("s_cmov_b64"),
        scalar<select<u32>>("s_cselect_b32"),
        scalar<select<u64>>("s_cselect_b64"),
        tested<bit_not<u32>>("s_not_b32"),
        tested<bit_not<u64>>("s_not_b64"),
        tested<bit_and<u32>>("s_and_b32"),
        tested<bit_and<u64>>("s_and_b64"),
        tested<bit_or<u32>>("s_or_b32"),
        tested<bit_or<u64>>("s_or_b64"),
        tested<bit_xor<u32>>("s_xor_b32"),
        tested<bit_xor<u64>>("s_xor_b64"),
        tested<bit_nand<u32>>("s_nand_b32"),
        tested<bit_nand<u64>>("s_nand_b64"),
        tested<bit_nor<u32>>("s_nor_b32"),
        tested<bit_nor<u64>>("s_nor_b64"),
        tested<bit_xnor<u32>>("s_xnor_b32"),
        tested<bit_xnor<u64>>("s_xnor_b64"),
        tested<and_not<u32>>("s_andn2_b32", kGfx9),
        tested<and_not<u64>>("s_andn2_b64", kGfx9),
        tested<and_not<u32>>("s_and_not1_b32", kGfx11And12),
        tested<and_not<u64>>("s_and_not1_b64", kGfx11And12),
        tested<or_not<u32>>("s_orn2_b32", kGfx9),
        tested<or_not<u64>>("s_orn2_b64", kGfx9),
        tested<or_not<u32>>("s_or_not1_b32", kGfx11And12),
        tested<or_not<u64>>("s_or_not1_b64", kGfx11And12),
        tested<lshl<u32>>("s_lshl_b32"),
        tested<lshl<u64>>("s_lshl_b64"),
        tested<lshr<u32>>("s_lshr_b32"),
        tested<lshr<u64>>("s_lshr_b64"),
        tested<ashr<i32>>("s_ashr_i32"),
        tested<ashr<i64>>("s_ashr_i64"),
        tested<bfe_unsigned<u32>>("s_bfe_u32"),
        tested<bfe_unsigned<u64>>("s_bfe_u64"),
        tested<bfe_signed<i32>>("s_bfe_i32"),
        tested<bfe_signed<i64>>("s_bfe_i64"),
        scalar<mask_of<u32>>("s_bfm_b32"),
        scalar<mask_of<u64>>("s_bfm_b64"),
        scalar<reversed<u32>>("s_brev_b32"),
        scalar<reversed<u64>>("s_brev_b64"),
        tested<zeros<u32>>("s_bcnt0_i32_b32"),
        tested<zeros<u64>>("s_bcnt0_i32_b64"),
        tested<ones<u32>>("s_bcnt1_i32_b32"),
        tested<ones<u64>>("s_bcnt1_i32_b64"),
        scalar<find_zero<u32>>("s_ff0_i32_b32", kGfx9),
        scalar<find_zero<u64>>("s_ff0_i32_b64", kGfx9),
        scalar<find_one<u32>>("s_ff1_i32_b32", kGfx9),
        scalar<find_one<u64>>("s_ff1_i32_b64", kGfx9),
        scalar<find_one<u32>>("s_ctz_i32_b32", kGfx11And12),
        scalar<find_one<u64>>("s_ctz_i32_b64", kGfx11And12),
        scalar<find_high<u32>>("s_flbit_i32_b32", kGfx9),
        scalar<find_high<u64>>("s_flbit_i32_b64", kGfx9),
        scalar<find_high<u32>>("s_clz_i32_u32", kGfx11And12),
        scalar<find_high<u64>>("s_clz_i32_u64", kGfx11And12),
        scalar<find_sign<i32>>("s_flbit_i32", kGfx9),
        scalar<find_sign<i64>>("s_flbit_i32_i64", kGfx9),
        scalar<find_sign<i32>>("s_cls_i32", kGfx11And12),
        scalar<find_sign<i64>>("s_cls_i32_i64", kGfx11And12),
        scalar<bit_cleared<u32>>("s_bitset0_b32"),
        scalar<bit_cleared<u64>>("s_bitset0_b64"),
        scalar<bit_set<u32>>("s_bitset1_b32"),
        scalar<bit_set<u64>>("s_bitset1_b64"),
        tested<quad_mask<u32>>("s_quadmask_b32"),
        tested<quad_mask<u64>>("s_quadmask_b64"),
        tested<whole_quads<u32>>("s_wqm_b32"),
        tested<whole_quads<u64>>("s_wqm_b64"),
        scalar<replicated>("s_bitreplicate_b64_b32"),
        scalar<pack_ll>("s_pack_ll_b32_b16"),
        scalar<pack_lh>("s_pack_lh_b32_b16"),
        scalar<pack_hh>("s_pack_hh_b32_b16"),
        scalar<pack_hl>("s_pack_hl_b32_b16", kGfx11And12),
    };
}

Table scalar_compare_table() {
    return {
        scalar<equal<i32>>("s_cmp_eq_i32"),
        scalar<unequal<i32>>("s_cmp_lg_i32"),
        scalar<greater<i32>>("s_cmp_gt_i32"),
        scalar<greater_equal<i32>>("s_cmp_ge_i32"),
        scalar<less<i32>>("s_cmp_lt_i32"),
        scalar<less_equal<i32>>("s_cmp_le_i32"),
        scalar<equal<u32>>("s_cmp_eq_u32"),
        scalar<unequal<u32>>("s_cmp_lg_u32"),
        scalar<greater<u32>>("s_cmp_gt_u32"),
        scalar<greater_equal<u32>>("s_cmp_ge_u32"),
        scalar<less<u32>>("s_cmp_lt_u32"),
        scalar<less_equal<u32>>("s_cmp_le_u32"),
        scalar<equal<u64>>("s_cmp_eq_u64"),
        scalar<unequal<u64>>("s_cmp_lg_u64"),
        scalar<bit_is_zero<u32>>("s_bitcmp0_b32"),
        scalar<bit_is_one<u32>>("s_bitcmp1_b32"),
        scalar<bit_is_zero<u64>>("s_bitcmp0_b64"),
        scalar<bit_is_one<u64>>("s_bitcmp1_b64"),
        scalar<with_signed_k<equal<i32>>>("s_cmpk_eq_i32", kGfx9And11),
        scalar<with_signed_k<unequal<i32>>>("s_cmpk_lg_i32", kGfx9And11),
        scalar<with_signed_k<greater<i32>>>("s_cmpk_gt_i32", kGfx9And11),
        scalar<with_signed_k<greater_equal<i32>>>("s_cmpk_ge_i32", kGfx9And11),
        scalar<with_signed_k<less<i32>>>("s_cmpk_lt_i32", kGfx9And11),
        scalar<with_signed_k<less_equal<i32>>>("s_cmpk_le_i32", kGfx9And11),
        scalar<with_unsigned_k<equal<u32>>>("s_cmpk_eq_u32", kGfx9And11),
        scalar<with_unsigned_k<unequal<u32>>>("s_cmpk_lg_u32", kGfx9And11),
        scalar<with_unsigned_k<greater<u32>>>("s_cmpk_gt_u32", kGfx9And11),
        scalar<with_unsigned_k<greater_equal<u32>>>("s_cmpk_ge_u32", kGfx9And11),
        scalar<with_unsigned_k<less<u32>>>("s_cmpk_lt_u32", kGfx9And11),
        scalar<with_unsigned_k<less_equal<u32>>>("s_cmpk_le_u32", kGfx9And11),
    };
}

Table scalar_table() {
    Table all;
    for (auto table :
         {scalar_arithmetic_table, scalar_bits_table, scalar_compare_table, scalar_exec_table, scalar_float_table}) {
        for (const Definition& def : table()) all.push_back(def);
    }
    return all;
}

}  // namespace gfxsim

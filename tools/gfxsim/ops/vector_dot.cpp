// SPDX-License-Identifier: MIT
// Dot products of two, four or eight small numbers.
#include "gfxsim/ops/float_math.hpp"
#include "gfxsim/ops/integer.hpp"
#include "gfxsim/ops/small_formats.hpp"
#include "gfxsim/ops/vector_parts.hpp"

namespace gfxsim {
namespace {

using namespace fp;

// The third operand of a packed instruction is negated by neg_lo; what neg_hi does to a single number is not
// documented.
f32 third(const Lane& lane, f32 c) {
    if (lane.instr.mod.neg_hi & 4)
        throw Fault(FaultKind::unsupported, "has neg_hi on a sum of 32 bits, which is not simulated");
    return lane.instr.mod.neg_lo & 4 ? negated(c) : c;
}

// Products of 16-bit numbers are exact in f32. The hardware's order of additions is the manual's.
template <class T>
f32 sum_first(const Lane& lane, pair<T> a, pair<T> b, f32 c) {
    const f32 sum = add(lane, third(lane, c), mul(lane, to_f32(a.lo), to_f32(b.lo)));
    return add(lane, sum, mul(lane, to_f32(a.hi), to_f32(b.hi)));
}
template <class T>
f32 products_first(const Lane& lane, pair<T> a, pair<T> b, f32 c) {
    const f32 products = add(lane, mul(lane, to_f32(a.lo), to_f32(b.lo)), mul(lane, to_f32(a.hi), to_f32(b.hi)));
    return add(lane, products, third(lane, c));
}

void refuse_operand_modifiers(const Instr& instr) {
    for (int n = 0; n < 2; ++n) {
        if (instr.src[n].neg || instr.src[n].abs)
            throw Fault(FaultKind::unsupported, "negates a packed operand of a dot product, which is not simulated");
    }
}
f16 dot2_f16(const Lane& lane, pair<f16> a, pair<f16> b, f16 c) {
    refuse_operand_modifiers(lane.instr);
    return add(lane, add(lane, c, mul(lane, a.lo, b.lo)), mul(lane, a.hi, b.hi));
}
bf16 dot2_bf16(const Lane& lane, pair<bf16> a, pair<bf16> b, bf16 c) {
    refuse_operand_modifiers(lane.instr);
    const auto product = [&](bf16 x, bf16 y) { return to_f32(to_bf16(mul(lane, to_f32(x), to_f32(y)))); };
    const f32 sum = to_f32(to_bf16(add(lane, to_f32(c), product(a.lo, b.lo))));
    return to_bf16(add(lane, sum, product(a.hi, b.hi)));
}

template <class A, class B>
f32 dot4_small(const Lane& lane, u32 a, u32 b, f32 c) {
    const f32 *values_a = A::values(lane.wave), *values_b = B::values(lane.wave);
    f32 sum = third(lane, c);
    for (int i = 0; i < 4; ++i)
        sum = add(lane, sum, mul(lane, values_a[a >> 8 * i & 0xff], values_b[b >> 8 * i & 0xff]));
    return sum;
}

/// The sum of the products of all fields of `bits` bits.
template <int bits>
i64 dot(u32 a, u32 b, bool a_signed, bool b_signed) {
    i64 sum = 0;
    for (int at = 0; at < 32; at += bits) {
        const u32 up = 32 - bits - at;
        const i64 x = a_signed ? i64(i32(a << up) >> (32 - bits)) : i64(a << up >> (32 - bits));
        const i64 y = b_signed ? i64(i32(b << up) >> (32 - bits)) : i64(b << up >> (32 - bits));
        sum += x * y;
    }
    return sum;
}
template <class T> T total(const Lane& lane, i64 sum) {
    return lane.instr.mod.clamp ? integer::saturated<T>(sum) : T(sum);
}

template <int bits> i32 signed_dot(const Lane& lane, u32 a, u32 b, i32 c) {
    return total<i32>(lane, dot<bits>(a, b, true, true) + c);
}
template <int bits> u32 unsigned_dot(const Lane& lane, u32 a, u32 b, u32 c) {
    return total<u32>(lane, dot<bits>(a, b, false, false) + i64(c));
}
/// neg_lo says which operands are signed.
template <int bits>
i32 mixed_dot(const Lane& lane, u32 a, u32 b, i32 c) {
    const u8 neg = lane.instr.mod.neg_lo;
    return total<i32>(lane, dot<bits>(a, b, neg & 1, neg & 2) + c);
}

i32 dot2_i16(const Lane& lane, pair<i16> a, pair<i16> b, i32 c) {
    return total<i32>(lane, i64(a.lo) * b.lo + i64(a.hi) * b.hi + c);
}
u32 dot2_u16(const Lane& lane, pair<u16> a, pair<u16> b, u32 c) {
    return total<u32>(lane, i64(a.lo) * b.lo + i64(a.hi) * b.hi + i64(c));
}

}  // namespace

Table vector_dot_table() {
    constexpr Traits last = inexact();
    Traits into = inexact();
    into.reads_dst = true;
    return {
        lanes<sum_first<f16>>("v_dot2_f32_f16", last),
        lanes<sum_first<f16>>("v_dot2c_f32_f16", into, kGfx9),
        lanes<sum_first<f16>>("v_dot2acc_f32_f16", into, kGfx11And12),
        lanes<products_first<bf16>>("v_dot2_f32_bf16", last, kGfx9),
        lanes<sum_first<bf16>>("v_dot2_f32_bf16", last, kGfx11And12),
        lanes<sum_first<bf16>>("v_dot2c_f32_bf16", into, kGfx9),
        lanes<sum_first<bf16>>("v_dot2acc_f32_bf16", into, kGfx11And12),
        lanes<dot2_f16>("v_dot2_f16_f16", last, kGfx11And12),
        lanes<dot2_bf16>("v_dot2_bf16_bf16", last, kGfx11And12),
        lanes<dot4_small<Fp8, Fp8>>("v_dot4_f32_fp8_fp8", last, kGfx12),
        lanes<dot4_small<Fp8, Bf8>>("v_dot4_f32_fp8_bf8", last, kGfx12),
        lanes<dot4_small<Bf8, Fp8>>("v_dot4_f32_bf8_fp8", last, kGfx12),
        lanes<dot4_small<Bf8, Bf8>>("v_dot4_f32_bf8_bf8", last, kGfx12),

        lanes<dot2_i16>("v_dot2_i32_i16", {}, kGfx9),
        lanes<dot2_u16>("v_dot2_u32_u16", {}, kGfx9),
        lanes<signed_dot<8>>("v_dot4_i32_i8", {}, kGfx9),
        lanes<unsigned_dot<8>>("v_dot4_u32_u8"),
        lanes<signed_dot<4>>("v_dot8_i32_i4", {}, kGfx9),
        lanes<unsigned_dot<4>>("v_dot8_u32_u4"),
        lanes<mixed_dot<8>>("v_dot4_i32_iu8", {}, kGfx11And12),
        lanes<mixed_dot<4>>("v_dot8_i32_iu4", {}, kGfx11And12),
        lanes<dot2_i16>("v_dot2c_i32_i16", accumulating(), kGfx9),
        lanes<signed_dot<8>>("v_dot4c_i32_i8", accumulating(), kGfx9),
        lanes<signed_dot<4>>("v_dot8c_i32_i4", accumulating(), kGfx9),
    };
}

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
// Sums of absolute differences, and the other instructions on four bytes at a time.
#include "gfxsim/ops/vector_integer.hpp"

namespace gfxsim {
namespace {

using namespace integer;

u32 distance(u32 a, u32 b) { return a > b ? a - b : b - a; }

/// `masked` leaves out bytes that are zero in the second operand.
template <bool masked> u32 bytes_apart(u32 a, u32 b) {
    u32 sum = 0;
    for (int i = 0; i < 32; i += 8) {
        const u32 from = a >> i & 0xff, to = b >> i & 0xff;
        sum += masked && to == 0 ? 0 : distance(from, to);
    }
    return sum;
}
u32 halves_apart(u32 a, u32 b) { return distance(a & 0xffff, b & 0xffff) + distance(a >> 16, b >> 16); }

// "saturating" is for clamp.
template <bool saturating> u32 sum32(u64 a, u32 b) { return saturating ? saturated<u32>(i64(a + b)) : u32(a + b); }
template <bool saturating> u32 sad_u8(u32 a, u32 b, u32 c) { return sum32<saturating>(bytes_apart<false>(a, b), c); }
template <bool saturating> u32 sad_hi_u8(u32 a, u32 b, u32 c) {
    return sum32<saturating>(u64(bytes_apart<false>(a, b)) << 16, c);
}
template <bool saturating> u32 sad_u16(u32 a, u32 b, u32 c) { return sum32<saturating>(halves_apart(a, b), c); }
template <bool saturating> u32 sad_u32(u32 a, u32 b, u32 c) { return sum32<saturating>(distance(a, b), c); }
template <bool saturating> u32 msad_u8(u32 a, u32 b, u32 c) { return sum32<saturating>(bytes_apart<true>(a, b), c); }

/// Four sums: the four bytes that start at each of the first four bytes of `a`.
template <bool masked, bool saturating> u64 quad_sad(u64 a, u32 b, u64 c) {
    u64 result = 0;
    for (int i = 0; i < 4; ++i) {
        const u32 sum = bytes_apart<masked>(u32(a >> 8 * i), b) + u32(c >> 16 * i & 0xffff);
        result |= u64(saturating ? saturated<u16>(sum) : u16(sum)) << 16 * i;
    }
    return result;
}

// The same with sums of 32 bits, which take four registers.
void run_mqsad_u32(Wave& wave, const Instr& instr) {
    Source window, reference;
    fetch(wave, instr, 0, Type::u64, window);
    fetch(wave, instr, 1, Type::u32, reference);
    if (!instr.src[2].is_vector())
        throw Fault(FaultKind::unsupported, "has a third operand that is no vector register");
    for_lanes(wave.exec(), [&](int lane) {
        u32 sums[4];
        for (int i = 0; i < 4; ++i) {
            const u64 apart = bytes_apart<true>(u32(take<u64>(window, lane) >> 8 * i), take<u32>(reference, lane));
            const u32 start = wave.v[instr.src[2].index + i][lane];
            sums[i] = instr.mod.clamp ? sum32<true>(apart, start) : sum32<false>(apart, start);
        }
        for (int i = 0; i < 4; ++i) wave.v[instr.dst[0].index + i][lane] = sums[i];
    });
}

Definition mqsad_u32() {
    Definition d;
    d.name = "v_mqsad_u32_u8", d.run = &run_mqsad_u32, d.dsts = 1;
    d.dst[0] = Type::wide, d.src[0] = Type::u64, d.src[1] = Type::u32, d.src[2] = Type::wide;
    return d;
}

u32 lerp(u32 a, u32 b, u32 round) {
    u32 result = 0;
    for (int i = 0; i < 32; i += 8) result |= ((a >> i & 0xff) + (b >> i & 0xff) + (round >> i & 1)) >> 1 << i;
    return result;
}

}  // namespace

Table vector_sad_table() {
    return {
        clamped<sad_u8<false>, sad_u8<true>>("v_sad_u8"),
        clamped<sad_hi_u8<false>, sad_hi_u8<true>>("v_sad_hi_u8"),
        clamped<sad_u16<false>, sad_u16<true>>("v_sad_u16"),
        clamped<sad_u32<false>, sad_u32<true>>("v_sad_u32"),
        clamped<msad_u8<false>, msad_u8<true>>("v_msad_u8"),
        clamped<quad_sad<false, false>, quad_sad<false, true>>("v_qsad_pk_u16_u8"),
        clamped<quad_sad<true, false>, quad_sad<true, true>>("v_mqsad_pk_u16_u8"),
        mqsad_u32(),
        lanes<lerp>("v_lerp_u8"),
    };
}

}  // namespace gfxsim

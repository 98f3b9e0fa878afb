// SPDX-License-Identifier: MIT
// Arithmetic of f32.
#include "gfxsim/ops/float_parts.hpp"
#include "gfxsim/ops/vector_parts.hpp"

namespace gfxsim {
namespace {

using namespace fp;

f32 without_denormal(f32 a) { return is_denormal(a) ? zero<f32>(is_negative(a)) : a; }

// v_mad_f32 has no denormals in any mode.
f32 flushing_mad(const Lane& lane, f32 a, f32 b, f32 c) {
    const f32 product = without_denormal(mul(lane, without_denormal(a), without_denormal(b)));
    return without_denormal(add(lane, product, without_denormal(c)));
}

// By the rules of DirectX 9 zero times anything is zero.
f32 mul_zero(const Lane& lane, f32 a, f32 b) { return is_zero(a) || is_zero(b) ? 0 : mul(lane, a, b); }
f32 fma_zero(const Lane& lane, f32 a, f32 b, f32 c) {
    return is_zero(a) || is_zero(b) ? quieted(c) : fma(lane, a, b, c);
}
f32 mad_zero(const Lane& lane, f32 a, f32 b, f32 c) {
    return is_zero(without_denormal(a)) || is_zero(without_denormal(b)) ? flushing_mad(lane, 0, 0, c)
                                                                        : flushing_mad(lane, a, b, c);
}

i32 exponent(f32 a) { return frexp_exponent(a); }

// Which face of a cube a direction meets, and where.
enum class Axis { x, y, z };
Axis major_axis(f32 x, f32 y, f32 z) {
    if (std::fabs(z) >= std::fabs(x) && std::fabs(z) >= std::fabs(y)) return Axis::z;
    return std::fabs(y) >= std::fabs(x) ? Axis::y : Axis::x;
}
f32 cube_face(f32 x, f32 y, f32 z) {
    switch (major_axis(x, y, z)) {
        case Axis::x: return x < 0 ? 1 : 0;
        case Axis::y: return y < 0 ? 3 : 2;
        case Axis::z: break;
    }
    return z < 0 ? 5 : 4;
}
f32 cube_s(f32 x, f32 y, f32 z) {
    switch (major_axis(x, y, z)) {
        case Axis::x: return x < 0 ? z : -z;
        case Axis::y: return x;
        case Axis::z: break;
    }
    return z < 0 ? -x : x;
}
f32 cube_t(f32 x, f32 y, f32 z) {
    if (major_axis(x, y, z) == Axis::y) return y < 0 ? -z : z;
    return -y;
}
f32 cube_major(f32 x, f32 y, f32 z) {
    switch (major_axis(x, y, z)) {
        case Axis::x: return 2 * x;
        case Axis::y: return 2 * y;
        case Axis::z: break;
    }
    return 2 * z;
}

// Lighting: x times y, unless the light is behind or the exponent out of range.
f32 mullit(const Lane& lane, f32 a, f32 b, f32 c) {
    constexpr f32 kLowest = -3.4028234663852886e38f;
    const bool none = b == kLowest || b == -INFINITY || is_nan(b) || c <= 0 || is_nan(c);
    return none ? kLowest : mul(lane, a, b);
}

Table own_table() {
    return {
        lanes<add<f32>>("v_add_f32"),
        lanes<sub<f32>>("v_sub_f32"),
        lanes<subrev<f32>>("v_subrev_f32"),
        lanes<mul<f32>>("v_mul_f32"),
        lanes<mul_zero>("v_mul_legacy_f32", {}, kGfx9),
        lanes<mul_zero>("v_mul_dx9_zero_f32", {}, kGfx11And12),
        lanes<fma<f32>>("v_fma_f32"),
        lanes<fma<f32>>("v_fmac_f32", accumulating()),
        lanes<fma<f32>>("v_fmamk_f32"),
        lanes<fma<f32>>("v_fmaak_f32"),
        lanes<fma_zero>("v_fma_dx9_zero_f32", {}, kGfx11And12),
        lanes<fma_zero>("v_fmac_dx9_zero_f32", accumulating(), kGfx11),
        lanes<flushing_mad>("v_mad_f32", {}, kGfx9),
        lanes<flushing_mad>("v_mac_f32", accumulating(), kGfx9),
        lanes<flushing_mad>("v_madmk_f32", {}, kGfx9),
        lanes<flushing_mad>("v_madak_f32", {}, kGfx9),
        lanes<mad_zero>("v_mad_legacy_f32", {}, kGfx9),
        lanes<mullit>("v_mullit_f32", {}, kGfx11And12),

        lanes<min<f32>>("v_min_f32", {}, kGfx9And11),
        lanes<max<f32>>("v_max_f32", {}, kGfx9And11),
        lanes<chained<f32, min, min>>("v_min3_f32", {}, kGfx9And11),
        lanes<chained<f32, max, max>>("v_max3_f32", {}, kGfx9And11),
        lanes<median<f32, min, max>>("v_med3_f32", {}, kGfx9And11),
        lanes<chained<f32, min, max>>("v_minmax_f32", {}, kGfx11),
        lanes<chained<f32, max, min>>("v_maxmin_f32", {}, kGfx11),
        lanes<min_num<f32>>("v_min_num_f32", {}, kGfx12),
        lanes<max_num<f32>>("v_max_num_f32", {}, kGfx12),
        lanes<chained<f32, min_num, min_num>>("v_min3_num_f32", {}, kGfx12),
        lanes<chained<f32, max_num, max_num>>("v_max3_num_f32", {}, kGfx12),
        lanes<median<f32, min_num, max_num>>("v_med3_num_f32", {}, kGfx12),
        lanes<chained<f32, min_num, max_num>>("v_minmax_num_f32", {}, kGfx12),
        lanes<chained<f32, max_num, min_num>>("v_maxmin_num_f32", {}, kGfx12),
        lanes<minimum<f32>>("v_minimum_f32", {}, kGfx12),
        lanes<maximum<f32>>("v_maximum_f32", {}, kGfx12),
        lanes<chained<f32, minimum, minimum>>("v_minimum3_f32", {}, kGfx9 | kGfx12),
        lanes<chained<f32, maximum, maximum>>("v_maximum3_f32", {}, kGfx9 | kGfx12),
        lanes<chained<f32, minimum, maximum>>("v_minimummaximum_f32", {}, kGfx12),
        lanes<chained<f32, maximum, minimum>>("v_maximumminimum_f32", {}, kGfx12),

        lanes<floor<f32>>("v_floor_f32"),
        lanes<ceil<f32>>("v_ceil_f32"),
        lanes<trunc<f32>>("v_trunc_f32"),
        lanes<rndne<f32>>("v_rndne_f32"),
        lanes<fract<f32>>("v_fract_f32"),
        lanes<static_cast<f32 (*)(const Lane&, f32, i32)>(ldexp)>("v_ldexp_f32"),
        lanes<frexp_mantissa<f32>>("v_frexp_mant_f32"),
        lanes<exponent>("v_frexp_exp_i32_f32"),

        lanes<cube_face>("v_cubeid_f32"),
        lanes<cube_s>("v_cubesc_f32"),
        lanes<cube_t>("v_cubetc_f32"),
        lanes<cube_major>("v_cubema_f32"),
    };
}

}  // namespace

Table vector_float_table() {
    Table table = own_table();
    for (auto part :
         {vector_half_table, vector_double_table, vector_special_table, vector_division_table, vector_dot_table})
        fp::append(table, part());
    return table;
}

}  // namespace gfxsim

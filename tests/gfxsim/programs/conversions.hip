// SPDX-License-Identifier: MIT
// From every number type to every other.
#include <hip/hip_runtime.h>

namespace {

constexpr int kThreads = 128;

// The upper half of a float, as the host of some machines has no such type.
struct Bfloat16 {
    unsigned short bits;
};

template <class To, class From>
__device__ To convert(From value) {
    if constexpr (std::is_same_v<From, Bfloat16>) {
        return convert<To>(static_cast<float>(__builtin_bit_cast(__bf16, value)));
    } else if constexpr (std::is_same_v<To, Bfloat16>) {
        if constexpr (std::is_same_v<From, _Float16>) return convert<To>(static_cast<float>(value));
        else return __builtin_bit_cast(Bfloat16, static_cast<__bf16>(value));
    } else {
        return static_cast<To>(value);
    }
}

struct Outputs {
    signed char* i8;
    unsigned char* u8;
    short* i16;
    unsigned short* u16;
    int* i32;
    unsigned* u32;
    long long* i64;
    unsigned long long* u64;
    _Float16* f16;
    Bfloat16* bf16;
    float* f32;
    double* f64;
};

template <class From>
__global__ void convert_all(const From* in, Outputs out, int n) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    const From value = in[i];
    out.i8[i]   = convert<signed char>(value);
    out.u8[i]   = convert<unsigned char>(value);
    out.i16[i]  = convert<short>(value);
    out.u16[i]  = convert<unsigned short>(value);
    out.i32[i]  = convert<int>(value);
    out.u32[i]  = convert<unsigned>(value);
    out.i64[i]  = convert<long long>(value);
    out.u64[i]  = convert<unsigned long long>(value);
    out.f16[i]  = convert<_Float16>(value);
    out.bf16[i] = convert<Bfloat16>(value);
    out.f32[i]  = convert<float>(value);
    out.f64[i]  = convert<double>(value);
}

// Eight-bit floats, four at a time: numbers into codes, and the 256 codes into numbers. Not every GPU has the instructions.
__global__ void float8([[maybe_unused]] const float* in, [[maybe_unused]] int* fp8, [[maybe_unused]] int* bf8, [[maybe_unused]] int n,
                       [[maybe_unused]] const int* codes, [[maybe_unused]] float* from_fp8, [[maybe_unused]] float* from_bf8,
                       [[maybe_unused]] float* from_pairs) {
#if defined(__gfx942__) || defined(__gfx950__) || defined(__gfx1200__) || defined(__gfx1201__)
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (4 * i < n) {
        const float* four = in + 4 * i;
        const int fp8_low = __builtin_amdgcn_cvt_pk_fp8_f32(four[0], four[1], 0, false);
        const int bf8_low = __builtin_amdgcn_cvt_pk_bf8_f32(four[0], four[1], 0, false);
        fp8[i]            = __builtin_amdgcn_cvt_pk_fp8_f32(four[2], four[3], fp8_low, true);
        bf8[i]            = __builtin_amdgcn_cvt_pk_bf8_f32(four[2], four[3], bf8_low, true);
    }
    if (i < 256 / 4) {
        const int four = codes[i];
        const float numbers[4] = {__builtin_amdgcn_cvt_f32_fp8(four, 0), __builtin_amdgcn_cvt_f32_fp8(four, 1),
                                  __builtin_amdgcn_cvt_f32_fp8(four, 2), __builtin_amdgcn_cvt_f32_fp8(four, 3)};
        const float wide[4]    = {__builtin_amdgcn_cvt_f32_bf8(four, 0), __builtin_amdgcn_cvt_f32_bf8(four, 1),
                                  __builtin_amdgcn_cvt_f32_bf8(four, 2), __builtin_amdgcn_cvt_f32_bf8(four, 3)};
        const auto low = __builtin_amdgcn_cvt_pk_f32_fp8(four, false), high = __builtin_amdgcn_cvt_pk_f32_fp8(four, true);
        const float pairs[4] = {low[0], low[1], high[0], high[1]};
        for (int j = 0; j < 4; ++j) from_fp8[4 * i + j] = numbers[j], from_bf8[4 * i + j] = wide[j], from_pairs[4 * i + j] = pairs[j];
    }
#endif
}

// Packed halves: conversions that round towards zero, and arithmetic on two at once.
__global__ void halves(const float* a, const float* b, _Float16* out, int n) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    using Half2 = _Float16 __attribute__((ext_vector_type(2)));
    const auto zero  = __builtin_amdgcn_cvt_pkrtz(a[i], b[i]);
    const Half2 near = {static_cast<_Float16>(a[i]), static_cast<_Float16>(b[i])}, swapped = {near.y, near.x};
    const Half2 sum = near + swapped, product = near * swapped, fused = __builtin_elementwise_fma(near, swapped, sum);
    const _Float16 results[] = {static_cast<_Float16>(zero[0]), static_cast<_Float16>(zero[1]), sum.x, product.y, fused.x, fused.y};
    for (int k = 0; k < 6; ++k) out[k * n + i] = results[k];
}

template <class From>
hipError_t launch(const void* in, const Outputs* out, int n) {
    convert_all<<<(n + kThreads - 1) / kThreads, kThreads>>>(static_cast<const From*>(in), *out, n);
    return hipGetLastError();
}

}  // namespace

extern "C" {

hipError_t from_int8(const void* in, const Outputs* out, int n) { return launch<signed char>(in, out, n); }
hipError_t from_uint8(const void* in, const Outputs* out, int n) { return launch<unsigned char>(in, out, n); }
hipError_t from_int16(const void* in, const Outputs* out, int n) { return launch<short>(in, out, n); }
hipError_t from_uint16(const void* in, const Outputs* out, int n) { return launch<unsigned short>(in, out, n); }
hipError_t from_int32(const void* in, const Outputs* out, int n) { return launch<int>(in, out, n); }
hipError_t from_uint32(const void* in, const Outputs* out, int n) { return launch<unsigned>(in, out, n); }
hipError_t from_int64(const void* in, const Outputs* out, int n) { return launch<long long>(in, out, n); }
hipError_t from_uint64(const void* in, const Outputs* out, int n) { return launch<unsigned long long>(in, out, n); }
hipError_t from_float16(const void* in, const Outputs* out, int n) { return launch<_Float16>(in, out, n); }
hipError_t from_bfloat16(const void* in, const Outputs* out, int n) { return launch<Bfloat16>(in, out, n); }
hipError_t from_float32(const void* in, const Outputs* out, int n) { return launch<float>(in, out, n); }
hipError_t from_float64(const void* in, const Outputs* out, int n) { return launch<double>(in, out, n); }

hipError_t run_float8(const float* in, int* fp8, int* bf8, int n, const int* codes, float* from_fp8, float* from_bf8, float* from_pairs) {
    float8<<<(n / 4 + kThreads - 1) / kThreads, kThreads>>>(in, fp8, bf8, n, codes, from_fp8, from_bf8, from_pairs);
    return hipGetLastError();
}

hipError_t run_halves(const float* a, const float* b, _Float16* out, int n) {
    halves<<<(n + kThreads - 1) / kThreads, kThreads>>>(a, b, out, n);
    return hipGetLastError();
}
}

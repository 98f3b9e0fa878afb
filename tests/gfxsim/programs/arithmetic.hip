// SPDX-License-Identifier: MIT
// Arithmetic, each result a row of the output.
#include <hip/hip_runtime.h>

namespace {

constexpr int kThreads = 128;

template <class T>
__global__ void integers(const T* a, const T* b, T* out, int n) {
    using U     = std::make_unsigned_t<T>;
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    const T x = a[i], y = b[i];
    const int shift = static_cast<int>(static_cast<U>(y) % (8 * sizeof(T)));
    // The quotient of the smallest number and -1 does not fit.
    const bool whole = y != 0 && !(static_cast<U>(y) == static_cast<U>(-1) && std::is_signed_v<T>);
    const T results[] = {
        static_cast<T>(static_cast<U>(x) + static_cast<U>(y)),
        static_cast<T>(static_cast<U>(x) - static_cast<U>(y)),
        static_cast<T>(1ull * static_cast<U>(x) * static_cast<U>(y)),
        static_cast<T>(whole ? x / y : 0),
        static_cast<T>(whole ? x % y : 0),
        static_cast<T>(static_cast<U>(x) << shift),
        static_cast<T>(x >> shift),
        static_cast<T>(static_cast<U>(x) >> shift),
        static_cast<T>(x & y),
        static_cast<T>(x | y),
        static_cast<T>(x ^ y),
        static_cast<T>(~x),
        x < y ? x : y,
        x > y ? x : y,
        static_cast<T>((x < y) + 2 * (x <= y) + 4 * (x == y)),
        static_cast<T>(static_cast<U>(x) / 7),
        static_cast<T>(x % 10),
    };
    for (unsigned k = 0; k < sizeof(results) / sizeof(T); ++k) out[k * n + i] = results[k];
}

__global__ void wide_products(const long long* a, const long long* b, long long* out, int n) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    const unsigned long long ua = a[i], ub = b[i];
    const long long results[] = {
        __mul64hi(a[i], b[i]),
        static_cast<long long>(__umul64hi(ua, ub)),
        __mulhi(static_cast<int>(a[i]), static_cast<int>(b[i])),
        __umulhi(static_cast<unsigned>(a[i]), static_cast<unsigned>(b[i])),
        __mul24(static_cast<int>(a[i]), static_cast<int>(b[i])),
        static_cast<long long>((static_cast<unsigned __int128>(ua) * ub + ub) >> 64),
    };
    for (unsigned k = 0; k < sizeof(results) / sizeof(results[0]); ++k) out[k * n + i] = results[k];
}

__global__ void bits(const unsigned long long* in, const unsigned* by, unsigned long long* out, int n) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    const unsigned long long x = in[i];
    const unsigned low = static_cast<unsigned>(x), high = static_cast<unsigned>(x >> 32), shift = by[i] & 31, width = (by[i] >> 5 & 15) + 1;
    const unsigned long long results[] = {
        static_cast<unsigned long long>(__popc(low)),
        static_cast<unsigned long long>(__popcll(x)),
        static_cast<unsigned long long>(__clz(static_cast<int>(low))),
        static_cast<unsigned long long>(__clzll(static_cast<long long>(x))),
        static_cast<unsigned long long>(__ffs(static_cast<int>(low))),
        static_cast<unsigned long long>(__ffsll(x)),
        __brev(low),
        __brevll(x),
        __funnelshift_l(low, high, shift),
        __funnelshift_r(low, high, shift),
        __byte_perm(low, high, 0x2615),
        __bitextract_u32(low, shift, width),
        __bitinsert_u32(low, high, shift, width),
        low >> shift & ((1u << width) - 1),
        __builtin_bswap32(low),
        __builtin_bswap64(x),
        x & -x,
        x & (x - 1),
        __usad(low, high, 5u),
        __hadd(static_cast<int>(low >> 1), static_cast<int>(high >> 1)) & 0xffffffffull,
        static_cast<unsigned long long>(__builtin_parityll(x)),
    };
    for (unsigned k = 0; k < sizeof(results) / sizeof(results[0]); ++k) out[k * n + i] = results[k];
}

template <class T>
__global__ void reals(const T* a, const T* b, const T* c, T* out, int n) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    const T x = a[i], y = b[i], z = c[i];
    const T results[] = {
        x + y,
        x - y,
        x * y,
        x / y,
        __builtin_elementwise_fma(x, y, z),
        __builtin_elementwise_sqrt(__builtin_elementwise_abs(x)),
        __builtin_elementwise_floor(x),
        __builtin_elementwise_ceil(x),
        __builtin_elementwise_trunc(x),
        __builtin_elementwise_roundeven(x),
        __builtin_elementwise_abs(x),
        -x,
        __builtin_elementwise_copysign(x, y),
        x < y ? x : y,
        x > y ? x : y,
        static_cast<T>((x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x != x) + 16 * (x != y)),
    };
    for (unsigned k = 0; k < sizeof(results) / sizeof(T); ++k) out[k * n + i] = results[k];
}

__global__ void float_functions(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    const float x = a[i], y = b[i], size = fabsf(x);
    const float results[] = {
        expf(x),      exp2f(x),      expm1f(x),    logf(size),   log2f(size),  log10f(size), log1pf(size),          sinf(x),
        cosf(x),      tanf(x),       tanhf(x),     powf(size, y), cbrtf(x),    erff(x),      atan2f(x, y),          rsqrtf(size),
        sinhf(x),     asinf(x / (size + 1)),       hypotf(x, y), fmodf(x, y),  ldexpf(x, static_cast<int>(y)),      __expf(x),
        __logf(size), fdividef(x, y),
    };
    for (unsigned k = 0; k < sizeof(results) / sizeof(float); ++k) out[k * n + i] = results[k];
}

__global__ void double_functions(const double* a, const double* b, double* out, int n) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    const double x = a[i], y = b[i], size = fabs(x);
    const double results[] = {
        exp(x), exp2(x), expm1(x), log(size), log2(size),   log10(size), log1p(size), sin(x),
        cos(x), tan(x),  tanh(x),  pow(size, y), cbrt(x),   erf(x),      atan2(x, y), rsqrt(size),
    };
    for (unsigned k = 0; k < sizeof(results) / sizeof(double); ++k) out[k * n + i] = results[k];
}

template <class T>
hipError_t launch_integers(const void* a, const void* b, void* out, int n) {
    integers<<<(n + kThreads - 1) / kThreads, kThreads>>>(static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(out), n);
    return hipGetLastError();
}

template <class T>
hipError_t launch_reals(const void* a, const void* b, const void* c, void* out, int n) {
    reals<<<(n + kThreads - 1) / kThreads, kThreads>>>(static_cast<const T*>(a), static_cast<const T*>(b), static_cast<const T*>(c),
                                                       static_cast<T*>(out), n);
    return hipGetLastError();
}

}  // namespace

extern "C" {

hipError_t run_int8(const void* a, const void* b, void* out, int n) { return launch_integers<signed char>(a, b, out, n); }
hipError_t run_uint8(const void* a, const void* b, void* out, int n) { return launch_integers<unsigned char>(a, b, out, n); }
hipError_t run_int16(const void* a, const void* b, void* out, int n) { return launch_integers<short>(a, b, out, n); }
hipError_t run_uint16(const void* a, const void* b, void* out, int n) { return launch_integers<unsigned short>(a, b, out, n); }
hipError_t run_int32(const void* a, const void* b, void* out, int n) { return launch_integers<int>(a, b, out, n); }
hipError_t run_uint32(const void* a, const void* b, void* out, int n) { return launch_integers<unsigned>(a, b, out, n); }
hipError_t run_int64(const void* a, const void* b, void* out, int n) { return launch_integers<long long>(a, b, out, n); }
hipError_t run_uint64(const void* a, const void* b, void* out, int n) { return launch_integers<unsigned long long>(a, b, out, n); }

hipError_t run_float16(const void* a, const void* b, const void* c, void* out, int n) { return launch_reals<_Float16>(a, b, c, out, n); }
hipError_t run_float32(const void* a, const void* b, const void* c, void* out, int n) { return launch_reals<float>(a, b, c, out, n); }
hipError_t run_float64(const void* a, const void* b, const void* c, void* out, int n) { return launch_reals<double>(a, b, c, out, n); }

hipError_t run_wide_products(const long long* a, const long long* b, long long* out, int n) {
    wide_products<<<(n + kThreads - 1) / kThreads, kThreads>>>(a, b, out, n);
    return hipGetLastError();
}

hipError_t run_bits(const unsigned long long* in, const unsigned* by, unsigned long long* out, int n) {
    bits<<<(n + kThreads - 1) / kThreads, kThreads>>>(in, by, out, n);
    return hipGetLastError();
}

hipError_t run_float_functions(const float* a, const float* b, float* out, int n) {
    float_functions<<<(n + kThreads - 1) / kThreads, kThreads>>>(a, b, out, n);
    return hipGetLastError();
}

hipError_t run_double_functions(const double* a, const double* b, double* out, int n) {
    double_functions<<<(n + kThreads - 1) / kThreads, kThreads>>>(a, b, out, n);
    return hipGetLastError();
}
}

// SPDX-License-Identifier: MIT
// Kernels for the fuzzer to damage: memory of every kind, control flow, and arithmetic of every kind. Needs no header.

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

namespace {

__device__ int item() { return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x(); }

__device__ int table[64] = {3, 1, 4, 1, 5, 9, 2, 6};

__device__ __attribute__((noinline)) int depth(int* out, int n) { return n <= 0 ? *out : depth(out, n - 1) + n; }

}  // namespace

extern "C" {

__global__ void copy(int* out, const int* in, int n, int) {
    if (item() < n) out[item()] = in[item()];
}

__global__ void shared_sum(int* out, const int* in, int n, int) {
    __shared__ int parts[256];
    const int own = __builtin_amdgcn_workitem_id_x();
    parts[own & 255] = item() < n ? in[item()] : 0;
    __builtin_amdgcn_s_barrier();
    for (int step = 128; step; step /= 2) {
        if (own < step) parts[own] += parts[own + step];
        __builtin_amdgcn_s_barrier();
    }
    if (own == 0) out[__builtin_amdgcn_workgroup_id_x()] = parts[0];
}

__global__ void add_atomically(int* out, const int* in, int n, int step) {
    for (int i = item(); i < n; i += step) __atomic_fetch_add(out + (i & 7), in[i], __ATOMIC_RELAXED);
}

__global__ void floats(float* out, const float* in, int n, int) {
    if (item() >= n) return;
    const float x = in[item()];
    out[item()]   = __builtin_sqrtf(x * x + 1.0f) / (x + 3.0f) + __builtin_fmaf(x, x, 0.5f);
}

__global__ void wide(double* out, const double* in, int n, int power) {
    double sum = 1;
    for (int i = 0; i < power; ++i) sum = sum * in[item() % (n | 1)] + i;
    out[item()] = sum;
}

__global__ void private_memory(int* out, const int* in, int n, int at) {
    volatile int own[32];
    for (int i = 0; i < 32; ++i) own[i] = in[i] + table[i];
    if (item() < n) out[item()] = own[at & 31] + table[at & 63];
}

__global__ void calls(int* out, const int*, int n, int) { out[item() & 15] = depth(out, n & 7); }

__global__ void branches(int* out, const int* in, int n, int seed) {
    unsigned x = unsigned(seed) + unsigned(item());
    for (int i = 0; i < n; ++i) {
        x = x * 1664525u + 1013904223u;
        switch (x >> 29) {
            case 0: x ^= unsigned(in[x & 15]); break;
            case 1: x = __builtin_popcount(x); break;
            case 2: x = unsigned(__builtin_amdgcn_readfirstlane(int(x))); break;
            case 3: continue;
            default: x += 1;
        }
    }
    out[item() & 63] = int(x);
}
}

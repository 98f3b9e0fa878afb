// SPDX-License-Identifier: MIT
// Kernels whose counts can be told by hand. Needs no header.

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

namespace {

constexpr int kThreads   = 128;
constexpr int kMaxStride = 64;

__device__ int item() { return __builtin_amdgcn_workitem_id_x(); }
__device__ int place() { return __builtin_amdgcn_workgroup_id_x() * kThreads + item(); }

__device__ void barrier() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

}  // namespace

extern "C" {

__global__ void copy(const int* in, int* out, int stride, int n) {
    if (place() < n) out[place()] = in[stride * place()];
}

__global__ void copy_wide(const __int128* in, __int128* out, int, int) { out[place()] = in[place()]; }

__global__ void add(const int* in, int* out, int, int) {
    __hip_atomic_fetch_add(&out[place()], in[place()], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// Writes LDS with one stride and reads it with another, of words.
__global__ void exchange(const int* in, int* out, int written, int read) {
    __shared__ int shared[kThreads * kMaxStride];
    shared[written * item()] = in[place()];
    barrier();
    out[place()] = shared[read * item()];
}

__global__ void exchange_wide(const long* in, long* out, int, int) {
    __shared__ long shared[kThreads];
    shared[item()] = in[place()];
    barrier();
    out[place()] = shared[item() ^ 1];
}

__global__ void meet(const int* in, int* out, int times, int) {
    for (int i = 0; i < times; ++i) barrier();
    out[place()] = in[place()];
}

// Uses 128 vector registers.
__global__ void hold_registers(const int* in, int* out, int, int) {
    out[place()] = in[place()];
    asm volatile("" : : : "v127");
}
}

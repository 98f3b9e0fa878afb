// SPDX-License-Identifier: MIT
// Ordinary C++ that goes wrong with the pointers and numbers that a test gives it. Needs no header.

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

namespace {

struct alignas(16) Wide {
    int at[4];
};

__device__ int lane() { return __builtin_amdgcn_workitem_id_x(); }
__device__ int group() { return __builtin_amdgcn_workgroup_id_x(); }

}  // namespace

extern "C" {

__global__ void read_before(int* out, const int* a, int) {
    const int* b = a - 4;
    out[lane()]  = b[lane()];
}

__global__ void read_wide_before(int* out, const Wide* a, int) {
    const Wide* b = a - 1;
    out[lane()]   = b[lane()].at[3];
}

__global__ void read_by_a_scalar(int* out, const int* a, int at) { out[lane()] = a[at] + a[at - 2]; }

// What was read before makes the memory around `out` known, to which it may write.
__global__ void write_before(int* out, int* a, int value) {
    int* b    = a - 4;
    b[lane()] = out[lane()] + value;
}

__global__ void add_before(int* out, int* a, int value) {
    int* b = a - 4;
    __atomic_fetch_add(b + lane(), out[lane()] + value, __ATOMIC_RELAXED);
}

__global__ void read_through_any(int* out, const int* a, int) {
    __attribute__((address_space(3))) static int shared[64];
    shared[lane()] = lane();
    // The compiler cannot tell which memory it is, so the address is a flat one.
    const int* b = out[0] ? (const int*)shared : a;
    out[lane()]  = (b - 4)[lane() + 4 * (out[0] != 0)];
}

// One element of a lane's own memory, wherever that is.
__global__ void read_private(int* out, const int*, int at) {
    volatile int own[16];
    for (int i = 0; i < 16; ++i) own[i] = i;
    out[lane()] = own[at + lane() * 0];
}

__global__ void copy(int* out, const int* a, int n) {
    const int item = group() * 64 + lane();
    if (item < n) out[item] = a[item];
}

__global__ void put(int* out, const int*, int at) { out[at] = at; }

// The first workgroup waits until the last one is done.
__global__ void first_waits_for_last(int* out, const int*, int groups) {
    if (group() == 0) {
        while (__atomic_load_n(out, __ATOMIC_ACQUIRE) != groups) __builtin_amdgcn_s_sleep(1);
    } else if (group() == groups - 1) {
        __atomic_store_n(out, groups, __ATOMIC_RELEASE);
    }
}
}

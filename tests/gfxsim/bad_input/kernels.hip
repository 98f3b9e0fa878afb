// SPDX-License-Identifier: MIT
// A kernel that works, and kernels that cannot. Needs no header.

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

namespace {

__device__ int item() { return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x(); }

__device__ __attribute__((noinline)) int fall(int* out, int depth) {
    volatile int frame[64];
    frame[depth & 63] = depth;
    return depth < 0 ? 0 : fall(out, depth + 1) + frame[depth & 63];
}

}  // namespace

extern "C" {

__global__ void fill(int* out, int value, int n) {
    if (item() < n) out[item()] = value;
}

__global__ void __attribute__((amdgpu_flat_work_group_size(1, 64))) fill_by_64(int* out, int value, int n) {
    if (item() < n) out[item()] = value;
}

__global__ void endless(int* out, int value, int) {
    volatile int* place = out;
    while (*place != value) *place = value + 1;
}

__global__ void unknown_instruction(int*, int, int) { asm volatile(".long 0xfedcba98"); }

__global__ void trap(int*, int, int) { __builtin_trap(); }

// Every workgroup fails, the first one long after the others.
__global__ void trap_last_in_the_first_group(int* out, int value, int n) {
    volatile int* place = out;
    for (int i = 0; __builtin_amdgcn_workgroup_id_x() == 0 && i < 100 * n; ++i) *place = value;
    __builtin_trap();
}

__global__ void jump_away(int*, int, int) { asm volatile("s_mov_b64 s[0:1], 0x1234\ns_setpc_b64 s[0:1]" : : : "s0", "s1"); }

__global__ void fall_for_ever(int* out, int, int) { out[0] = fall(out, 0); }
}

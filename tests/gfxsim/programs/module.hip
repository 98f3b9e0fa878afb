// SPDX-License-Identifier: MIT
// A kernel and a variable that are found by their names. Needs no header.

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

extern "C" {

__device__ int module_variable[4] = {3, 1, 4, 1};

__global__ void module_kernel(int* out, int first, double step, unsigned char flag, int n) {
    const int i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();
    if (i < n) out[i] = flag ? first + static_cast<int>(step * i) : -1;
}
}

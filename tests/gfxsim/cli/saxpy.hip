// SPDX-License-Identifier: MIT
// saxpy [race|exit CODE]: computes a * x + y, checks it and says so.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kCount = 1000, kThreads = 128;

__global__ void saxpy(float a, const float* x, const float* y, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a * x[i] + y[i];
}

// Other waves may not have written yet what this one reads.
__global__ void race(const float* in, float* out) {
    __shared__ float shared[kThreads];
    shared[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x]    = shared[kThreads - 1 - threadIdx.x];
}

void check(hipError_t error) {
    if (error == hipSuccess) return;
    std::printf("%s\n", hipGetErrorName(error));
    std::exit(4);
}

}  // namespace

int main(int count, char** values) {
    static float x[kCount], y[kCount], out[kCount];
    for (int i = 0; i < kCount; ++i) x[i] = static_cast<float>(i), y[i] = 0.5f;
    float *on_x, *on_y, *on_out;
    check(hipMalloc(&on_x, sizeof(x)));
    check(hipMalloc(&on_y, sizeof(y)));
    check(hipMalloc(&on_out, sizeof(out)));
    check(hipMemcpy(on_x, x, sizeof(x), hipMemcpyHostToDevice));
    check(hipMemcpy(on_y, y, sizeof(y), hipMemcpyHostToDevice));
    saxpy<<<(kCount + kThreads - 1) / kThreads, kThreads>>>(2.0f, on_x, on_y, on_out, kCount);
    check(hipGetLastError());
    check(hipMemcpy(out, on_out, sizeof(out), hipMemcpyDeviceToHost));
    for (int i = 0; i < kCount; ++i) {
        if (out[i] != 2.0f * x[i] + y[i]) return 1;
    }
    if (count > 1 && !std::strcmp(values[1], "race")) {
        race<<<1, kThreads>>>(on_x, on_out);
        check(hipDeviceSynchronize());
    }
    hipDeviceProp_t properties;
    check(hipGetDeviceProperties(&properties, 0));
    std::printf("%d results are right on %s\n", kCount, properties.gcnArchName);
    return count > 2 && !std::strcmp(values[1], "exit") ? std::atoi(values[2]) : 0;
}

// SPDX-License-Identifier: MIT
// Atomics, variables of the device, copies, streams.
#include <hip/hip_runtime.h>

namespace {

constexpr int kThreads = 192;

// One cell per operation; what they end up with does not depend on the order.
template <class T>
__global__ void integer_atomics(const T* in, T* cells, T* firsts, int n) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    const T value = in[i];
    const T old   = atomicAdd(&cells[0], value);
    atomicSub(&cells[1], value);
    atomicMin(&cells[2], value);
    atomicMax(&cells[3], value);
    atomicAnd(&cells[4], value | 1);
    atomicOr(&cells[5], value);
    atomicXor(&cells[6], value);
    atomicExch(&cells[7], T(77));
    // Exactly one work item finds the sum empty, if all values are positive.
    if (old == 0) atomicAdd(firsts, T(1));
    // A product, by a loop that tries until nobody came between.
    T seen = cells[8];
    for (;;) {
        const T found = atomicCAS(&cells[8], seen, seen * (value | 1));
        if (found == seen) break;
        seen = found;
    }
}

__global__ void wrapping_atomics(unsigned* up, unsigned* down, int n) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    atomicInc(up, 99);
    atomicDec(down, 49);
}

// Sums of whole numbers, which are exact in any order.
template <class T>
__global__ void float_atomics(const T* in, T* cells, int n) {
    __shared__ T local[2];
    if (threadIdx.x < 2) local[threadIdx.x] = in[0];
    __syncthreads();
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) {
        atomicAdd(&cells[0], in[i]);
        unsafeAtomicAdd(&cells[1], in[i]);
        atomicMax(&cells[2], in[i]);
        atomicMin(&cells[3], in[i]);
        atomicMax(&local[0], in[i]);
        atomicMin(&local[1], in[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicMax(&cells[4], local[0]), atomicMin(&cells[5], local[1]);
}

constexpr int kBins = 64;

template <class T>
__global__ void histogram(const unsigned char* in, T* bins, int n) {
    __shared__ T local[kBins];
    for (int bin = threadIdx.x; bin < kBins; bin += kThreads) local[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) atomicAdd(&local[in[i] % kBins], T(1));
    __syncthreads();
    for (int bin = threadIdx.x; bin < kBins; bin += kThreads) {
        if (local[bin] != 0) atomicAdd(&bins[bin], local[bin]);
    }
}

// The last workgroup to arrive adds up what the others left.
__global__ void sum_of_last(const int* in, int* sums, int* arrived, int* out, int n) {
    __shared__ int local, is_last;
    if (threadIdx.x == 0) local = 0;
    __syncthreads();
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) atomicAdd(&local, in[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = local;
        __threadfence();
        is_last = atomicAdd(arrived, 1) == static_cast<int>(gridDim.x) - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        __threadfence();
        int total = 0;
        for (unsigned group = 0; group < gridDim.x; ++group) total += sums[group];
        *out = total;
    }
}

__constant__ int coefficients[8];
__device__ int counter                 = 40;
__device__ float table[4]              = {0.5f, 1.5f, 2.5f, 3.5f};
__device__ const float* table_end      = &table[3];

__global__ void evaluate(const int* in, int* out, int n) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    int value = 0;
    for (int k = 7; k >= 0; --k) value = value * in[i] + coefficients[k];
    out[i] = value;
    if (i == 0) counter += static_cast<int>(*table_end * 2) + static_cast<int>(table[1] * 2);
}

__global__ void scale(int* data, int factor, int n) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) data[i] = data[i] * factor + 1;
}

template <class T>
hipError_t launch_integer_atomics(const T* in, T* cells, T* firsts, int n) {
    integer_atomics<<<(n + kThreads - 1) / kThreads, kThreads>>>(in, cells, firsts, n);
    return hipGetLastError();
}

}  // namespace

extern "C" {

hipError_t run_atomics_int32(const int* in, int* cells, int* firsts, int n) { return launch_integer_atomics(in, cells, firsts, n); }

hipError_t run_atomics_uint64(const unsigned long long* in, unsigned long long* cells, unsigned long long* firsts, int n) {
    return launch_integer_atomics(in, cells, firsts, n);
}

hipError_t run_wrapping_atomics(unsigned* up, unsigned* down, int n) {
    wrapping_atomics<<<(n + kThreads - 1) / kThreads, kThreads>>>(up, down, n);
    return hipGetLastError();
}

hipError_t run_atomics_float32(const float* in, float* cells, int n) {
    float_atomics<<<(n + kThreads - 1) / kThreads, kThreads>>>(in, cells, n);
    return hipGetLastError();
}

hipError_t run_atomics_float64(const double* in, double* cells, int n) {
    float_atomics<<<(n + kThreads - 1) / kThreads, kThreads>>>(in, cells, n);
    return hipGetLastError();
}

hipError_t run_histogram_int32(const unsigned char* in, int* bins, int n, int blocks) {
    histogram<<<blocks, kThreads>>>(in, bins, n);
    return hipGetLastError();
}

hipError_t run_histogram_float32(const unsigned char* in, float* bins, int n, int blocks) {
    histogram<<<blocks, kThreads>>>(in, bins, n);
    return hipGetLastError();
}

hipError_t run_sum_of_last(const int* in, int* sums, int* arrived, int* out, int n) {
    sum_of_last<<<(n + kThreads - 1) / kThreads, kThreads>>>(in, sums, arrived, out, n);
    return hipGetLastError();
}

hipError_t set_coefficients(const int* values) { return hipMemcpyToSymbol(HIP_SYMBOL(coefficients), values, sizeof(coefficients)); }
hipError_t set_coefficient(int index, int value) {
    return hipMemcpyToSymbol(HIP_SYMBOL(coefficients), &value, sizeof(value), index * sizeof(value), hipMemcpyHostToDevice);
}
hipError_t get_counter(int* value) { return hipMemcpyFromSymbol(value, HIP_SYMBOL(counter), sizeof(counter)); }
hipError_t counter_address(void** address, size_t* size) {
    const hipError_t error = hipGetSymbolSize(size, HIP_SYMBOL(counter));
    return error == hipSuccess ? hipGetSymbolAddress(address, HIP_SYMBOL(counter)) : error;
}

hipError_t run_evaluate(const int* in, int* out, int n) {
    evaluate<<<(n + kThreads - 1) / kThreads, kThreads>>>(in, out, n);
    return hipGetLastError();
}

hipError_t run_scale(int* data, int factor, int n, hipStream_t stream) {
    scale<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(data, factor, n);
    return hipGetLastError();
}

// Wave size, bytes of LDS for a workgroup, multiprocessors: as properties, and again as attributes.
hipError_t device_facts(int* facts, char* name) {
    hipDeviceProp_t properties;
    if (const hipError_t error = hipGetDeviceProperties(&properties, 0)) return error;
    __builtin_memcpy(name, properties.gcnArchName, sizeof(properties.gcnArchName));
    facts[0] = properties.warpSize, facts[1] = static_cast<int>(properties.sharedMemPerBlock), facts[2] = properties.multiProcessorCount;
    const hipDeviceAttribute_t attributes[] = {hipDeviceAttributeWarpSize, hipDeviceAttributeMaxSharedMemoryPerBlock,
                                               hipDeviceAttributeMultiprocessorCount};
    for (int i = 0; i < 3; ++i) {
        if (const hipError_t error = hipDeviceGetAttribute(&facts[3 + i], attributes[i], 0)) return error;
    }
    return hipSuccess;
}

hipError_t pointer_kind(const void* pointer, int* kind, void** on_device) {
    hipPointerAttribute_t attributes;
    const hipError_t error = hipPointerGetAttributes(&attributes, pointer);
    *kind = attributes.type, *on_device = attributes.devicePointer;
    return error;
}

hipError_t scale_attributes(hipFuncAttributes* attributes, int* blocks_per_cu) {
    const hipError_t error = hipFuncGetAttributes(attributes, reinterpret_cast<const void*>(scale));
    return error == hipSuccess ? hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks_per_cu, scale, kThreads, 0) : error;
}
}

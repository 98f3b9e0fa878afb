// SPDX-License-Identifier: MIT
// What the work items of a wave and of a workgroup do together: LDS, barriers, shuffles, votes.
#include <hip/hip_runtime.h>

namespace {

__global__ void wave_size(int* out) {
    if (threadIdx.x == 0) *out = __builtin_amdgcn_wavefrontsize();
}

constexpr int kThreads = 256;

__global__ void reduce_in_lds(const int* in, long long* out, int n) {
    __shared__ long long sums[kThreads];
    long long sum = 0;
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) sum += in[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

template <class T>
__device__ T add_over_wave(T value) {
    for (int mask = warpSize / 2; mask > 0; mask /= 2) value += __shfl_xor(value, mask);
    return value;
}

template <class T>
__device__ T largest_of_wave(T value) {
    for (int distance = warpSize / 2; distance > 0; distance /= 2) value = max(value, __shfl_down(value, distance));
    return __shfl(value, 0);
}

// Sum and maximum of a workgroup, whose last wave may be partly empty.
template <class T>
__global__ void reduce_with_shuffles(const T* in, T* sums, T* largest, int n) {
    __shared__ T wave_sum[32], wave_largest[32];
    const int i    = blockIdx.x * blockDim.x + threadIdx.x;
    const int wave = threadIdx.x / warpSize, lane = threadIdx.x % warpSize, waves = (blockDim.x + warpSize - 1) / warpSize;
    const T value  = i < n ? in[i] : T(0);
    const T sum = add_over_wave(value), most = largest_of_wave(value);
    if (lane == 0) wave_sum[wave] = sum, wave_largest[wave] = most;
    __syncthreads();
    if (threadIdx.x == 0) {
        T total = wave_sum[0], best = wave_largest[0];
        for (int w = 1; w < waves; ++w) total += wave_sum[w], best = max(best, wave_largest[w]);
        sums[blockIdx.x] = total, largest[blockIdx.x] = best;
    }
}

constexpr int kShuffles = 8;

__global__ void shuffle(const int* in, const int* from, int* out, int n) {
    const int i     = blockIdx.x * blockDim.x + threadIdx.x;
    const int value = in[i];
    const int results[kShuffles] = {
        __shfl_xor(value, 1),  __shfl_xor(value, 16),   __shfl_down(value, 3), __shfl_up(value, 5),
        __shfl(value, from[i]), __shfl(value, from[i], 16), __shfl_down(value, 2, 8), __shfl_xor(value, warpSize / 2),
    };
    for (int k = 0; k < kShuffles; ++k) out[k * n + i] = results[k];
}

constexpr int kCrossings = 10;

// The compiler turns these into DPP operands, swizzles and permutes.
__global__ void cross_lanes(const int* in, int* out, int n) {
    const int i     = blockIdx.x * blockDim.x + threadIdx.x;
    const int value = in[i], other = -value;
    const int results[kCrossings] = {
        __builtin_amdgcn_update_dpp(other, value, 0x1b, 0xf, 0xf, false),        // quad_perm:[3,2,1,0]
        __builtin_amdgcn_update_dpp(other, value, 0x101, 0xf, 0xf, false),       // row_shl:1
        __builtin_amdgcn_update_dpp(other, value, 0x113, 0xf, 0xf, true),        // row_shr:3 bound_ctrl
        __builtin_amdgcn_update_dpp(other, value, 0x124, 0xf, 0xf, false),       // row_ror:4
        __builtin_amdgcn_update_dpp(other, value, 0x140, 0xf, 0xf, false),       // row_mirror
        __builtin_amdgcn_update_dpp(other, value, 0x141, 0xa, 0x5, false),       // row_half_mirror row_mask:0xa bank_mask:0x5
        __builtin_amdgcn_update_dpp(0, value, 0x111, 0xf, 0xf, true) + value,    // row_shr:1, folded into an addition
        __builtin_amdgcn_ds_swizzle(value, 0x401f),                              // xor of 16
        __builtin_amdgcn_ds_bpermute(4 * (63 - threadIdx.x), value),
        __builtin_amdgcn_ds_permute(4 * (threadIdx.x ^ 5), value),
    };
    for (int k = 0; k < kCrossings; ++k) out[k * n + i] = results[k];
}

__global__ void vote(const int* in, unsigned long long* ballots, int* out, int n) {
    const int i     = blockIdx.x * blockDim.x + threadIdx.x;
    const int value = in[i];
    const unsigned long long mask = __ballot(value > 0);
    ballots[i]     = mask;
    out[i]         = __popcll(mask);
    out[n + i]     = __ffsll(mask);
    out[2 * n + i] = __any(value == 77);
    out[3 * n + i] = __all(value > -90);
    out[4 * n + i] = __lane_id();
    // Rank among the lanes that agree: the base of every stream compaction.
    out[5 * n + i] = value > 0 ? __popcll(mask & ((1ull << __lane_id()) - 1)) : -1;
    int rounds = 0;
    if (value > 0) {
        // Only the lanes in here vote.
        rounds = __popcll(__ballot(value & 1));
    }
    out[6 * n + i] = rounds;
}

// An inclusive scan of one workgroup, in waves and then over waves; returns the workgroup's sum.
__device__ int scan_group(int& value, int* wave_sums) {
    const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
    for (int distance = 1; distance < warpSize; distance *= 2) {
        const int before = __shfl_up(value, distance);
        if (lane >= distance) value += before;
    }
    if (lane == warpSize - 1) wave_sums[wave] = value;
    __syncthreads();
    int offset = 0, total = 0;
    for (int w = 0; w < kThreads / warpSize; ++w) {
        if (w < wave) offset += wave_sums[w];
        total += wave_sums[w];
    }
    value += offset;
    return total;
}

// Workgroups hand the sum of all before them on, each to the next.
__global__ void scan(const int* in, int* out, int* sums, int* ready, int n) {
    __shared__ int wave_sums[kThreads];
    __shared__ int sum_before;
    const int i     = blockIdx.x * kThreads + threadIdx.x;
    int value       = i < n ? in[i] : 0;
    const int total = scan_group(value, wave_sums);
    if (threadIdx.x == 0) {
        int before = 0;
        if (blockIdx.x > 0) {
            while (__hip_atomic_load(&ready[blockIdx.x - 1], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) __builtin_amdgcn_s_sleep(1);
            before = sums[blockIdx.x - 1];
        }
        sums[blockIdx.x] = before + total;
        __hip_atomic_store(&ready[blockIdx.x], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        sum_before = before;
    }
    __syncthreads();
    if (i < n) out[i] = value + sum_before;
}

constexpr int kTile = 32, kRows = 8;

template <class T>
__global__ void transpose(const T* in, T* out, int rows, int columns) {
    __shared__ T tile[kTile][kTile + 1];
    int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
    for (int j = 0; j < kTile; j += kRows) {
        if (x < columns && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * columns + x];
    }
    __syncthreads();
    x = blockIdx.y * kTile + threadIdx.x, y = blockIdx.x * kTile + threadIdx.y;
    for (int j = 0; j < kTile; j += kRows) {
        if (x < rows && y + j < columns) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
    }
}

template <class T>
hipError_t launch_transpose(const void* in, void* out, int rows, int columns) {
    const dim3 grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
    transpose<T><<<grid, dim3(kTile, kRows)>>>(static_cast<const T*>(in), static_cast<T*>(out), rows, columns);
    return hipGetLastError();
}

extern __shared__ unsigned char dynamic_lds[];

__global__ void reverse(const short* in, short* out) {
    short* items       = reinterpret_cast<short*>(dynamic_lds);
    const int base     = blockIdx.x * blockDim.x;
    items[threadIdx.x] = in[base + threadIdx.x];
    __syncthreads();
    out[base + threadIdx.x] = items[blockDim.x - 1 - threadIdx.x];
}

}  // namespace

extern "C" {

hipError_t run_wave_size(int* out) {
    wave_size<<<1, 64>>>(out);
    return hipGetLastError();
}

hipError_t run_reduce_in_lds(const int* in, long long* out, int n, int blocks) {
    reduce_in_lds<<<blocks, kThreads>>>(in, out, n);
    return hipGetLastError();
}

hipError_t run_reduce_int(const int* in, int* sums, int* largest, int n, int blocks, int threads) {
    reduce_with_shuffles<<<blocks, threads>>>(in, sums, largest, n);
    return hipGetLastError();
}

hipError_t run_reduce_double(const double* in, double* sums, double* largest, int n, int blocks, int threads) {
    reduce_with_shuffles<<<blocks, threads>>>(in, sums, largest, n);
    return hipGetLastError();
}

hipError_t run_shuffle(const int* in, const int* from, int* out, int n) {
    shuffle<<<n / 128, 128>>>(in, from, out, n);
    return hipGetLastError();
}

hipError_t run_cross_lanes(const int* in, int* out, int n) {
    cross_lanes<<<n / 64, 64>>>(in, out, n);
    return hipGetLastError();
}

hipError_t run_vote(const int* in, unsigned long long* ballots, int* out, int n) {
    vote<<<n / 128, 128>>>(in, ballots, out, n);
    return hipGetLastError();
}

hipError_t run_scan(const int* in, int* out, int* sums, int* ready, int n) {
    scan<<<(n + kThreads - 1) / kThreads, kThreads>>>(in, out, sums, ready, n);
    return hipGetLastError();
}

hipError_t run_transpose(const void* in, void* out, int rows, int columns, int bytes) {
    switch (bytes) {
        case 1: return launch_transpose<unsigned char>(in, out, rows, columns);
        case 2: return launch_transpose<unsigned short>(in, out, rows, columns);
        case 4: return launch_transpose<unsigned>(in, out, rows, columns);
        case 8: return launch_transpose<unsigned long long>(in, out, rows, columns);
        case 16: return launch_transpose<uint4>(in, out, rows, columns);
        default: return hipErrorInvalidValue;
    }
}

hipError_t run_reverse(const short* in, short* out, int blocks, int threads) {
    reverse<<<blocks, threads, threads * sizeof(short)>>>(in, out);
    return hipGetLastError();
}
}

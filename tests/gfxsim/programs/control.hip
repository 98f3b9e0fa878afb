// SPDX-License-Identifier: MIT
// Grids, divergent control flow, calls and scratch.
#include <hip/hip_runtime.h>

namespace {

__global__ void add(const float* a, const float* b, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

// Every element holds the id of the work item that wrote it last, and how often it was written.
__global__ void grid_stride(int* owner, int* writes, int nx, int ny, int nz) {
    for (int z = blockIdx.z * blockDim.z + threadIdx.z; z < nz; z += gridDim.z * blockDim.z)
        for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += gridDim.y * blockDim.y)
            for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < nx; x += gridDim.x * blockDim.x) {
                const int at = (z * ny + y) * nx + x;
                owner[at]    = ((blockIdx.z * 100 + blockIdx.y) * 100 + blockIdx.x) * 1000 +
                            (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
                atomicAdd(&writes[at], 1);
            }
}

// Every lane goes round its loop another number of times.
__global__ void collatz(const unsigned* start, int* steps, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long value = start[i];
    int count                = 0;
    while (value != 1) {
        if (value & 1) value = 3 * value + 1;
        else value >>= 1;
        if (++count == 500) break;
    }
    steps[i] = count;
}

// Nested loops with continue, break, a switch that falls through, and returns from their middle.
__global__ void maze(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int value = in[i];
    int sum         = 0;
    for (int outer = 0; outer < 10; ++outer) {
        if ((value + outer) % 7 == 0) continue;
        for (int inner = 0; inner < value % 13; ++inner) {
            if (inner * outer > 50) break;
            switch ((value ^ inner) & 7) {
                case 0: sum += 1; [[fallthrough]];
                case 1: sum += 10; break;
                case 2: sum *= 3; break;
                case 3: sum -= outer; [[fallthrough]];
                case 4: sum ^= inner; break;
                default: sum += 2;
            }
            if (sum > 5000) {
                out[i] = -sum;
                return;
            }
        }
    }
    out[i] = sum;
}

__device__ __attribute__((noinline)) unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void recurse(const unsigned* m, const unsigned* n, unsigned* out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = ackermann(m[i], n[i]);
}

// Recursion with a frame of its own: permutes an array in scratch and counts the permutations that never fix a point.
__device__ __attribute__((noinline)) int derangements(int* items, int at, int n) {
    if (at == n) return 1;
    int found = 0;
    int saved[8];
    for (int i = 0; i < n; ++i) saved[i] = items[i];
    for (int i = at; i < n; ++i) {
        const int kept = items[at];
        items[at]      = items[i];
        items[i]       = kept;
        if (items[at] != at) found += derangements(items, at + 1, n);
        for (int j = 0; j < n; ++j) items[j] = saved[j];
    }
    return found;
}

__global__ void derange(const int* sizes, int* out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int items[8];
    for (int j = 0; j < 8; ++j) items[j] = j;
    out[i] = derangements(items, 0, sizes[i]);
}

using Operation = long long (*)(long long, long long);

__device__ __attribute__((noinline)) long long plus(long long a, long long b) { return a + b; }
__device__ __attribute__((noinline)) long long minus(long long a, long long b) { return a - b; }
__device__ __attribute__((noinline)) long long times(long long a, long long b) { return a * b; }
__device__ __attribute__((noinline)) long long over(long long a, long long b) { return b ? a / b : 0; }

__device__ Operation operations[] = {plus, minus, times, over};

// Lanes of one wave call different functions through pointers.
__global__ void call_pointers(const int* which, const long long* a, const long long* b, long long* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = operations[which[i]](a[i], b[i]);
}

struct Shape {
    __device__ virtual float area(float size) const = 0;
};
struct Square final : Shape {
    __device__ float area(float size) const override { return size * size; }
};
struct Triangle final : Shape {
    __device__ float area(float size) const override { return size * size * 0.5f; }
};

__global__ void virtual_calls(const float* sizes, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Square square;
    Triangle triangle;
    const Shape* shapes[2] = {&square, &triangle};
    out[i]                 = shapes[static_cast<int>(sizes[i]) & 1]->area(sizes[i]);
}

// Arrays in scratch whose elements are picked at run time, in every width of access.
template <class T>
__device__ T sort_and_pick(const int* keys, int length, int pick) {
    T items[32];
    for (int i = 0; i < length; ++i) items[i] = static_cast<T>(keys[i]);
    for (int i = 1; i < length; ++i) {
        const T item = items[i];
        int j        = i;
        for (; j > 0 && items[j - 1] > item; --j) items[j] = items[j - 1];
        items[j] = item;
    }
    return items[pick];
}

__global__ void sort(const int* keys, int length, const int* pick, signed char* bytes, short* shorts, int* words, double* doubles, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bytes[i]   = sort_and_pick<signed char>(keys + i * length, length, pick[i]);
    shorts[i]  = sort_and_pick<short>(keys + i * length, length, pick[i]);
    words[i]   = sort_and_pick<int>(keys + i * length, length, pick[i]);
    doubles[i] = sort_and_pick<double>(keys + i * length, length, pick[i]);
}

// A pointer that leads to LDS, to scratch or to global memory, chosen in each lane.
__global__ void generic_pointers(const int* which, const int* global, int* out, int n) {
    __shared__ int shared[256];
    int local[4];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 4; ++j) local[j] = 1000 * j + i;
    shared[threadIdx.x] = -i;
    __syncthreads();
    if (i >= n) return;
    int* place;
    switch (which[i] % 3) {
        case 0: place = &shared[threadIdx.x]; break;
        case 1: place = &local[i & 3]; break;
        default: place = const_cast<int*>(global) + i; break;
    }
    int* volatile hidden = place;
    out[i]               = *hidden * 2 + 1;
}

// What only gfx9 has: vector instructions that are skipped, also behind a barrier, and a scalar atomic. Each wave counts itself and keeps its number.
__global__ void skip_and_count(int* value, unsigned* number, unsigned* count, int skips) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if defined(__GFX9__)
    int made       = 1;
    unsigned found = 1000;
    asm volatile("s_setvskip %1, 0\nv_mov_b32 %0, 7\ns_barrier\nv_add_u32 %0, 1, %0\ns_setvskip 0, 0" : "+v"(made) : "s"(skips));
    asm volatile("s_atomic_inc %0, %1, 0x0 glc\ns_waitcnt lgkmcnt(0)" : "+s"(found) : "s"(count) : "memory");
    value[i] = made, number[i] = found;
#else
    value[i] = number[i] = *count = skips;
#endif
}

}  // namespace

extern "C" {

hipError_t run_skip_and_count(int* value, unsigned* number, unsigned* count, int skips) {
    skip_and_count<<<3, 256>>>(value, number, count, skips);
    return hipGetLastError();
}

hipError_t run_add(const float* a, const float* b, float* c, int n, int threads) {
    add<<<(n + threads - 1) / threads, threads>>>(a, b, c, n);
    return hipGetLastError();
}

hipError_t run_grid_stride(int* owner, int* writes, int nx, int ny, int nz, int gx, int gy, int gz, int bx, int by, int bz) {
    grid_stride<<<dim3(gx, gy, gz), dim3(bx, by, bz)>>>(owner, writes, nx, ny, nz);
    return hipGetLastError();
}

hipError_t run_collatz(const unsigned* start, int* steps, int n) {
    collatz<<<(n + 95) / 96, 96>>>(start, steps, n);
    return hipGetLastError();
}

hipError_t run_maze(const int* in, int* out, int n) {
    maze<<<(n + 127) / 128, 128>>>(in, out, n);
    return hipGetLastError();
}

hipError_t run_recurse(const unsigned* m, const unsigned* n, unsigned* out, int count) {
    recurse<<<(count + 63) / 64, 64>>>(m, n, out, count);
    return hipGetLastError();
}

hipError_t run_derange(const int* sizes, int* out, int count) {
    derange<<<(count + 63) / 64, 64>>>(sizes, out, count);
    return hipGetLastError();
}

hipError_t run_call_pointers(const int* which, const long long* a, const long long* b, long long* out, int n) {
    call_pointers<<<(n + 63) / 64, 64>>>(which, a, b, out, n);
    return hipGetLastError();
}

hipError_t run_virtual_calls(const float* sizes, float* out, int n) {
    virtual_calls<<<(n + 63) / 64, 64>>>(sizes, out, n);
    return hipGetLastError();
}

hipError_t run_sort(const int* keys, int length, const int* pick, signed char* bytes, short* shorts, int* words, double* doubles, int n) {
    sort<<<(n + 63) / 64, 64>>>(keys, length, pick, bytes, shorts, words, doubles, n);
    return hipGetLastError();
}

hipError_t run_generic_pointers(const int* which, const int* global, int* out, int n) {
    generic_pointers<<<(n + 255) / 256, 256>>>(which, global, out, n);
    return hipGetLastError();
}
}

// SPDX-License-Identifier: MIT
// The sums, in a file of their own so that the depth is no constant: the compiler then keeps the loop
// over k, and a tile of the accumulator in the host's registers while k advances.
#include "gfxsim/ops/matrix.hpp"

#include "gfxsim/core/float_bits.hpp"

namespace gfxsim::matrix {
namespace {

/// One step of a chain. `settles`: with the NaN that v_fma_f32 or v_fma_f64 would give.
template <bool settles, class T>
inline T step(T a, T b, T c) {
    const T sum = multiply_add(a, b, c);
    if constexpr (settles) return fp::settled(sum, a, b, c);
    else return sum;
}

/// Computes results by `compute<settles>`: quickly, and once more if a NaN is among them, which the host has then made.
template <class T, class Compute>
inline void without_host_nans(const T* results, int count, Compute compute) {
    compute(std::false_type{});
    if constexpr (!std::is_same_v<T, u32>) {
        if (__builtin_expect(fp::any_nan(results, count), false)) compute(std::true_type{});
    }
}

}  // namespace

template <int M, int N, class T>
void multiply(const T* a, const T* b, int block, int depth, const Row* start, Row* rows) {
    using Acc = Accumulator<M, N, T>;
    constexpr int height = 4, width = std::min(N, 64 / int(sizeof(T)));
    for (int i0 = 0; i0 < M; i0 += height) {
        for (int j0 = 0; j0 < N; j0 += width) {
            T acc[height][width];
            without_host_nans(acc[0], height * width, [&](auto settles) {
                for (int r = 0; r < height; ++r) {
                    const int element = Acc::element(i0 + r, block), lane = Acc::lane(i0 + r, block) + j0;
                    for (int j = 0; j < width; ++j) acc[r][j] = Acc::load(start, element, lane + j);
                }
                for (int k = 0; k < depth; ++k) {
                    const T* left  = a + k * M + i0;
                    const T* right = b + k * N + j0;
                    for (int r = 0; r < height; ++r) {
                        for (int j = 0; j < width; ++j) acc[r][j] = step<settles.value>(left[r], right[j], acc[r][j]);
                    }
                }
            });
            for (int r = 0; r < height; ++r) {
                const int element = Acc::element(i0 + r, block), lane = Acc::lane(i0 + r, block) + j0;
                for (int j = 0; j < width; ++j) Acc::store(rows, element, lane + j, acc[r][j]);
            }
        }
    }
}

template <int M, int N, class T>
void multiply_sparse(const T* a, const u8* indices, const T* b, int stored, Row* rows) {
    using Acc = Accumulator<M, N, T>;
    for (int i = 0; i < M; ++i) {
        const int element = Acc::element(i, 0), lane = Acc::lane(i, 0);
        T acc[N];
        without_host_nans(acc, N, [&](auto settles) {
            for (int j = 0; j < N; ++j) acc[j] = Acc::load(rows, element, lane + j);
            for (int k = 0; k < stored; ++k) {
                const T left   = a[k * M + i];
                const T* right = b + indices[k * M + i] * N;
                for (int j = 0; j < N; ++j) acc[j] = step<settles.value>(left, right[j], acc[j]);
            }
        });
        for (int j = 0; j < N; ++j) Acc::store(rows, element, lane + j, acc[j]);
    }
}

template void multiply<32, 32>(const f32*, const f32*, int, int, const Row*, Row*);
template void multiply<16, 16>(const f32*, const f32*, int, int, const Row*, Row*);
template void multiply<4, 4>(const f32*, const f32*, int, int, const Row*, Row*);
template void multiply<32, 32>(const u32*, const u32*, int, int, const Row*, Row*);
template void multiply<16, 16>(const u32*, const u32*, int, int, const Row*, Row*);
template void multiply<4, 4>(const u32*, const u32*, int, int, const Row*, Row*);
template void multiply<16, 16>(const f64*, const f64*, int, int, const Row*, Row*);
template void multiply<4, 4>(const f64*, const f64*, int, int, const Row*, Row*);

template void multiply_sparse<32, 32>(const f32*, const u8*, const f32*, int, Row*);
template void multiply_sparse<16, 16>(const f32*, const u8*, const f32*, int, Row*);
template void multiply_sparse<32, 32>(const u32*, const u8*, const u32*, int, Row*);
template void multiply_sparse<16, 16>(const u32*, const u8*, const u32*, int, Row*);

}  // namespace gfxsim::matrix

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

/// In two halves side by side, because each comparison waits for the one before it. `count` is even.
template <class T>
inline bool all_finite(const T* values, int count) {
    fp::bits_type<T> largest = 0;
    for (int n = 0; n < count / 2; ++n)
        largest = std::max(largest, std::max(fp::magnitude_of(values[n]), fp::magnitude_of(values[n + count / 2])));
    return largest < fp::kInfinityBits<T>;
}

/// Whether the host's sums are the GPU's without a look at each. A product of finite numbers is finite before it is
/// rounded, and never makes a NaN of the sum that it is added to; if that is a NaN already, every host hands it on and
/// makes it quiet.
template <class T>
inline bool needs_no_settling(const T* a, int count_a, const T* b, int count_b) {
    if constexpr (std::is_floating_point_v<T>) return all_finite(a, count_a) && all_finite(b, count_b);
    else return true;
}

template <bool settles, int M, int N, class T>
inline void multiply_block(const T* a, const T* b, int block, int depth, const Row* start, Row* rows) {
    using Acc = Accumulator<M, N, T>;
    constexpr int height = 4, width = std::min(N, 64 / int(sizeof(T)));
    for (int i0 = 0; i0 < M; i0 += height) {
        for (int j0 = 0; j0 < N; j0 += width) {
            T acc[height][width];
            for (int r = 0; r < height; ++r) {
                const int element = Acc::element(i0 + r, block), lane = Acc::lane(i0 + r, block) + j0;
                for (int j = 0; j < width; ++j) acc[r][j] = Acc::load(start, element, lane + j);
            }
            for (int k = 0; k < depth; ++k) {
                const T* left = a + k * M + i0;
                const T* right = b + k * N + j0;
                for (int r = 0; r < height; ++r) {
                    for (int j = 0; j < width; ++j) acc[r][j] = step<settles>(left[r], right[j], acc[r][j]);
                }
            }
            for (int r = 0; r < height; ++r) {
                const int element = Acc::element(i0 + r, block), lane = Acc::lane(i0 + r, block) + j0;
                for (int j = 0; j < width; ++j) Acc::store(rows, element, lane + j, acc[r][j]);
            }
        }
    }
}

template <bool settles, int M, int N, class T>
inline void multiply_stored(const T* a, const u8* indices, const T* b, int stored, Row* rows) {
    using Acc = Accumulator<M, N, T>;
    for (int i = 0; i < M; ++i) {
        const int element = Acc::element(i, 0), lane = Acc::lane(i, 0);
        T acc[N];
        for (int j = 0; j < N; ++j) acc[j] = Acc::load(rows, element, lane + j);
        for (int k = 0; k < stored; ++k) {
            const T left = a[k * M + i];
            const T* right = b + indices[k * M + i] * N;
            for (int j = 0; j < N; ++j) acc[j] = step<settles>(left, right[j], acc[j]);
        }
        for (int j = 0; j < N; ++j) Acc::store(rows, element, lane + j, acc[j]);
    }
}

}  // namespace

template <int M, int N, class T>
void multiply(const T* a, const T* b, int block, int depth, const Row* start, Row* rows) {
    if (needs_no_settling(a, depth * M, b, depth * N))
        return multiply_block<false, M, N>(a, b, block, depth, start, rows);
    if constexpr (std::is_floating_point_v<T>) multiply_block<true, M, N>(a, b, block, depth, start, rows);
}

template <int M, int N, class T>
void multiply_sparse(const T* a, const u8* indices, const T* b, int stored, Row* rows) {
    if (needs_no_settling(a, stored * M, b, 2 * stored * N))
        return multiply_stored<false, M, N>(a, indices, b, stored, rows);
    if constexpr (std::is_floating_point_v<T>) multiply_stored<true, M, N>(a, indices, b, stored, rows);
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

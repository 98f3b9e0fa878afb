// SPDX-License-Identifier: MIT
// The sums, in a file of their own so that the depth is no constant: the compiler then keeps the loop
// over k, and a tile of the accumulator in the host's registers while k advances.
#include "gfxsim/ops/matrix.hpp"

namespace gfxsim::matrix {

template <int M, int N, class T>
void multiply(const T* a, const T* b, int block, int depth, const Row* start, Row* rows) {
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
                const T* left  = a + k * M + i0;
                const T* right = b + k * N + j0;
                for (int r = 0; r < height; ++r) {
                    for (int j = 0; j < width; ++j) acc[r][j] = multiply_add(left[r], right[j], acc[r][j]);
                }
            }
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
        for (int j = 0; j < N; ++j) acc[j] = Acc::load(rows, element, lane + j);
        for (int k = 0; k < stored; ++k) {
            const T left   = a[k * M + i];
            const T* right = b + indices[k * M + i] * N;
            for (int j = 0; j < N; ++j) acc[j] = multiply_add(left, right[j], acc[j]);
        }
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

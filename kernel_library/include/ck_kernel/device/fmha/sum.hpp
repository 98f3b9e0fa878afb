// SPDX-License-Identifier: MIT
//
// Device pass only: the heads of a group added up. CK writes the gradients of keys and values for each head of the
// queries.
#pragma once

#include "ck_kernel/plan/fmha/sum.hpp"
#include "ck_tile/core.hpp"

namespace ck_kernel::fmha {

template <typename T, int Vector>
__device__ void add_heads(const SumArgs& args, const T* from, T* to, int first_row, int rows) {
    using Elements = ck_tile::thread_buffer<T, Vector>;
    const int across = args.columns / Vector;
    for (int i = threadIdx.x; i < rows * across; i += kSumThreads) {
        const int row = first_row + i / across;
        const int column = i % across * Vector;
        if (row >= args.rows) break;
        const T* place = from + row * args.from_row + column;
        float sum[Vector] = {};
        for (int head = 0; head < args.heads; ++head, place += args.from_head) {
            const auto elements = *reinterpret_cast<const Elements*>(place);
#pragma unroll
            for (int e = 0; e < Vector; ++e) sum[e] += ck_tile::type_convert<float>(elements[e]);
        }
        Elements result;
#pragma unroll
        for (int e = 0; e < Vector; ++e) result(e) = ck_tile::type_convert<T>(sum[e]);
        *reinterpret_cast<Elements*>(to + row * args.to_row + column) = result;
    }
}

// One workgroup for each `Rows` rows (x), head that results (y) and batch (z).
template <typename T_, int Rows>
struct SumKernel {
    using T = T_;
    static constexpr int kRows = Rows;
    static constexpr int kBlockSize = kSumThreads;
};

template <typename Kernel>
__device__ void run_sum(const SumArgs& args) {
    using T = typename Kernel::T;
    constexpr int Rows = Kernel::kRows;
    const T* from = static_cast<const T*>(args.from) + blockIdx.z * args.from_batch +
                    static_cast<std::int64_t>(blockIdx.y) * args.heads * args.from_head;
    T* to = static_cast<T*>(args.to) + blockIdx.z * args.to_batch + blockIdx.y * args.to_head;
    if (args.vectors) add_heads<T, kSumBytes / sizeof(T)>(args, from, to, blockIdx.x * Rows, Rows);
    else add_heads<T, 1>(args, from, to, blockIdx.x * Rows, Rows);
}

}  // namespace ck_kernel::fmha

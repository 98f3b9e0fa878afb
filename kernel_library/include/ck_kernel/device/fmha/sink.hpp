// SPDX-License-Identifier: MIT
//
// Device pass only: one more column of the softmax, whose value is zero. It takes a share of each row and gives
// nothing.
#pragma once

#include "ck_kernel/plan/fmha/sink.hpp"
#include "ck_tile/core.hpp"

namespace ck_kernel::fmha {

// ln(e^a + e^b), and the share of e^a in the sum; a may be -inf, when a row has no column of its own.
struct Shared {
    float lse, share;
};

__device__ inline Shared share_with(float a, float b) {
    const float most = a > b ? a : b;
    if (most == -__builtin_inff()) return {most, 0.f};
    const float rest = __builtin_expf(a - most) + __builtin_expf(b - most);
    const float lse = most + __builtin_logf(rest);
    return {lse, __builtin_expf(a - lse)};
}

// One workgroup for each `Rows` rows (x), head (y) and sequence (z); each wave takes rows of its own.
template <typename T_, int Rows>
struct SinkKernel {
    using T = T_;
    static constexpr int kRows = Rows;
    static constexpr int kBlockSize = kSinkThreads;
};

template <typename Kernel>
__device__ void run_sink(const SinkArgs& args) {
    using T = typename Kernel::T;
    constexpr int Rows = Kernel::kRows;
    const int sequence = blockIdx.z;
    int rows = args.rows;
    std::int64_t o = blockIdx.y * args.o_head, lse = blockIdx.y * args.lse_head;
    if (args.start != nullptr) {
        const std::int64_t first = args.start[sequence];
        rows = static_cast<int>(args.start[sequence + 1] - first);
        o += first * args.o_row;
        lse += first;
    } else {
        o += sequence * args.o_batch;
        lse += sequence * args.lse_batch;
    }
    if (args.length != nullptr) rows = args.length[sequence];

    constexpr int lanes = ck_tile::get_warp_size(), waves = kSinkThreads / lanes;
    const int lane = threadIdx.x % lanes, wave = threadIdx.x / lanes;
    const float sink = args.sink[blockIdx.y];
    for (int row = blockIdx.x * Rows + wave; row < rows && row < static_cast<int>(blockIdx.x + 1) * Rows;
         row += waves) {
        const Shared shared = share_with(args.lse[lse + row], sink);
        T* const place = static_cast<T*>(args.o) + o + row * args.o_row;
        for (int column = lane; column < args.columns; column += lanes)
            // What is not a number, or nothing, of a row without columns stays out of it.
            place[column] = ck_tile::type_convert<T>(
                shared.share == 0.f ? 0.f : shared.share * ck_tile::type_convert<float>(place[column]));
        // All lanes have read it by now, for they are one wave.
        if (lane == 0) args.lse[lse + row] = shared.lse;
    }
}

}  // namespace ck_kernel::fmha

// SPDX-License-Identifier: MIT
//
// Both passes: the arguments of the kernel that gives the softmax one more column.
#pragma once

#include <cstdint>

namespace ck_kernel::fmha {

struct SinkArgs {
    void* o;
    float* lse;
    const float* sink;
    const std::int32_t* start;                                 // of the sequences in packed tensors; null in mode batch
    const std::int32_t* length;                                // rows of each sequence, or null
    std::int64_t o_row, o_head, o_batch, lse_head, lse_batch;  // elements from one to the next
    std::int32_t rows, columns;
};

constexpr int kSinkThreads = 256;

}  // namespace ck_kernel::fmha

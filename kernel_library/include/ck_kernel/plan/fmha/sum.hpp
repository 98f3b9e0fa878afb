// SPDX-License-Identifier: MIT
//
// Both passes: the arguments of the kernel that adds up the heads of a group.
#pragma once

#include <cstdint>

namespace ck_kernel::fmha {

struct SumArgs {
    const void* from;
    void* to;
    std::int64_t from_row, from_head, from_batch, to_row, to_head, to_batch;  // elements from one to the next
    std::int32_t rows, columns;
    std::int32_t heads;  // that are added up to one
    bool vectors;        // every row of both begins with a whole vector and ends with one
};

// Elements that a lane moves at once: 16 bytes.
constexpr int kSumBytes = 16;
constexpr int kSumThreads = 256;

}  // namespace ck_kernel::fmha

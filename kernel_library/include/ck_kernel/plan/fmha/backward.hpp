// SPDX-License-Identifier: MIT
//
// Both passes: the arguments of the kernels that compute gradients. The device fills CK's from them, so the host knows
// no layout of CK.
#pragma once

#include <cstdint>

#include "ck_kernel/plan/fmha/attention.hpp"

namespace ck_kernel::fmha {

// Where sequences begin in packed tensors, and how many of their rows count; in mode batch they begin at strides.
struct Ranges {
    const std::int32_t* start;
    const std::int32_t* length;  // or null: all rows
};

// What a kernel with dropout draws its numbers from.
struct Dropout {
    std::uint64_t seed, offset;  // or their addresses on the device
    bool on_device;
    std::uint8_t keep;  // the largest byte that is kept
    float weight;       // 1 / (1 - p)
    float weight_scaled;
};

// d = keep * the sum of o * d_o along a row
struct DotArgs {
    Strided<> o, d_o;
    Strided<void> d;
    Ranges rows;
    std::int32_t seqlen_q, hdim_v;
    float keep;  // 1 - p
};

struct GradientArgs {
    Strided<> q, k, v, bias, d_o, lse;
    const void* d;  // with the strides of lse
    Strided<void> dq_acc, dk, dv, dbias;
    Ranges rows, columns;
    std::int32_t seqlen_q, seqlen_k, hdim_q, hdim_v;
    std::int32_t heads_q, group_heads;       // group_heads: query heads that share a head of k
    std::int32_t window_left, window_right;  // negative is unlimited
    bool top_left;                           // row i is at column i; else the last row is at the last column
    float scale, scale_log2;                 // of the scores, and times log2 e
    Dropout dropout;
};

// dq = the sum of all parts of dq_acc
struct ConvertArgs {
    Strided<> dq_acc;
    Strided<void> dq;
    Ranges rows, columns;
    std::int32_t seqlen_q, seqlen_k, hdim_q;
};

}  // namespace ck_kernel::fmha

// SPDX-License-Identifier: MIT
//
// Both passes: the arguments of the kernel that puts parts of an attention together.
#pragma once

#include <cstdint>

#include "ck_kernel/plan/fmha/attention.hpp"

namespace ck_kernel::fmha {

struct CombineArgs {
    Strided<> o_acc, lse_acc;
    Strided<void> o, lse;
    const std::int32_t *seqstart_q, *seqlen_q;
    std::int32_t batch, seqlen_of_q, hdim_v, parts;
    float scale_o;
};

// A wave takes so many columns of a row of o_acc at a time, and as many rows as it has lanes left.
constexpr int kCombineLanesOfRow = 8;

}  // namespace ck_kernel::fmha

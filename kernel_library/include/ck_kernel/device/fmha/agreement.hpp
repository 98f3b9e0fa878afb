// SPDX-License-Identifier: MIT
//
// Device pass only: what the host knows of a kernel, held against CK.
#pragma once

#include "ck_kernel/plan/fmha/config.hpp"
#include "ck_tile/core.hpp"

namespace ck_kernel::fmha {

template <typename Kernel>
constexpr bool workgroups_agree(const Config& config) {
    return Kernel::kBlockSize == config.waves * (config.lanes > 0 ? config.lanes : ck_tile::get_warp_size());
}

// A kernel may move fewer elements at a time than the host asks rows to be multiples of, but no more.
template <typename Pipeline>
constexpr bool vectors_agree(const Config& config) {
    return Pipeline::kAlignmentQ <= config.vector_q() && Pipeline::kAlignmentK <= config.vector_q() &&
           Pipeline::kAlignmentV <= config.vector_v() && Pipeline::kAlignmentBias <= config.vector_bias();
}

}  // namespace ck_kernel::fmha

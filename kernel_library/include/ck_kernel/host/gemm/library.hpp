// SPDX-License-Identifier: MIT
//
// Host pass only: what a GEMM kernel library consists of.
#pragma once

#include <cstddef>

#include "ck_gemm_problem.h"
#include "ck_kernel/host/product/entries.hpp"
#include "ck_kernel/plan/gemm/product.hpp"

namespace ck_kernel::gemm {

struct Library {
    using Problem = ck_gemm_problem;

    static constexpr char kComputes[] = "a GEMM";
    static constexpr char kProblem[] = "ck_gemm_problem";

    Config config;
    const char* name;
    const Entry* entries;
    std::size_t entry_count;
    const void* add_parts;  // the device function that adds up what waits in a workspace, or null
};

}  // namespace ck_kernel::gemm

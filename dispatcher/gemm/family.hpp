// SPDX-License-Identifier: MIT
// GEMM as a family of the core. Tensors are A, B, C, and then the D tensors.
#pragma once

#include <string>
#include <vector>

#include "ck_kernel_abi.h"
#include "ckdispatch/core/cost.hpp"
#include "ckdispatch/core/dispatcher.hpp"
#include "ckdispatch/gemm/key.hpp"
#include "ckdispatch/gemm/problem.hpp"
#include "ckdispatch/gemm/registry.hpp"

namespace ckdispatch {

struct GemmWay {
    std::int64_t k_batch = 1;
};

struct GemmFamily {
    using Key      = GemmKey;
    using Problem  = GemmProblem;
    using Registry = GemmRegistry;
    using Way      = GemmWay;
    using Bound    = ck_gemm_problem;

    static std::string mismatch(const Key& key, const Problem& problem);
    static std::vector<Way> ways(const Key& key, const Problem& problem);
    static Work work(const Key& key, const Problem& problem, const Way& way);
    static Bound probe(const Problem& problem, const Way& way);
    static Bound bind(const Problem& problem, const Way& way, Tensors tensors, std::int64_t launch);
    static std::int64_t launches(const Problem& problem) { return problem.batch; }
    static std::size_t tensor_count(const Problem& problem) { return 3 + std::size_t(problem.d_count); }
    static std::size_t tensor_bytes(const Problem& problem, std::size_t tensor);
    static Problem aligned(const Problem& problem, Tensors tensors);
};

using GemmSelector   = Selector<GemmFamily>;
using GemmPlan       = Plan<GemmFamily>;
using GemmDispatcher = Dispatcher<GemmFamily>;

/// Runs the problem and compares C with a reference that the CPU computes: every element, within what its dtype and the depth of the sum allow.
Validation validate(GemmDispatcher& dispatcher, const GemmProblem& problem, Tensors tensors, const RunOptions& options = {});

}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// GEMM as a family of the core. Tensors are A, B, C, and then the D tensors; of a problem with groups A, B and C of
// each in turn.
#pragma once

#include <string>
#include <vector>

#include "ck_gemm_problem.h"
#include "ckdispatch/core/cost.hpp"
#include "ckdispatch/core/dispatcher.hpp"
#include "ckdispatch/gemm/key.hpp"
#include "ckdispatch/gemm/problem_builder.hpp"
#include "ckdispatch/gemm/registry.hpp"

namespace ckdispatch {

struct GemmWay {
    /// What the kernel is told: parts of K, or for stream-K the workgroups that share all work.
    std::int64_t k_batch = 1;
    /// One launch computes every product of the problem; otherwise each matrix of a batch has its own.
    bool together = false;
    /// The most parts that the K of one tile is computed in.
    std::int64_t parts = 1;
};

/// The problem of the kernel ABI with the groups that it points to.
struct GemmBound : ck_gemm_problem {
    GemmBound() : ck_gemm_problem{} {}
    GemmBound(GemmBound&&) = default;
    GemmBound& operator=(GemmBound&&) = default;

    std::vector<ck_gemm_problem> members;
};

struct GemmFamily : FamilyDefaults<GemmFamily, GemmProblem> {
    using Key = GemmKey;
    using Problem = GemmProblem;
    using Registry = GemmRegistry;
    using Way = GemmWay;
    using Bound = GemmBound;

    static Mismatch mismatch(const Key& key, const Problem& problem, const arch::GpuSpec& gpu);
    static std::vector<Way> ways(const Key& key, const Problem& problem, double workgroups_at_once);
    static Work work(const Key& key, const Problem& problem, const Way& way);
    static std::vector<std::string> details();
    static Division<Problem> divide(const Problem& problem);
    static std::optional<Problem> enlarged(const Key& key, const Problem& problem);
    static Bound probe(const Problem& problem, const Way& way);
    static Bound bind(const Problem& problem, const Way& way, Tensors tensors, std::int64_t launch);
    static std::int64_t launches(const Problem& problem, const Way& way) { return way.together ? 1 : problem.batch; }
    static std::int64_t parts(const Way& way) { return way.parts; }
    static std::size_t tensor_count(const Problem& problem) {
        return problem.groups.empty() ? 3 + std::size_t(problem.d_count) : 3 * problem.groups.size();
    }
    static constexpr const char* kAsked = "A GEMM";
    static std::string tensor_name(const Problem& problem, std::size_t tensor);
    static Lines lines(const Problem& problem, std::size_t tensor);
    static bool reads_where_it_writes(const Stage<GemmFamily>& stage, std::size_t tensor);
    /// Groups have a table of their addresses.
    template <class AnyStage>
    static bool copies_from_host(const AnyStage& stage) {
        return stage.way.together && !stage.problem.groups.empty();
    }
};

using GemmSelector = Selector<GemmFamily>;
using GemmPlan = Plan<GemmFamily>;
using GemmDispatcher = Dispatcher<GemmFamily>;

// Made once, in family.cpp: making them anew is half of what compiling a caller takes.
extern template class Selector<GemmFamily>;
extern template class Dispatcher<GemmFamily>;

/// Runs the plan and compares C with a reference that the CPU computes: every element, within what its dtype and the
/// depth of the sum allow. The worst place is batch, row and column; groups are counted like the matrices of a batch.
Validation validate(GemmDispatcher& dispatcher, const GemmPlan& plan, Tensors tensors, const RunOptions& options = {});

}  // namespace ckdispatch

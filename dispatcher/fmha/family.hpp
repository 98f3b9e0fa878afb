// SPDX-License-Identifier: MIT
// Attention as a family of the core. A caller's problem has the tensors of ckd_fmha_tensor, in that order; a stage
// those of ck_fmha_tensor_index.
#pragma once

#include <string>
#include <vector>

#include "ck_fmha_problem.h"
#include "ckdispatch/core/cost.hpp"
#include "ckdispatch/core/dispatcher.hpp"
#include "ckdispatch/fmha/key.hpp"
#include "ckdispatch/fmha/problem_builder.hpp"
#include "ckdispatch/fmha/registry.hpp"

namespace ckdispatch {

struct FmhaWay {
    /// That the keys are computed in.
    std::int64_t parts = 1;
    /// The kernel has one that it writes, or reads, as the others have not.
    bool lse = true;
};

struct FmhaFamily : FamilyDefaults<FmhaFamily, FmhaProblem> {
    using Key = FmhaKey;
    using Problem = FmhaProblem;
    using Registry = FmhaRegistry;
    using Way = FmhaWay;
    using Bound = ck_fmha_problem;

    /// The tensors of a caller's problem, of which the others are temporaries.
    static constexpr std::size_t kCallersTensors = 27;
    /// Which of ck_fmha_tensor_index a tensor of the problem is.
    static std::size_t slot_of(const Problem& problem, std::size_t tensor);
    /// The tensor of a caller's problem that is that slot.
    static std::size_t tensor_of(std::size_t slot);

    static Name section(const Key& key) { return key.variant; }
    static Name section(const Problem& problem) { return problem.variant; }
    static constexpr bool kFitsQuickly = true;
    static bool fits(const Key& key, const Problem& problem, const arch::GpuSpec& gpu);
    static Mismatch mismatch(const Key& key, const Problem& problem, const arch::GpuSpec& gpu);
    static std::vector<Way> ways(const Key& key, const Problem& problem, double) {
        return {{problem.parts, !problem.spare_lse || key.lse}};
    }
    static Work work(const Key& key, const Problem& problem, const Way& way);
    static std::vector<Division<Problem>> alternatives(const Problem& problem, const arch::GpuSpec& gpu);
    static std::optional<Problem> enlarged(const Key& key, const Problem& problem);
    static bool needs(const Key& key, const Problem& problem, std::size_t slot);
    static Bound probe(const Problem& problem, const Way& way);
    static Bound bind(const Problem& problem, const Way& way, Tensors tensors, std::int64_t launch);
    static std::int64_t parts(const Way& way) { return way.parts; }
    static std::size_t tensor_count(const Problem& problem) {
        return problem.whole() ? kCallersTensors : std::size_t(CK_FMHA_TENSORS);
    }
    static constexpr const char* kAsked = "An attention";
    static std::string tensor_name(const Problem& problem, std::size_t tensor) {
        return fmha_tensor_name(slot_of(problem, tensor));
    }
    static bool optional(const Problem& problem, std::size_t tensor) { return !problem.has(slot_of(problem, tensor)); }
    /// Sequences with lengths of their own may leave some out.
    static bool writes_all(const Problem& problem, std::size_t) {
        return !problem.group && !problem.has(CK_FMHA_SEQLEN_Q) && !problem.has(CK_FMHA_SEQLEN_K);
    }
    static Lines lines(const Problem& problem, std::size_t tensor);
    static Region region(const Problem& problem, std::size_t tensor);
    static Problem aligned(const Problem& problem, Tensors tensors);
};

using FmhaSelector = Selector<FmhaFamily>;
using FmhaPlan = Plan<FmhaFamily>;
using FmhaDispatcher = Dispatcher<FmhaFamily>;

// Made once, in family.cpp: making them anew is half of what compiling a caller takes.
extern template class Selector<FmhaFamily>;
extern template class Dispatcher<FmhaFamily>;

/// Runs the plan and compares what it writes with a reference that the CPU computes: o, lse, random bytes, new rows
/// of the cache and rows of q that are turned with them; or all gradients, from o and lse as they are. The worst place
/// is sequence, head, row and column of o, of lse without a column; of other tensors the number of the tensor comes
/// first, as in ckd_fmha_tensor, and of k and v a row is a key.
Validation validate(FmhaDispatcher& dispatcher, const FmhaPlan& plan, Tensors tensors, const RunOptions& options = {});

}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// Grouped convolution as a family of the core. Tensors are x, w, y, and then the bias; the direction says which of them
// is written.
#pragma once

#include <string>
#include <vector>

#include "ck_grouped_conv_problem.h"
#include "ckdispatch/core/cost.hpp"
#include "ckdispatch/core/dispatcher.hpp"
#include "ckdispatch/grouped_conv/key.hpp"
#include "ckdispatch/grouped_conv/problem_builder.hpp"
#include "ckdispatch/grouped_conv/registry.hpp"
#include "ckdispatch/grouped_conv/words.hpp"

namespace ckdispatch {

struct GroupedConvWay {
    /// Parts that the sum is computed in.
    std::int64_t parts = 1;
};

struct GroupedConvFamily : FamilyDefaults<GroupedConvFamily, GroupedConvProblem> {
    using Key = GroupedConvKey;
    using Problem = GroupedConvProblem;
    using Registry = GroupedConvRegistry;
    using Way = GroupedConvWay;
    using Bound = ck_grouped_conv_problem;

    static Mismatch mismatch(const Key& key, const Problem& problem, const arch::GpuSpec& gpu);
    static std::vector<Way> ways(const Key& key, const Problem& problem, double workgroups_at_once);
    static Work work(const Key& key, const Problem& problem, const Way& way);
    static std::vector<std::string> details();
    static std::optional<Problem> enlarged(const Key& key, const Problem& problem);
    static Bound probe(const Problem& problem, const Way& way);
    static Bound bind(const Problem& problem, const Way& way, Tensors tensors, std::int64_t launch);
    static std::int64_t parts(const Way& way) { return way.parts; }
    static std::size_t tensor_count(const Problem& problem) { return 3 + std::size_t(problem.d_count); }
    static constexpr const char* kAsked = kAGroupedConvolution;
    static std::string tensor_name(const Problem& problem, std::size_t tensor);
    static Lines lines(const Problem& problem, std::size_t tensor);
};

using GroupedConvSelector = Selector<GroupedConvFamily>;
using GroupedConvPlan = Plan<GroupedConvFamily>;
using GroupedConvDispatcher = Dispatcher<GroupedConvFamily>;

// Made once, in family.cpp: making them anew is half of what compiling a caller takes.
extern template class Selector<GroupedConvFamily>;
extern template class Dispatcher<GroupedConvFamily>;

/// Runs the plan and compares what it computes with a reference of the CPU: every element, within what its dtype and
/// the depth of the sum allow. The worst place is the element's index in the tensor, in the order of the layout.
Validation validate(GroupedConvDispatcher& dispatcher, const GroupedConvPlan& plan, Tensors tensors,
                    const RunOptions& options = {});

}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// How a kernel is chosen, and what a choice looks like.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ckdispatch/core/cost.hpp"
#include "ckdispatch/core/kernel.hpp"
#include "ckdispatch/core/regions.hpp"

namespace ckdispatch {

enum class Strategy {
    first_fit,      ///< the first that computes the problem, by priority and then in the order of the keys
    rules,          ///< the one that the cost model predicts to be the fastest among those of the highest priority
    model,          ///< as rules, with a prediction of the caller's own (a learned model)
    user_function,  ///< the caller chooses from the ranking
};

/// A kernel that computes the problem, in one of the ways it can.
template <class Family>
struct Candidate {
    std::shared_ptr<const Kernel<typename Family::Key>> kernel;
    typename Family::Way way;
    double microseconds           = 0;  ///< predicted
    std::uint64_t workspace_bytes = 0;  ///< known once the library was asked
};

/// A kernel that does not, and why.
template <class Family>
struct Refused {
    std::shared_ptr<const Kernel<typename Family::Key>> kernel;
    ErrorCode code;
    std::string reason;
    int nearness = 0;  ///< the largest is of the kernel that comes nearest to what was asked for
};

template <class Family>
struct Ranking {
    std::vector<Candidate<Family>> fit;  ///< the best first
    std::vector<Refused<Family>> refused;
};

/// One launch of a plan (or the same for each matrix of a batch): of the whole problem, or of a piece with some of its tensors.
template <class Family>
struct Stage {
    std::shared_ptr<const Kernel<typename Family::Key>> kernel;
    const ck_kernel_api* api = nullptr;
    typename Family::Way way;
    std::uint64_t workspace_bytes = 0;
    typename Family::Problem problem;
    std::size_t first_tensor = 0;
};

/// What serves a problem: its stages in order. Most plans have one.
template <class Family>
struct Plan {
    typename Family::Problem problem;
    Name gpu;
    std::vector<Stage<Family>> stages;
    std::vector<Region> regions;        ///< of the problem's tensors
    std::uint64_t workspace_bytes = 0;  ///< of the largest stage
    double microseconds           = 0;  ///< predicted

    const std::string& name() const { return stages.front().kernel->name(); }
    std::int64_t launches() const {
        std::int64_t all = 0;
        for (const Stage<Family>& stage : stages) all += Family::launches(stage.problem, stage.way);
        return all;
    }
    /// Bytes of memory that it takes, about.
    std::size_t held_bytes() const {
        std::size_t all = sizeof(*this) + problem.held_bytes() + regions.size() * sizeof(Region);
        for (const Stage<Family>& stage : stages) all += sizeof(stage) + stage.problem.held_bytes();
        return all;
    }
};

/// Replaces the cost model's prediction, in microseconds.
template <class Family>
using Predictor = std::function<double(const typename Family::Problem&, const Candidate<Family>&, const arch::GpuSpec&)>;

/// Returns the index of the candidate to take, or nothing to take the first.
template <class Family>
using Chooser = std::function<std::optional<std::size_t>(const typename Family::Problem&, const std::vector<Candidate<Family>>&)>;

}  // namespace ckdispatch

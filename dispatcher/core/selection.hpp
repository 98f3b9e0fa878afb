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
#include "ckdispatch/core/plan.hpp"

namespace ckdispatch {

enum class Strategy {
    first_fit,  ///< the first that computes the problem, by priority and then in the order of the keys
    rules,      ///< the one that the cost model predicts to be the fastest among those of the highest priority
    model,      ///< as rules, with times that a learned model corrects, or that a predictor of the caller's gives; the
                ///< default where there is a model
    user_function,  ///< the caller chooses from the ranking
};

/// What a predicted time comes from.
enum class Basis {
    cost_model,
    learned,    ///< the cost model, corrected by a learned model
    beyond,     ///< the same, of a problem that lies outside of what the model has seen
    predictor,  ///< of the caller's own
};
const char* basis_name(Basis basis);

/// What a kernel computes of a problem that takes several, and which those are, in their order.
template <class Family>
struct Share {
    typename Family::Problem problem;
    std::vector<std::string> kernels;
};

/// A kernel that computes the problem, in one of the ways it can.
template <class Family>
struct Candidate {
    std::shared_ptr<const Kernel<typename Family::Key>> kernel;
    typename Family::Way way;
    double microseconds = 0;  ///< predicted
    Basis basis = Basis::cost_model;
    std::uint64_t workspace_bytes = 0;  ///< known once the library was asked; of a share, that of the whole plan
    std::shared_ptr<const Share<Family>>
        share{};  ///< of a problem that it does not compute by itself; the times are then those of all
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

/// Replaces the cost model's prediction, in microseconds.
template <class Family>
using Predictor =
    std::function<double(const typename Family::Problem&, const Candidate<Family>&, const arch::GpuSpec&)>;

/// Returns the index of the candidate to take, or nothing to take the first.
template <class Family>
using Chooser =
    std::function<std::optional<std::size_t>(const typename Family::Problem&, const std::vector<Candidate<Family>>&)>;

}  // namespace ckdispatch

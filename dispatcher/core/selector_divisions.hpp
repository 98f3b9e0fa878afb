// SPDX-License-Identifier: MIT
// Problems that several kernels compute together, and which division of them should take the least time. Of Selector,
// which includes it.
#pragma once

#include "ckdispatch/core/selector.hpp"

namespace ckdispatch {

template <class Family>
auto Selector<Family>::choose_or_divide(const Problem& problem) -> PlanPtr {
    std::vector<Refused<Family>> refused;
    if (PlanPtr plan = choose(problem, refused)) return plan;
    const auto divisions = Family::alternatives(problem, *facts_);
    if (divisions.empty()) throw no_kernel(problem, refused);
    if (!Family::section(problem).empty()) return best_of(problem, divisions);
    // A function of the caller's may be told of the whole problem alone, and what it says of a piece is then nothing to
    // keep.
    const bool asks = (strategy_ == Strategy::model && predictor_) || strategy_ == Strategy::user_function;
    return within_limit(joined(problem, divisions.front(),
                               [&](const Problem& piece) { return asks ? choose_or_divide(piece) : select(piece); }));
}

template <class Family>
auto Selector<Family>::choose_or_pad(const Problem& problem) -> PlanPtr {
    try {
        return select(problem);
    } catch (const Error& refusal) {
        if (refusal.code() != ErrorCode::no_kernel) throw;
        if (PlanPtr plan = choose_padded(problem)) return plan;
        PlanPtr best;
        for (const Division<Problem>& division : Family::alternatives(problem, *facts_)) {
            try {
                const PlanPtr plan =
                    within_limit(joined(problem, division, [&](const Problem& piece) { return select_padded(piece); }));
                if (!best || plan->microseconds < best->microseconds) best = plan;
            } catch (const Error& other) {
                if (other.code() != ErrorCode::no_kernel) throw;
            }
        }
        if (best) return best;
        throw;
    }
}

template <class Family>
auto Selector<Family>::estimate(const Division<Problem>& division) const -> std::optional<Estimate> {
    Estimate all{std::numeric_limits<int>::min(), 0, &division};
    for (const auto& piece : division.pieces) {
        const auto best = predicts_alone() ? best_prediction(piece.problem) : best_candidate(piece.problem);
        if (!best) return std::nullopt;
        all.priority = std::max(all.priority, best->first);
        all.microseconds += best->second + transfers_of(piece);
    }
    return all;
}

template <class Family>
std::optional<std::pair<int, double>> Selector<Family>::best_prediction(const Problem& problem) const {
    std::optional<std::pair<int, double>> best;
    for (const KernelPtr& kernel : kernels_for(problem)) {
        const Resources* used = kernel->resources_on(gpu_);
        const bool worse = best && kernel->priority() < best->first;
        if (!used || worse || !may_fit(*kernel, problem)) continue;
        if (!Family::kFitsQuickly && !Family::mismatch(kernel->key(), problem, *facts_).why.empty()) continue;
        for (const auto& way : Family::ways(kernel->key(), problem, workgroups_at_once(*used, *facts_))) {
            const double time = costs_.microseconds(Family::work(kernel->key(), problem, way), *used);
            if (!best || kernel->priority() > best->first || time < best->second) best = {kernel->priority(), time};
        }
    }
    return best;
}

template <class Family>
std::optional<std::pair<int, double>> Selector<Family>::best_candidate(const Problem& problem) const {
    std::vector<Candidate<Family>> candidates;
    for (const KernelPtr& kernel : kernels_for(problem)) {
        Refused<Family> why{kernel, ErrorCode::ok, {}};
        if (may_fit(*kernel, problem)) (void)candidates_of(kernel, problem, candidates, why);
    }
    if (candidates.empty()) return std::nullopt;
    correct(candidates, problem);
    const auto best = std::min_element(candidates.begin(), candidates.end(), better);
    return std::pair{best->kernel->priority(), best->microseconds};
}

template <class Family>
double Selector<Family>::transfers_of(const typename Division<Problem>::Piece& piece) const {
    const std::size_t transfers = piece.before.size() + piece.after.size();
    return transfers ? costs_.transfer_microseconds(piece.transferred(), transfers) : 0;
}

template <class Family>
auto Selector<Family>::best_of(const Problem& problem, const std::vector<Division<Problem>>& divisions) const
    -> PlanPtr {
    std::vector<Estimate> order;
    for (const Division<Problem>& division : divisions)
        if (const auto one = estimate(division)) order.push_back(*one);
    const bool in_order = strategy_ == Strategy::first_fit;
    std::stable_sort(order.begin(), order.end(), [&](const Estimate& a, const Estimate& b) {
        if (a.priority != b.priority) return a.priority > b.priority;
        return !in_order && a.microseconds < b.microseconds;
    });
    PlanPtr best;
    int priority = 0;
    std::optional<Error> refusal;
    for (const Estimate& one : order) {
        if (best && (in_order || strategy_ == Strategy::user_function || one.priority < priority ||
                     best->microseconds <= one.microseconds))
            break;
        try {
            const PlanPtr plan = within_limit(
                joined(problem, *one.division, [&](const Problem& piece) { return choose_piece(problem, piece); }));
            if (!best || plan->microseconds < best->microseconds) best = plan, priority = one.priority;
        } catch (const Error& error) {
            if (error.code() != ErrorCode::no_kernel) throw;
            if (!refusal) refusal = error;
        }
    }
    if (best) return best;
    if (refusal) throw *refusal;
    // None has kernels for all of its pieces; the simplest tells what is missing.
    for (const auto& piece : divisions.front().pieces) (void)choose_piece(problem, piece.problem);
    throw no_kernel(problem, {});
}

template <class Family>
auto Selector<Family>::choose_piece(const Problem& problem, const Problem& piece) const -> PlanPtr {
    std::vector<Refused<Family>> refused;
    if (PlanPtr plan = choose(piece, refused)) return plan;
    throw no_kernel(problem, refused, &piece);
}

template <class Family>
auto Selector<Family>::with_kernel(const KernelPtr& kernel, const Problem& problem,
                                   const Division<Problem>& division) const -> PlanPtr {
    const Name section = Family::section(kernel->key());
    std::vector<PlanPtr> plans;
    std::optional<Error> refusal;
    bool used = false;
    for (const auto& piece : division.pieces) {
        plans.emplace_back();
        if (section != Family::section(piece.problem)) continue;
        try {
            plans.back() = select_explicit(kernel, piece.problem);
            used = true;
        } catch (const Error& error) {
            if (section.empty()) throw;
            refusal = error;
        }
    }
    if (!used && refusal) throw *refusal;
    if (!used) return nullptr;
    std::size_t at = 0;
    return within_limit(joined(problem, division, [&](const Problem& piece) {
        return plans[at] ? plans[at++] : (++at, choose_piece(problem, piece));
    }));
}

}  // namespace ckdispatch

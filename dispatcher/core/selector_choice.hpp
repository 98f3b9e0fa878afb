// SPDX-License-Identifier: MIT
// The best kernel for a problem as it is, or for a larger one, and what is said where there is none. Of Selector, which
// includes it.
#pragma once

#include "ckdispatch/core/selector.hpp"

namespace ckdispatch {

template <class Family>
auto Selector<Family>::choose_padded(const Problem& problem) const -> PlanPtr {
    struct Offer : Candidate<Family> {
        std::size_t padding;
    };
    std::vector<Division<Problem>> paddings;
    std::vector<Offer> offers;
    for (const KernelPtr& kernel : kernels_for(problem)) {
        // Of a family with quick answers these are also about sizes, and those of the larger one count.
        if (!Family::kFitsQuickly && !Family::mismatch(kernel->key(), problem, *facts_).why.empty()) continue;
        const std::optional<Problem> larger = Family::enlarged(kernel->key(), problem);
        std::vector<Candidate<Family>> ways;
        Refused<Family> why{kernel, ErrorCode::ok, {}};
        if (!larger || !candidates_of(kernel, *larger, ways, why)) continue;
        correct(ways, *larger);
        Division<Problem> copied = padding(problem, *larger);
        if (copied.pieces.empty()) continue;
        paddings.push_back(std::move(copied));
        const auto& piece = paddings.back().pieces[0];
        const double copies =
            costs_.transfer_microseconds(piece.transferred(), piece.before.size() + piece.after.size());
        for (Candidate<Family>& way : ways) {
            way.microseconds += copies;
            offers.push_back({std::move(way), paddings.size() - 1});
        }
    }
    std::stable_sort(offers.begin(), offers.end(), better);
    for (Offer& offer : offers) {
        const Division<Problem>& copies = paddings[offer.padding];
        Refused<Family> why{offer.kernel, ErrorCode::ok, {}};
        if (!supported(offer, copies.pieces[0].problem, why)) continue;
        const auto plan = joined(problem, copies, [&](const Problem& larger) { return make_plan(offer, larger); });
        plan->microseconds = offer.microseconds;  // with its copies
        plan->padded = copies.pieces[0].problem.text();
        if (plan->workspace_bytes <= problem.workspace_limit) return plan;
    }
    return nullptr;
}

template <class Family>
auto Selector<Family>::choose(const Problem& problem, std::vector<Refused<Family>>& tried) const -> PlanPtr {
    if (strategy_ == Strategy::user_function) return choose_by_function(problem, tried);
    std::vector<Candidate<Family>> candidates;
    std::vector<Refused<Family>> others;
    std::vector<const KernelPtr*> passed_over;
    const auto kernels = kernels_for(problem);
    for (const KernelPtr& kernel : kernels) {
        if (!may_fit(*kernel, problem)) {
            passed_over.push_back(&kernel);
            continue;
        }
        Refused<Family> why{kernel, ErrorCode::ok, {}};
        if (!candidates_of(kernel, problem, candidates, why)) others.push_back(std::move(why));
    }
    // First fit keeps the order of the keys within a priority.
    if (strategy_ == Strategy::first_fit)
        std::stable_sort(candidates.begin(), candidates.end(),
                         [](const auto& a, const auto& b) { return a.kernel->priority() > b.kernel->priority(); });
    else sort(candidates);
    for (std::size_t i = 0, sorted = 0; i < candidates.size(); ++i) {
        sorted = sort_more(candidates, i, sorted, problem);
        Refused<Family> why{candidates[i].kernel, ErrorCode::ok, {}};
        if (supported(candidates[i], problem, why)) return make_plan(candidates[i], problem);
        tried.push_back(std::move(why));
    }
    tried.insert(tried.end(), others.begin(), others.end());
    std::vector<Candidate<Family>> unused;
    for (const KernelPtr* kernel : passed_over) {
        Refused<Family> why{*kernel, ErrorCode::ok, {}};
        (void)candidates_of(*kernel, problem, unused, why);
        tried.push_back(std::move(why));
    }
    return nullptr;
}

template <class Family>
auto Selector<Family>::choose_by_function(const Problem& problem, std::vector<Refused<Family>>& refused) const
    -> PlanPtr {
    const Ranking<Family> ranking = rank(problem);
    if (ranking.fit.empty()) {
        refused = ranking.refused;
        return nullptr;
    }
    const std::size_t chosen = chooser_(problem, ranking.fit).value_or(0);
    if (chosen >= ranking.fit.size())
        throw InvalidArgumentError("The function that chooses kernels returned candidate " + std::to_string(chosen) +
                                   " of " + std::to_string(ranking.fit.size()) + ".");
    return make_plan(ranking.fit[chosen], problem);
}

template <class Family>
NoKernelError Selector<Family>::no_kernel(const Problem& problem, const std::vector<Refused<Family>>& refused,
                                          const Problem* piece) const {
    std::string sentence = "No kernel of the registry " + registry_->name() + " computes " + problem.text() + " on " +
                           std::string(gpu_.text());
    if (piece) sentence += ", which takes " + piece->text();
    if (refused.empty()) return NoKernelError(sentence + ": it has none.");
    const auto nearest = std::max_element(refused.begin(), refused.end(),
                                          [](const auto& a, const auto& b) { return a.nearness < b.nearness; });
    std::set<const void*> kernels;  // one may have been asked in several ways
    for (const Refused<Family>& one : refused) kernels.insert(one.kernel.get());
    sentence += " (" + std::to_string(kernels.size()) + " refuse). The nearest: " + nearest->reason;
    return NoKernelError(sentence);
}

}  // namespace ckdispatch

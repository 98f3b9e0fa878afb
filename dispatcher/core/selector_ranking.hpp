// SPDX-License-Identifier: MIT
// What every kernel is to a problem. Of Selector, which includes it.
#pragma once

#include "ckdispatch/core/selector.hpp"

namespace ckdispatch {

template <class Family>
Ranking<Family> Selector<Family>::rank_alone(const Problem& problem) const {
    Ranking<Family> ranking;
    for (const KernelPtr& kernel : kernels_for(problem)) {
        std::vector<Candidate<Family>> ways;
        Refused<Family> refused{kernel, ErrorCode::ok, {}};
        if (!candidates_of(kernel, problem, ways, refused)) {
            ranking.refused.push_back(std::move(refused));
            continue;
        }
        bool fits = false;
        for (Candidate<Family>& way : ways) {
            if (!supported(way, problem, refused)) continue;
            fits = true;
            ranking.fit.push_back(std::move(way));
        }
        if (!fits) ranking.refused.push_back(std::move(refused));
    }
    correct(ranking.fit, problem);
    sort(ranking.fit);
    return ranking;
}

template <class Family>
Ranking<Family> Selector<Family>::rank_shares(const Problem& problem,
                                              const std::vector<Division<Problem>>& divisions) const {
    Ranking<Family> all;
    std::set<const void*> serving;
    std::map<const void*, Refused<Family>> refused;
    for (const Division<Problem>& division : divisions) {
        std::vector<Ranking<Family>> pieces;
        bool complete = true;
        double others = 0;
        for (const auto& piece : division.pieces) {
            pieces.push_back(rank_alone(piece.problem));
            for (Refused<Family>& one : pieces.back().refused) refused.try_emplace(one.kernel.get(), std::move(one));
            complete = complete && !pieces.back().fit.empty();
            if (complete)
                others += (pieces.size() - 1 == division.main ? 0 : pieces.back().fit.front().microseconds) +
                          transfers_of(piece);
        }
        if (!complete || pieces.empty()) continue;
        for (const Ranking<Family>& one : pieces)
            for (const Candidate<Family>& candidate : one.fit) serving.insert(candidate.kernel.get());
        for (Candidate<Family> candidate : pieces[division.main].fit) {
            const auto share =
                std::make_shared<Share<Family>>(Share<Family>{division.pieces[division.main].problem, {}});
            const auto plan = joined(problem, division, [&](const Problem& piece) {
                const std::size_t at = share->kernels.size();
                const auto& chosen = at == division.main ? candidate : pieces[at].fit.front();
                share->kernels.push_back(chosen.kernel->name());
                return make_plan(chosen, piece);
            });
            candidate.microseconds += others;
            candidate.workspace_bytes = plan->workspace_bytes;
            candidate.share = share;
            if (plan->workspace_bytes <= problem.workspace_limit) all.fit.push_back(std::move(candidate));
        }
    }
    for (const KernelPtr& kernel : registry_->kernels()) {
        if (serving.count(kernel.get())) continue;
        const auto known = refused.find(kernel.get());
        if (known != refused.end()) all.refused.push_back(known->second);
        else
            all.refused.push_back(
                {kernel, ErrorCode::unsupported, kernel->name() + " computes nothing that this problem needs.", 0});
    }
    sort(all.fit);
    return all;
}

}  // namespace ckdispatch

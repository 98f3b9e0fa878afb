// SPDX-License-Identifier: MIT
// How a kernel could run a problem, what that should take, and whether its library agrees. Of Selector, which includes
// it.
#pragma once

#include "ckdispatch/core/selector.hpp"

namespace ckdispatch {

template <class Family>
bool Selector<Family>::candidates_of(const KernelPtr& kernel, const Problem& problem,
                                     std::vector<Candidate<Family>>& ways, Refused<Family>& refused) const {
    const Resources* used = kernel->resources_on(gpu_);
    const Mismatch mismatch = Family::mismatch(kernel->key(), problem, *facts_);
    // Of two that are equally near, the one for this GPU.
    const int nearness = 2 * mismatch.passed + (used ? 1 : 0);
    if (!used) {
        refused = {kernel, ErrorCode::wrong_gpu,
                   kernel->name() + " holds no code for " + std::string(gpu_.text()) + ".", nearness};
        return false;
    }
    if (!mismatch.why.empty()) {
        refused = {kernel, ErrorCode::unsupported, kernel->name() + " " + mismatch.why, nearness};
        return false;
    }
    for (auto& way : Family::ways(kernel->key(), problem, workgroups_at_once(*used, *facts_))) {
        Candidate<Family> candidate{kernel, way, 0};
        predict(candidate, problem, *used);
        ways.push_back(std::move(candidate));
    }
    if (ways.empty())
        refused = {kernel, ErrorCode::unsupported, kernel->name() + " has no way to compute this problem.", nearness};
    return !ways.empty();
}

template <class Family>
auto Selector<Family>::model_of(const Kernel<Key>& kernel) const -> const Learned<Key>* {
    if (strategy_ != Strategy::model || predictor_) return nullptr;
    const auto found =
        std::find_if(models_.begin(), models_.end(), [&](const Learned<Key>& one) { return one.serves(kernel.key()); });
    return found == models_.end() ? nullptr : &*found;
}

template <class Family>
void Selector<Family>::predict(Candidate<Family>& candidate, const Problem& problem, const Resources& used) const {
    if (strategy_ == Strategy::model && predictor_) {
        candidate.microseconds = predictor_(problem, candidate, *facts_);
        candidate.basis = Basis::predictor;
        // It would have no place among the others.
        if (std::isnan(candidate.microseconds))
            throw InvalidArgumentError("The model's prediction for " + candidate.kernel->name() + " is no number.");
        return;
    }
    const Learned<Key>* learned = model_of(*candidate.kernel);
    candidate.microseconds = (learned ? learned->costs() : costs_)
                                 .microseconds(Family::work(candidate.kernel->key(), problem, candidate.way), used);
}

template <class Family>
void Selector<Family>::correct(std::vector<Candidate<Family>>& candidates, const Problem& problem, std::size_t first,
                               std::size_t last) const {
    if (strategy_ != Strategy::model || predictor_) return;
    for (const Learned<Key>& learned : models_) {
        std::vector<Features> rows;
        std::vector<Candidate<Family>*> served;
        for (std::size_t i = first; i < last; ++i) {
            Candidate<Family>& one = candidates[i];
            if (one.basis != Basis::cost_model || model_of(*one.kernel) != &learned) continue;
            const Resources& used = *one.kernel->resources_on(gpu_);
            const Work work = Family::work(one.kernel->key(), problem, one.way);
            const Rounds rounds = rounds_of(work, used, *facts_);
            rows.push_back(features_of(work, rounds, learned.costs().terms(work, rounds, used), learned.costs()));
            served.push_back(&one);
        }
        if (rows.empty()) continue;
        std::vector<double> factors(rows.size());
        learned.model().corrections(rows.data()->data(), rows.size(), factors.data());
        for (std::size_t i = 0; i < served.size(); ++i) {
            served[i]->microseconds *= factors[i];
            served[i]->basis = learned.model().seen(rows[i].data()) ? Basis::learned : Basis::beyond;
        }
    }
}

template <class Family>
std::size_t Selector<Family>::sort_more(std::vector<Candidate<Family>>& candidates, std::size_t first,
                                        std::size_t sorted, const Problem& problem) const {
    constexpr std::size_t kCorrected = 16;
    if (strategy_ != Strategy::model || predictor_) return candidates.size();
    const auto at = [&](std::size_t place) { return candidates.begin() + std::ptrdiff_t(place); };
    while (sorted < candidates.size() && (sorted == first || better(candidates[sorted], candidates[first]))) {
        const std::size_t next = std::min(sorted + kCorrected, candidates.size());
        correct(candidates, problem, sorted, next);
        std::stable_sort(at(first), at(next), better);
        sorted = next;
    }
    return sorted;
}

template <class Family>
bool Selector<Family>::supported(Candidate<Family>& candidate, const Problem& problem, Refused<Family>& refused) const {
    try {
        const ck_kernel_api& api = candidate.kernel->library().api();
        const auto bound = Family::probe(problem, candidate.way);
        char why[512] = "";
        const auto status = api.supports(&bound.base, gpu_.c_str(), why, sizeof(why));
        if (status == CK_KERNEL_OK) {
            candidate.workspace_bytes = workspace_of(candidate, bound);
            return within_workspace(candidate, problem, refused);
        }
        refused = {candidate.kernel, code_of(status), why, kAsked};
    } catch (const Error& error) {
        refused = {candidate.kernel, error.code(), error.what(), kAsked};
    }
    return false;
}

template <class Family>
bool Selector<Family>::within_workspace(const Candidate<Family>& candidate, const Problem& problem,
                                        Refused<Family>& refused) {
    const std::uint64_t needed = candidate.workspace_bytes;
    if (needed <= problem.workspace_limit) return true;
    refused = {candidate.kernel, ErrorCode::unsupported,
               candidate.kernel->name() + " needs a workspace of " + std::to_string(needed) +
                   " bytes, and the limit is " + std::to_string(problem.workspace_limit) + ".",
               kAsked};
    return false;
}

template <class Family>
std::uint64_t Selector<Family>::workspace_of(const Candidate<Family>& candidate,
                                             const typename Family::Bound& bound) const {
    std::uint64_t bytes = 0;
    char why[512] = "";
    const auto status =
        candidate.kernel->library().api().workspace_size(&bound.base, gpu_.c_str(), &bytes, why, sizeof(why));
    if (status != CK_KERNEL_OK) throw_error(code_of(status), why);
    return bytes;
}

}  // namespace ckdispatch

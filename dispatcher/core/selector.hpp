// SPDX-License-Identifier: MIT
// Chooses plans for problems on one GPU. It needs no device: what a kernel computes is its library's own answer, and
// that needs none.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "arch/arch_types.hpp"
#include "ckdispatch/core/family.hpp"
#include "ckdispatch/core/fields.hpp"
#include "ckdispatch/core/gpus.hpp"
#include "ckdispatch/core/learned.hpp"
#include "ckdispatch/core/mismatch.hpp"
#include "ckdispatch/core/sections.hpp"
#include "ckdispatch/core/selection.hpp"
#include "ckdispatch/core/selection_cache.hpp"

namespace ckdispatch {

template <class Family>
class Selector {
public:
    using Key = typename Family::Key;
    using Problem = typename Family::Problem;
    using Registry = typename Family::Registry;
    using KernelPtr = typename Registry::KernelPtr;
    using PlanPtr = std::shared_ptr<const Plan<Family>>;

    Selector(std::shared_ptr<Registry> registry, Name gpu)
        : registry_(std::move(registry)), gpu_(gpu), facts_(&gpu_facts(gpu)), costs_(Key::family, *facts_) {
        for (auto& model : bundled_models(Key::family, gpu, feature_names(Family::details())))
            models_.emplace_back(std::move(model));
        if (!models_.empty()) strategy_ = Strategy::model;
    }

    Registry& registry() const { return *registry_; }
    Name gpu() const { return gpu_; }
    const arch::GpuSpec& facts() const { return *facts_; }
    const CostModel& costs() const { return costs_; }

    /// Not to be called while another thread selects.
    void use(Strategy strategy) { use(strategy, predictor_, chooser_); }
    void use(Predictor<Family> predictor) { use(Strategy::model, std::move(predictor), chooser_); }
    void use(Chooser<Family> chooser) { use(Strategy::user_function, predictor_, std::move(chooser)); }
    Strategy strategy() const { return strategy_; }
    /// A learned model, in place of one for the same kernels. Throws InvalidArgumentError if it is of another GPU
    /// or family.
    void use(std::shared_ptr<const Model> model) {
        if (model->gpu() != gpu_.text())
            throw InvalidArgumentError("A model for " + model->gpu() + " was given to a dispatcher for " +
                                       std::string(gpu_.text()) + ".");
        Learned<Key> wanted(std::move(model));
        models_.erase(std::remove_if(models_.begin(), models_.end(),
                                     [&](const Learned<Key>& one) { return wanted.replaces(one); }),
                      models_.end());
        models_.push_back(std::move(wanted));
        use(Strategy::model, nullptr, chooser_);
    }
    const std::vector<Learned<Key>>& models() const { return models_; }
    /// Or a predictor of the caller's.
    bool has_model() const { return predictor_ || !models_.empty(); }
    /// Constants of the cost model in place of those of arch/. Throws InvalidArgumentError if one is negative or no
    /// number.
    void use(const Terms& constants) {
        for (const double one : constants)
            if (!(one >= 0) || std::isinf(one))
                throw InvalidArgumentError("The cost model was given the constant " + std::to_string(one) +
                                           "; each is a finite number from 0.");
        costs_ = CostModel(*facts_, constants);
        use(strategy_);
    }

    /// The plan for a problem; the same for the same problem as long as the registry does not change. If no kernel
    /// computes it at once, its pieces are selected for one by one. Throws NoKernelError.
    PlanPtr select(const Problem& problem) {
        const std::uint64_t version = registry_->version();
        if (PlanPtr known = cache_.find(problem, version)) return known;
        PlanPtr plan = choose_or_divide(problem);
        cache_.insert(problem, version, plan);
        return plan;
    }

    /// As select(). If no kernel takes the problem as it is, a plan for a larger one, on copies of the tensors with
    /// zeros around them, by the kernel that should then take the least time. Throws NoKernelError about the
    /// problem itself.
    PlanPtr select_padded(const Problem& problem) {
        const std::uint64_t version = registry_->version();
        if (PlanPtr known = padded_cache_.find(problem, version)) return known;
        PlanPtr plan = choose_or_pad(problem);
        padded_cache_.insert(problem, version, plan);
        return plan;
    }

    /// Every kernel: those that compute the problem, the best first, and for the others why not. Opens all libraries of
    /// the right signature. Where it takes several kernels, each that computes its main part is told apart, with the
    /// best for all others.
    Ranking<Family> rank(const Problem& problem) const {
        Ranking<Family> ranking = rank_alone(problem);
        if (!ranking.fit.empty()) return ranking;
        const auto divisions = Family::alternatives(problem, *facts_);
        return divisions.empty() || Family::section(problem).empty() ? ranking : rank_shares(problem, divisions);
    }

    /// A plan with that kernel and no other. Throws Error: not_found, or why the kernel does not compute the problem.
    PlanPtr select_explicit(const KernelPtr& kernel, const Problem& problem) const {
        if (!kernel)
            throw NotFoundError("A kernel was asked for that the registry " + registry_->name() + " does not have.");
        std::vector<Candidate<Family>> ways;
        Refused<Family> refused{kernel, ErrorCode::unsupported, {}};
        if (candidates_of(kernel, problem, ways, refused)) {
            correct(ways, problem);
            sort(ways);
            for (Candidate<Family>& way : ways)
                if (supported(way, problem, refused)) return make_plan(way, problem);
        }
        PlanPtr best;
        for (const Division<Problem>& division : Family::alternatives(problem, *facts_)) {
            try {
                const PlanPtr plan = with_kernel(kernel, problem, division);
                if (plan && (!best || plan->microseconds < best->microseconds)) best = plan;
            } catch (const Error& error) {
                refused.code = error.code(), refused.reason = error.what();
            }
        }
        if (!best) throw_error(refused.code, refused.reason);
        return best;
    }
    PlanPtr select_explicit(const Key& key, const Problem& problem) const {
        const KernelPtr kernel = registry_->find(key);
        if (!kernel) refuse_unknown(to_text(key));
        return select_explicit(kernel, problem);
    }
    PlanPtr select_explicit(const std::string& name, const Problem& problem) const {
        const KernelPtr kernel = registry_->find_name(name);
        if (!kernel) refuse_unknown(name);
        return select_explicit(kernel, problem);
    }

    std::size_t cached() const { return cache_.size(); }

private:
    /// Nearer than any whose signature is another: its library was asked.
    static constexpr int kAsked = std::numeric_limits<int>::max();

    [[noreturn]] void refuse_unknown(const std::string& kernel) const {
        throw NotFoundError("The kernel " + kernel + " was asked for, and the registry " + registry_->name() +
                            " does not have it.");
    }

    void use(Strategy strategy, Predictor<Family> predictor, Chooser<Family> chooser) {
        if (strategy == Strategy::model && !predictor && models_.empty())
            throw InvalidArgumentError("The strategy 'model' was asked for, and there is no model of " +
                                       std::string(Key::family) + " on " + std::string(gpu_.text()) +
                                       "; give one, or a predictor.");
        if (strategy == Strategy::user_function && !chooser)
            throw InvalidArgumentError(
                "The strategy 'user_function' was asked for, and there is no function; give a chooser.");
        strategy_ = strategy;
        predictor_ = std::move(predictor);
        chooser_ = std::move(chooser);
        cache_.clear();
        padded_cache_.clear();
    }

    // Kernels and the ways to run a problem on them: selector_candidates.hpp.
    Snapshot<KernelPtr> kernels_for(const Problem& problem) const {
        return sections_.of(*registry_, Family::section(problem));
    }
    /// Without a sentence where the family has such an answer; else it may be asked for.
    bool may_fit(const Kernel<Key>& kernel, const Problem& problem) const {
        if constexpr (Family::kFitsQuickly)
            return kernel.resources_on(gpu_) && Family::fits(kernel.key(), problem, *facts_);
        return true;
    }
    /// The ways to run the problem on a kernel with what they should take; false, with a reason, if its signature or
    /// GPU is another.
    bool candidates_of(const KernelPtr& kernel, const Problem& problem, std::vector<Candidate<Family>>& ways,
                       Refused<Family>& refused) const;
    /// The model that a kernel's time is corrected by, or nullptr.
    const Learned<Key>* model_of(const Kernel<Key>& kernel) const;
    /// Before any correction.
    void predict(Candidate<Family>& candidate, const Problem& problem, const Resources& used) const;
    /// What learned models make of the times of some candidates, which are rows side by side for their trees.
    void correct(std::vector<Candidate<Family>>& candidates, const Problem& problem) const {
        correct(candidates, problem, 0, candidates.size());
    }
    void correct(std::vector<Candidate<Family>>& candidates, const Problem& problem, std::size_t first,
                 std::size_t last) const;
    /// By priority, then by prediction; equal ones in the order of their keys.
    static bool better(const Candidate<Family>& a, const Candidate<Family>& b) {
        if (a.kernel->priority() != b.kernel->priority()) return a.kernel->priority() > b.kernel->priority();
        return a.microseconds < b.microseconds;
    }
    static void sort(std::vector<Candidate<Family>>& candidates) {
        std::stable_sort(candidates.begin(), candidates.end(), better);
    }
    /// Brings the best of the candidates from `first` on to that place, where those before `sorted` are in their final
    /// order and the rest in that of the cost model; returns the new `sorted`. A model corrects some at a time, and
    /// more only if one that it has not corrected would be better than all that it has.
    std::size_t sort_more(std::vector<Candidate<Family>>& candidates, std::size_t first, std::size_t sorted,
                          const Problem& problem) const;
    /// The library's own answer; opens it if it is not open.
    bool supported(Candidate<Family>& candidate, const Problem& problem, Refused<Family>& refused) const;
    static bool within_workspace(const Candidate<Family>& candidate, const Problem& problem, Refused<Family>& refused);
    std::uint64_t workspace_of(const Candidate<Family>& candidate, const typename Family::Bound& bound) const;

    // The best kernel: selector_choice.hpp.
    /// For the whole problem, or nullptr with the reasons of all: first of those that were asked, the best first.
    PlanPtr choose(const Problem& problem, std::vector<Refused<Family>>& tried) const;
    PlanPtr choose_by_function(const Problem& problem, std::vector<Refused<Family>>& refused) const;
    /// For a larger problem that suits it, or nullptr.
    PlanPtr choose_padded(const Problem& problem) const;
    NoKernelError no_kernel(const Problem& problem, const std::vector<Refused<Family>>& refused,
                            const Problem* piece = nullptr) const;

    // Problems in pieces: selector_divisions.hpp.
    PlanPtr choose_or_divide(const Problem& problem);
    PlanPtr choose_or_pad(const Problem& problem);
    /// Of a division, before any library is asked: the highest priority and the time of all its pieces, or nothing if
    /// one has no kernel.
    struct Estimate {
        int priority;
        double microseconds;
        const Division<Problem>* division;
    };
    std::optional<Estimate> estimate(const Division<Problem>& division) const;
    /// Whether times are those of the cost model.
    bool predicts_alone() const { return strategy_ != Strategy::model || (!predictor_ && models_.empty()); }
    /// The highest priority of the kernels that may serve a problem, and the least time among those.
    std::optional<std::pair<int, double>> best_prediction(const Problem& problem) const;
    /// The same with times that a model corrects, or a function of the caller's gives.
    std::optional<std::pair<int, double>> best_candidate(const Problem& problem) const;
    double transfers_of(const typename Division<Problem>::Piece& piece) const;
    /// The division that should take the least time. Libraries may refuse what they should be best at, so that the
    /// times of plans are compared with estimates of others.
    PlanPtr best_of(const Problem& problem, const std::vector<Division<Problem>>& divisions) const;
    PlanPtr choose_piece(const Problem& problem, const Problem& piece) const;
    /// The division with that kernel wherever it is of the section of a piece; nullptr if it is of none. Throws Error
    /// if it serves none of those.
    PlanPtr with_kernel(const KernelPtr& kernel, const Problem& problem, const Division<Problem>& division) const;

    // What every kernel is to a problem: selector_ranking.hpp.
    /// Of the kernels that compute the problem by themselves.
    Ranking<Family> rank_alone(const Problem& problem) const;
    /// Of those that compute the main piece of a division, each with the best for the other pieces; and of all others
    /// why they serve no piece.
    Ranking<Family> rank_shares(const Problem& problem, const std::vector<Division<Problem>>& divisions) const;

    // Plans of what was chosen: selector_plans.hpp.
    std::shared_ptr<Plan<Family>> empty_plan(const Problem& problem) const;
    PlanPtr make_plan(const Candidate<Family>& candidate, const Problem& problem) const;
    /// Those that are stages of their own; 0 if the launch is one. Launches that take turns in one workspace cannot be
    /// divided.
    std::uint32_t phases_of(const Candidate<Family>& candidate, const Problem& problem) const;
    /// Throws NoKernelError for a plan that needs too much memory of its own.
    static PlanPtr within_limit(PlanPtr plan);
    /// The plans of all pieces as one.
    template <class SelectPiece>
    std::shared_ptr<Plan<Family>> joined(const Problem& problem, const Division<Problem>& division,
                                         SelectPiece&& select_piece) const;
    /// The larger problem on copies of all tensors that are other ones in it; none if one of those may be left out,
    /// because zeros are not the same as nothing.
    static Division<Problem> padding(const Problem& problem, const Problem& larger);
    static std::vector<Region> regions_of(const Problem& problem);

    std::shared_ptr<Registry> registry_;
    Name gpu_;
    const arch::GpuSpec* facts_;
    CostModel costs_;
    std::vector<Learned<Key>> models_;
    Strategy strategy_ = Strategy::rules;
    Predictor<Family> predictor_;
    Chooser<Family> chooser_;
    SelectionCache<Problem, Plan<Family>> cache_, padded_cache_;
    mutable Sections<Family> sections_;
};

}  // namespace ckdispatch

// What its functions do, by what they are for.
#include "ckdispatch/core/selector_candidates.hpp"
#include "ckdispatch/core/selector_choice.hpp"
#include "ckdispatch/core/selector_divisions.hpp"
#include "ckdispatch/core/selector_plans.hpp"
#include "ckdispatch/core/selector_ranking.hpp"

// SPDX-License-Identifier: MIT
// Chooses plans for problems on one GPU. It needs no device: what a kernel computes is its library's own answer, and that needs none.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
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
    using Key       = typename Family::Key;
    using Problem   = typename Family::Problem;
    using Registry  = typename Family::Registry;
    using KernelPtr = typename Registry::KernelPtr;
    using PlanPtr   = std::shared_ptr<const Plan<Family>>;

    Selector(std::shared_ptr<Registry> registry, Name gpu) : registry_(std::move(registry)), gpu_(gpu), facts_(&gpu_facts(gpu)), costs_(Key::family, *facts_) {
        for (auto& model : bundled_models(Key::family, gpu, feature_names(Family::details()))) models_.emplace_back(std::move(model));
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
    /// A learned model, in place of one for the same kernels. Throws Error (invalid_argument) if it is of another GPU or family.
    void use(std::shared_ptr<const Model> model) {
        if (model->gpu() != gpu_.text())
            throw Error(ErrorCode::invalid_argument, "A model for " + model->gpu() + " was given to a dispatcher for " + std::string(gpu_.text()) + ".");
        Learned<Key> wanted(std::move(model));
        models_.erase(std::remove_if(models_.begin(), models_.end(), [&](const Learned<Key>& one) { return wanted.replaces(one); }), models_.end());
        models_.push_back(std::move(wanted));
        use(Strategy::model, nullptr, chooser_);
    }
    const std::vector<Learned<Key>>& models() const { return models_; }
    /// Or a predictor of the caller's.
    bool has_model() const { return predictor_ || !models_.empty(); }
    /// Constants of the cost model in place of those of arch/. Throws Error (invalid_argument) if one is negative or no number.
    void use(const Terms& constants) {
        for (const double one : constants)
            if (!(one >= 0) || std::isinf(one))
                throw Error(ErrorCode::invalid_argument, "The cost model was given the constant " + std::to_string(one) + "; each is a finite number from 0.");
        costs_ = CostModel(*facts_, constants);
        use(strategy_);
    }

    /// The plan for a problem; the same for the same problem as long as the registry does not change. If no kernel computes it at once, its pieces are
    /// selected for one by one. Throws Error (no_kernel).
    PlanPtr select(const Problem& problem) {
        const std::uint64_t version = registry_->version();
        if (PlanPtr known = cache_.find(problem, version)) return known;
        PlanPtr plan = choose_or_divide(problem);
        cache_.insert(problem, version, plan);
        return plan;
    }

    /// As select(). If no kernel takes the problem as it is, a plan for a larger one, on copies of the tensors with zeros around them, by the kernel that should then
    /// take the least time. Throws Error (no_kernel) about the problem itself.
    PlanPtr select_padded(const Problem& problem) {
        const std::uint64_t version = registry_->version();
        if (PlanPtr known = padded_cache_.find(problem, version)) return known;
        PlanPtr plan = choose_or_pad(problem);
        padded_cache_.insert(problem, version, plan);
        return plan;
    }

    /// Every kernel: those that compute the problem, the best first, and for the others why not. Opens all libraries of the right signature. Where it takes
    /// several kernels, each that computes its main part is told apart, with the best for all others.
    Ranking<Family> rank(const Problem& problem) const {
        Ranking<Family> ranking = rank_alone(problem);
        if (!ranking.fit.empty()) return ranking;
        const auto divisions = Family::alternatives(problem, *facts_);
        return divisions.empty() || Family::section(problem).empty() ? ranking : rank_shares(problem, divisions);
    }

    /// A plan with that kernel and no other. Throws Error: not_found, or why the kernel does not compute the problem.
    PlanPtr select_explicit(const KernelPtr& kernel, const Problem& problem) const {
        if (!kernel) throw Error(ErrorCode::not_found, "A kernel was asked for that the registry " + registry_->name() + " does not have.");
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
        if (!best) throw Error(refused.code, refused.reason);
        return best;
    }
    PlanPtr select_explicit(const Key& key, const Problem& problem) const {
        const KernelPtr kernel = registry_->find(key);
        if (!kernel) throw Error(ErrorCode::not_found, "The kernel " + to_text(key) + " was asked for, and the registry " + registry_->name() + " does not have it.");
        return select_explicit(kernel, problem);
    }
    PlanPtr select_explicit(const std::string& name, const Problem& problem) const {
        const KernelPtr kernel = registry_->find_name(name);
        if (!kernel) throw Error(ErrorCode::not_found, "The kernel " + name + " was asked for, and the registry " + registry_->name() + " does not have it.");
        return select_explicit(kernel, problem);
    }

    std::size_t cached() const { return cache_.size(); }

private:
    /// Nearer than any whose signature is another: its library was asked.
    static constexpr int kAsked = std::numeric_limits<int>::max();

    void use(Strategy strategy, Predictor<Family> predictor, Chooser<Family> chooser) {
        if (strategy == Strategy::model && !predictor && models_.empty())
            throw Error(ErrorCode::invalid_argument, "The strategy 'model' was asked for, and there is no model of " + std::string(Key::family) + " on " +
                                                         std::string(gpu_.text()) + "; give one, or a predictor.");
        if (strategy == Strategy::user_function && !chooser)
            throw Error(ErrorCode::invalid_argument, "The strategy 'user_function' was asked for, and there is no function; give a chooser.");
        strategy_  = strategy;
        predictor_ = std::move(predictor);
        chooser_   = std::move(chooser);
        cache_.clear();
        padded_cache_.clear();
    }

    /// The ways to run the problem on a kernel with what they should take; false, with a reason, if its signature or GPU is another.
    bool candidates_of(const KernelPtr& kernel, const Problem& problem, std::vector<Candidate<Family>>& ways, Refused<Family>& refused) const {
        const Resources* used   = kernel->resources_on(gpu_);
        const Mismatch mismatch = Family::mismatch(kernel->key(), problem, *facts_);
        // Of two that are equally near, the one for this GPU.
        const int nearness = 2 * mismatch.passed + (used ? 1 : 0);
        if (!used) {
            refused = {kernel, ErrorCode::wrong_gpu, kernel->name() + " holds no code for " + std::string(gpu_.text()) + ".", nearness};
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
        if (ways.empty()) refused = {kernel, ErrorCode::unsupported, kernel->name() + " has no way to compute this problem.", nearness};
        return !ways.empty();
    }

    /// The model that a kernel's time is corrected by, or nullptr.
    const Learned<Key>* model_of(const Kernel<Key>& kernel) const {
        if (strategy_ != Strategy::model || predictor_) return nullptr;
        const auto found = std::find_if(models_.begin(), models_.end(), [&](const Learned<Key>& one) { return one.serves(kernel.key()); });
        return found == models_.end() ? nullptr : &*found;
    }

    /// Before any correction.
    void predict(Candidate<Family>& candidate, const Problem& problem, const Resources& used) const {
        if (strategy_ == Strategy::model && predictor_) {
            candidate.microseconds = predictor_(problem, candidate, *facts_);
            candidate.basis        = Basis::predictor;
            // It would have no place among the others.
            if (std::isnan(candidate.microseconds))
                throw Error(ErrorCode::invalid_argument, "The model's prediction for " + candidate.kernel->name() + " is no number.");
            return;
        }
        const Learned<Key>* learned = model_of(*candidate.kernel);
        candidate.microseconds      = (learned ? learned->costs() : costs_).microseconds(Family::work(candidate.kernel->key(), problem, candidate.way), used);
    }

    /// What learned models make of the times of some candidates, which are rows side by side for their trees.
    void correct(std::vector<Candidate<Family>>& candidates, const Problem& problem) const { correct(candidates, problem, 0, candidates.size()); }
    void correct(std::vector<Candidate<Family>>& candidates, const Problem& problem, std::size_t first, std::size_t last) const {
        if (strategy_ != Strategy::model || predictor_) return;
        for (const Learned<Key>& learned : models_) {
            std::vector<Features> rows;
            std::vector<Candidate<Family>*> served;
            for (std::size_t i = first; i < last; ++i) {
                Candidate<Family>& one = candidates[i];
                if (one.basis != Basis::cost_model || model_of(*one.kernel) != &learned) continue;
                const Resources& used = *one.kernel->resources_on(gpu_);
                const Work work       = Family::work(one.kernel->key(), problem, one.way);
                const Rounds rounds   = rounds_of(work, used, *facts_);
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

    /// By priority, then by prediction; equal ones in the order of their keys.
    static bool better(const Candidate<Family>& a, const Candidate<Family>& b) {
        if (a.kernel->priority() != b.kernel->priority()) return a.kernel->priority() > b.kernel->priority();
        return a.microseconds < b.microseconds;
    }
    static void sort(std::vector<Candidate<Family>>& candidates) { std::stable_sort(candidates.begin(), candidates.end(), better); }

    /// Brings the best of the candidates from `first` on to that place, where those before `sorted` are in their final order and the rest in that of the cost
    /// model; returns the new `sorted`. A model corrects some at a time, and more only if one that it has not corrected would be better than all that it has.
    std::size_t sort_more(std::vector<Candidate<Family>>& candidates, std::size_t first, std::size_t sorted, const Problem& problem) const {
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

    /// The library's own answer; opens it if it is not open.
    bool supported(Candidate<Family>& candidate, const Problem& problem, Refused<Family>& refused) const {
        try {
            const ck_kernel_api& api = candidate.kernel->library().api();
            const auto bound         = Family::probe(problem, candidate.way);
            char why[512]            = "";
            const auto status        = api.supports(&bound.base, gpu_.c_str(), why, sizeof(why));
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

    static bool within_workspace(const Candidate<Family>& candidate, const Problem& problem, Refused<Family>& refused) {
        const std::uint64_t needed = candidate.workspace_bytes;
        if (needed <= problem.workspace_limit) return true;
        refused = {candidate.kernel, ErrorCode::unsupported,
                   candidate.kernel->name() + " needs a workspace of " + std::to_string(needed) + " bytes, and the limit is " + std::to_string(problem.workspace_limit) + ".", kAsked};
        return false;
    }

    std::uint64_t workspace_of(const Candidate<Family>& candidate, const typename Family::Bound& bound) const {
        std::uint64_t bytes = 0;
        char why[512]       = "";
        const auto status   = candidate.kernel->library().api().workspace_size(&bound.base, gpu_.c_str(), &bytes, why, sizeof(why));
        if (status != CK_KERNEL_OK) throw Error(code_of(status), why);
        return bytes;
    }

    PlanPtr choose_or_divide(const Problem& problem) {
        std::vector<Refused<Family>> refused;
        if (PlanPtr plan = choose(problem, refused)) return plan;
        const auto divisions = Family::alternatives(problem, *facts_);
        if (divisions.empty()) throw no_kernel(problem, refused);
        if (!Family::section(problem).empty()) return best_of(problem, divisions);
        // A function of the caller's may be told of the whole problem alone, and what it says of a piece is then nothing to keep.
        const bool asks = (strategy_ == Strategy::model && predictor_) || strategy_ == Strategy::user_function;
        return within_limit(joined(problem, divisions.front(), [&](const Problem& piece) { return asks ? choose_or_divide(piece) : select(piece); }));
    }

    PlanPtr choose_or_pad(const Problem& problem) {
        try {
            return select(problem);
        } catch (const Error& refusal) {
            if (refusal.code() != ErrorCode::no_kernel) throw;
            if (PlanPtr plan = choose_padded(problem)) return plan;
            PlanPtr best;
            for (const Division<Problem>& division : Family::alternatives(problem, *facts_)) {
                try {
                    const PlanPtr plan = within_limit(joined(problem, division, [&](const Problem& piece) { return select_padded(piece); }));
                    if (!best || plan->microseconds < best->microseconds) best = plan;
                } catch (const Error& other) {
                    if (other.code() != ErrorCode::no_kernel) throw;
                }
            }
            if (best) return best;
            throw;
        }
    }

    /// Of a division, before any library is asked: the highest priority and the time of all its pieces, or nothing if one has no kernel.
    struct Estimate {
        int priority;
        double microseconds;
        const Division<Problem>* division;
    };
    std::optional<Estimate> estimate(const Division<Problem>& division) const {
        Estimate all{std::numeric_limits<int>::min(), 0, &division};
        for (const auto& piece : division.pieces) {
            const auto best = predicts_alone() ? best_prediction(piece.problem) : best_candidate(piece.problem);
            if (!best) return std::nullopt;
            all.priority = std::max(all.priority, best->first);
            all.microseconds += best->second + transfers_of(piece);
        }
        return all;
    }
    /// Whether times are those of the cost model.
    bool predicts_alone() const { return strategy_ != Strategy::model || (!predictor_ && models_.empty()); }
    /// The highest priority of the kernels that may serve a problem, and the least time among those.
    std::optional<std::pair<int, double>> best_prediction(const Problem& problem) const {
        std::optional<std::pair<int, double>> best;
        for (const KernelPtr& kernel : kernels_for(problem)) {
            const Resources* used = kernel->resources_on(gpu_);
            const bool worse      = best && kernel->priority() < best->first;
            if (!used || worse || !may_fit(*kernel, problem)) continue;
            if (!Family::kFitsQuickly && !Family::mismatch(kernel->key(), problem, *facts_).why.empty()) continue;
            for (const auto& way : Family::ways(kernel->key(), problem, workgroups_at_once(*used, *facts_))) {
                const double time = costs_.microseconds(Family::work(kernel->key(), problem, way), *used);
                if (!best || kernel->priority() > best->first || time < best->second) best = {kernel->priority(), time};
            }
        }
        return best;
    }
    /// The same with times that a model corrects, or a function of the caller's gives.
    std::optional<std::pair<int, double>> best_candidate(const Problem& problem) const {
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
    double transfers_of(const typename Division<Problem>::Piece& piece) const {
        const std::size_t transfers = piece.before.size() + piece.after.size();
        return transfers ? costs_.transfer_microseconds(piece.transferred(), transfers) : 0;
    }

    /// The division that should take the least time. Libraries may refuse what they should be best at, so that the times of plans are compared with estimates
    /// of others.
    PlanPtr best_of(const Problem& problem, const std::vector<Division<Problem>>& divisions) const {
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
            if (best && (in_order || strategy_ == Strategy::user_function || one.priority < priority || best->microseconds <= one.microseconds)) break;
            try {
                const PlanPtr plan = within_limit(joined(problem, *one.division, [&](const Problem& piece) { return choose_piece(problem, piece); }));
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
    PlanPtr choose_piece(const Problem& problem, const Problem& piece) const {
        std::vector<Refused<Family>> refused;
        if (PlanPtr plan = choose(piece, refused)) return plan;
        throw no_kernel(problem, refused, &piece);
    }

    /// The division with that kernel wherever it is of the section of a piece; nullptr if it is of none. Throws Error if it serves none of those.
    PlanPtr with_kernel(const KernelPtr& kernel, const Problem& problem, const Division<Problem>& division) const {
        const Name section = Family::section(kernel->key());
        std::vector<PlanPtr> plans;
        std::optional<Error> refusal;
        bool used = false;
        for (const auto& piece : division.pieces) {
            plans.emplace_back();
            if (section != Family::section(piece.problem)) continue;
            try {
                plans.back() = select_explicit(kernel, piece.problem);
                used         = true;
            } catch (const Error& error) {
                if (section.empty()) throw;
                refusal = error;
            }
        }
        if (!used && refusal) throw *refusal;
        if (!used) return nullptr;
        std::size_t at = 0;
        return within_limit(joined(problem, division, [&](const Problem& piece) { return plans[at] ? plans[at++] : (++at, choose_piece(problem, piece)); }));
    }

    /// Of the kernels that compute the problem by themselves.
    Ranking<Family> rank_alone(const Problem& problem) const {
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

    /// Of those that compute the main piece of a division, each with the best for the other pieces; and of all others why they serve no piece.
    Ranking<Family> rank_shares(const Problem& problem, const std::vector<Division<Problem>>& divisions) const {
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
                if (complete) others += (pieces.size() - 1 == division.main ? 0 : pieces.back().fit.front().microseconds) + transfers_of(piece);
            }
            if (!complete) continue;
            for (const Ranking<Family>& one : pieces)
                for (const Candidate<Family>& candidate : one.fit) serving.insert(candidate.kernel.get());
            for (Candidate<Family> candidate : pieces[division.main].fit) {
                const auto share = std::make_shared<Share<Family>>(Share<Family>{division.pieces[division.main].problem, {}});
                const auto plan  = joined(problem, division, [&](const Problem& piece) {
                    const std::size_t at = share->kernels.size();
                    const auto& chosen   = at == division.main ? candidate : pieces[at].fit.front();
                    share->kernels.push_back(chosen.kernel->name());
                    return make_plan(chosen, piece);
                });
                candidate.microseconds += others;
                candidate.workspace_bytes = plan->workspace_bytes;
                candidate.share           = share;
                if (plan->workspace_bytes <= problem.workspace_limit) all.fit.push_back(std::move(candidate));
            }
        }
        for (const KernelPtr& kernel : registry_->kernels()) {
            if (serving.count(kernel.get())) continue;
            const auto known = refused.find(kernel.get());
            if (known != refused.end())
                all.refused.push_back(known->second);
            else
                all.refused.push_back({kernel, ErrorCode::unsupported, kernel->name() + " computes nothing that this problem needs.", 0});
        }
        sort(all.fit);
        return all;
    }

    Snapshot<KernelPtr> kernels_for(const Problem& problem) const { return sections_.of(*registry_, Family::section(problem)); }

    /// Without a sentence where the family has such an answer; else it may be asked for.
    bool may_fit(const Kernel<Key>& kernel, const Problem& problem) const {
        if constexpr (Family::kFitsQuickly) return kernel.resources_on(gpu_) && Family::fits(kernel.key(), problem, *facts_);
        return true;
    }

    /// The best kernel for a larger problem that suits it, or nullptr.
    PlanPtr choose_padded(const Problem& problem) const {
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
            const auto& piece   = paddings.back().pieces[0];
            const double copies = costs_.transfer_microseconds(piece.transferred(), piece.before.size() + piece.after.size());
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
            plan->padded    = copies.pieces[0].problem.text();
            if (plan->workspace_bytes <= problem.workspace_limit) return plan;
        }
        return nullptr;
    }

    /// The larger problem on copies of all tensors that are other ones in it; none if one of those may be left out, because zeros are not the same as nothing.
    static Division<Problem> padding(const Problem& problem, const Problem& larger) {
        Division<Problem> division;
        division.pieces.push_back({larger, {}, {}, {}});
        auto& piece = division.pieces[0];
        for (std::size_t i = 0; i < Family::tensor_count(problem); ++i) {
            const Lines own = Family::lines(problem, i), wanted = Family::lines(larger, i);
            const bool alike = own.in_bytes() == wanted.in_bytes() && problem.alignment >= larger.alignment;
            const Argument copy = alike ? Argument::tensor(i) : Argument::temporary(division.temporaries.size());
            piece.arguments.push_back(copy);
            if (alike) continue;
            if (Family::optional(problem, i)) return {};
            const std::uint64_t bytes = region_of(wanted).reach;
            division.temporaries.push_back({bytes});
            if (wanted.written) {
                piece.after.push_back(copying(Argument::tensor(i), own, copy, wanted));
                continue;
            }
            const Transfer elements = copying(copy, wanted, Argument::tensor(i), own);
            if (elements.bytes() < bytes) piece.before.push_back(clearing(copy, bytes));
            piece.before.push_back(elements);
        }
        return division;
    }

    /// The best kernel for the whole problem, or nullptr with the reasons of all: first of those that were asked, the best first.
    PlanPtr choose(const Problem& problem, std::vector<Refused<Family>>& tried) const {
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
            std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.kernel->priority() > b.kernel->priority(); });
        else
            sort(candidates);
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

    PlanPtr choose_by_function(const Problem& problem, std::vector<Refused<Family>>& refused) const {
        const Ranking<Family> ranking = rank(problem);
        if (ranking.fit.empty()) {
            refused = ranking.refused;
            return nullptr;
        }
        const std::size_t chosen = chooser_(problem, ranking.fit).value_or(0);
        if (chosen >= ranking.fit.size())
            throw Error(ErrorCode::invalid_argument, "The function that chooses kernels returned candidate " + std::to_string(chosen) + " of " + std::to_string(ranking.fit.size()) + ".");
        return make_plan(ranking.fit[chosen], problem);
    }

    Error no_kernel(const Problem& problem, const std::vector<Refused<Family>>& refused, const Problem* piece = nullptr) const {
        std::string sentence = "No kernel of the registry " + registry_->name() + " computes " + problem.text() + " on " + std::string(gpu_.text());
        if (piece) sentence += ", which takes " + piece->text();
        if (refused.empty()) return {ErrorCode::no_kernel, sentence + ": it has none."};
        const auto nearest = std::max_element(refused.begin(), refused.end(), [](const auto& a, const auto& b) { return a.nearness < b.nearness; });
        std::set<const void*> kernels;  // one may have been asked in several ways
        for (const Refused<Family>& one : refused) kernels.insert(one.kernel.get());
        sentence += " (" + std::to_string(kernels.size()) + " refuse). The nearest: " + nearest->reason;
        return {ErrorCode::no_kernel, sentence};
    }

    std::shared_ptr<Plan<Family>> empty_plan(const Problem& problem) const {
        auto plan     = std::make_shared<Plan<Family>>();
        plan->problem = problem;
        plan->gpu     = gpu_;
        plan->regions = regions_of(problem);
        return plan;
    }

    PlanPtr make_plan(const Candidate<Family>& candidate, const Problem& problem) const {
        const auto plan = empty_plan(problem);
        Stage<Family> stage{candidate.kernel, &candidate.kernel->library().api(), candidate.way, candidate.workspace_bytes, problem, {}, {}, {}};
        for (std::size_t i = 0; i < plan->regions.size(); ++i) stage.arguments.push_back(Argument::tensor(i));
        if (candidate.workspace_bytes) {
            stage.scratch = 0;
            plan->temporaries.push_back({candidate.workspace_bytes});
        }
        plan->microseconds = candidate.microseconds;
        const std::uint32_t phases = phases_of(candidate, problem);
        for (const std::uint32_t phase : {CK_PHASE_CLEAR, CK_PHASE_COMPUTE, CK_PHASE_COMBINE}) {
            stage.phases = phase;
            if (phases & phase) plan->stages.push_back(stage);
        }
        stage.phases = 0;
        if (plan->stages.empty()) plan->stages.push_back(std::move(stage));
        plan->lay_out();
        return plan;
    }

    /// Those that are stages of their own; 0 if the launch is one. Launches that take turns in one workspace cannot be divided.
    std::uint32_t phases_of(const Candidate<Family>& candidate, const Problem& problem) const {
        const ck_kernel_api& api = candidate.kernel->library().api();
        if (api.struct_size < sizeof(ck_kernel_api) || !api.phases || Family::launches(problem, candidate.way) != 1) return 0;
        std::uint32_t bits = 0;
        char why[512]      = "";
        const auto bound   = Family::probe(problem, candidate.way);
        const auto status  = api.phases(&bound.base, gpu_.c_str(), &bits, why, sizeof(why));
        if (status != CK_KERNEL_OK) throw Error(code_of(status), why);
        return bits == CK_PHASE_COMPUTE ? 0 : bits;
    }

    /// Throws Error (no_kernel) for a plan that needs too much memory of its own.
    static PlanPtr within_limit(PlanPtr plan) {
        if (plan->workspace_bytes <= plan->problem.workspace_limit) return plan;
        throw Error(ErrorCode::no_kernel, "A plan for " + plan->problem.text() + " needs a workspace of " + std::to_string(plan->workspace_bytes) + " bytes, and the limit is " +
                                              std::to_string(plan->problem.workspace_limit) + ".");
    }

    /// The plans of all pieces as one.
    template <class SelectPiece>
    std::shared_ptr<Plan<Family>> joined(const Problem& problem, const Division<Problem>& division, SelectPiece&& select_piece) const {
        const auto plan   = empty_plan(problem);
        plan->temporaries = division.temporaries;
        for (const auto& piece : division.pieces) {
            const std::size_t first = plan->stages.size();
            plan->append(*select_piece(piece.problem), piece.arguments);
            plan->microseconds += transfers_of(piece);
            for (std::size_t i = first; i < plan->stages.size(); ++i) {
                Stage<Family>& stage = plan->stages[i];
                for (std::size_t t = 0; t < stage.arguments.size(); ++t)
                    if (stage.arguments[t].kind == Argument::Kind::temporary && !Family::needs(stage.kernel->key(), stage.problem, t)) stage.arguments[t] = {};
            }
            auto &before = plan->stages[first].before, &after = plan->stages.back().after;
            before.insert(before.begin(), piece.before.begin(), piece.before.end());
            after.insert(after.end(), piece.after.begin(), piece.after.end());
        }
        plan->lay_out();
        return plan;
    }

    static std::vector<Region> regions_of(const Problem& problem) {
        std::vector<Region> regions(Family::tensor_count(problem));
        for (std::size_t i = 0; i < regions.size(); ++i) {
            regions[i]          = Family::region(problem, i);
            regions[i].optional = Family::optional(problem, i);
        }
        return regions;
    }

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

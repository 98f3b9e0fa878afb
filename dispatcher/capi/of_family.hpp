// SPDX-License-Identifier: MIT
// The plans and the dispatcher of one family behind the interface of all. Read makes its problem from a structure of C,
// or throws Error for one that is none.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "ckdispatch/capi/handles.hpp"
#include "ckdispatch/core/dispatcher.hpp"
#include "ckdispatch/core/features.hpp"
#include "ckdispatch/core/json.hpp"

namespace ckdispatch::capi {

template <class Family>
struct DispatcherState {
    DispatcherState(std::shared_ptr<typename Family::Registry> registry, Name gpu)
        : selector(std::make_shared<Selector<Family>>(std::move(registry), gpu)) {}

    Dispatcher<Family>& running() {
        Dispatcher<Family>* attached = dispatcher.load(std::memory_order_acquire);
        if (!attached)
            throw InvalidArgumentError("A plan was to be run, and its dispatcher has no device; attach one first.");
        return *attached;
    }

    std::shared_ptr<Selector<Family>> selector;
    std::mutex attaching;
    std::unique_ptr<Dispatcher<Family>> owned;
    std::atomic<Dispatcher<Family>*> dispatcher{nullptr};
};

// By the function of the family, which a member of the same name would hide.
template <class Family, class PlanOrProblem>
Validation validated(Dispatcher<Family>& dispatcher, const PlanOrProblem& what, Tensors tensors,
                     const RunOptions& options) {
    return validate(dispatcher, what, tensors, options);
}

template <class Family>
class PlanOf final : public AnyPlan {
public:
    using State = std::shared_ptr<DispatcherState<Family>>;
    using PlanPtr = std::shared_ptr<const Plan<Family>>;

    PlanOf(State state, PlanPtr plan)
        : AnyPlan(Family::tensor_count(plan->problem)), state_(std::move(state)), plan_(std::move(plan)) {}

    const std::string& kernel() const override { return plan_->name(); }
    std::uint64_t workspace_bytes() const override { return plan_->workspace_bytes; }
    std::string to_json() const override {
        Json stages = Json::array();
        for (const auto& stage : plan_->stages) {
            if (!stage.computes()) continue;
            stages.push_back({{"kernel", stage.kernel->name()},
                              {"key", to_text(stage.kernel->key())},
                              {"library", stage.kernel->file().path},
                              {"problem", stage.problem.text()},
                              {"parts", Family::parts(stage.way)},
                              {"launches", Family::launches(stage.problem, stage.way)},
                              {"workspace_bytes", stage.workspace_bytes}});
        }
        return shown({{"problem", plan_->problem.text()},
                      {"padded", plan_->padded.empty() ? Json() : Json(plan_->padded)},
                      {"gpu", std::string(plan_->gpu.text())},
                      {"stages", stages},
                      {"steps", steps()},
                      {"launches", plan_->launches()},
                      {"workspace_bytes", plan_->workspace_bytes},
                      {"predicted_microseconds", plan_->microseconds}});
    }
    void run(void* const* tensors, const RunOptions& options) const override {
        state_->running().run_plan(*plan_, tensors, options);
    }
    BenchmarkResult benchmark(void* const* tensors, const BenchmarkOptions& options) const override {
        return state_->running().benchmark(*plan_, tensors, options);
    }
    Validation validate(void* const* tensors, const RunOptions& options) const override {
        return validated(state_->running(), *plan_, tensors, options);
    }

private:
    /// What it does, one after the other.
    Json steps() const {
        const auto argument = [&](const Argument& one) -> Json {
            if (one.kind == Argument::Kind::nothing) return nullptr;
            const std::string offset = one.offset ? " + " + std::to_string(one.offset) : "";
            return (one.kind == Argument::Kind::tensor ? Family::tensor_name(plan_->problem, one.index)
                                                       : "temporary " + std::to_string(one.index)) +
                   offset;
        };
        Json all = Json::array();
        const auto move = [&](const std::vector<Transfer>& transfers) {
            for (const Transfer& one : transfers) {
                const bool clears = one.from.kind == Argument::Kind::nothing;
                all.push_back({{"step", clears ? "clear" : "copy"}, {"to", argument(one.to)}, {"bytes", one.bytes()}});
                if (!clears) all.back()["from"] = argument(one.from);
            }
        };
        move(plan_->before);
        for (const Stage<Family>& stage : plan_->stages) {
            move(stage.before);
            Json arguments = Json::array();
            for (const Argument& one : stage.arguments) arguments.push_back(argument(one));
            const char* const phase = stage.computes() ? "launch" : stage.phases & CK_PHASE_CLEAR ? "clear" : "combine";
            all.push_back({{"step", phase}, {"kernel", stage.kernel->name()}, {"arguments", std::move(arguments)}});
            move(stage.after);
        }
        return all;
    }

    State state_;
    PlanPtr plan_;
};

template <class Family, typename Family::Problem (*Read)(const ckd_problem&)>
class DispatcherOf final : public FamilyDispatcher {
public:
    using Problem = typename Family::Problem;

    DispatcherOf(const KernelRegistry& registry, Name gpu)
        : state_(std::make_shared<DispatcherState<Family>>(registry.of<typename Family::Registry>(), gpu)) {}

    void use(Strategy strategy) override { selector().use(strategy); }
    void use_model(const std::string& path) override {
        selector().use(Model::read(path, feature_names(Family::details())));
    }
    bool has_model() const override { return state_->selector->has_model(); }
    void use(const Terms& constants) override { selector().use(constants); }
    void use(ckd_predictor predictor, void* user) override {
        selector().use(Predictor<Family>([predictor, user](const Problem&, const Candidate<Family>& candidate,
                                                           const arch::GpuSpec&) {
            return predictor(user, current_problem(), candidate.kernel->name().c_str(), Family::parts(candidate.way));
        }));
    }
    void use(ckd_chooser chooser, void* user) override {
        selector().use(
            Chooser<Family>([chooser, user](const Problem&, const std::vector<Candidate<Family>>& candidates) {
                std::vector<const char*> names;
                for (const auto& candidate : candidates) names.push_back(candidate.kernel->name().c_str());
                return std::optional<std::size_t>(chooser(user, current_problem(), names.data(), names.size()));
            }));
    }

    std::unique_ptr<AnyPlan> select(const ckd_problem& problem, bool padded) override {
        const Current current(problem);
        return plan(padded ? selector().select_padded(Read(problem)) : selector().select(Read(problem)));
    }
    std::unique_ptr<AnyPlan> select_explicit(const std::string& name_or_key, const ckd_problem& problem) override {
        const Current current(problem);
        const Problem read = Read(problem);
        return plan(is_key(name_or_key) ? selector().select_explicit(from_text<typename Family::Key>(name_or_key), read)
                                        : selector().select_explicit(name_or_key, read));
    }
    std::string rank(const ckd_problem& problem) override {
        const Current current(problem);
        const Problem read = Read(problem);
        const Ranking<Family> ranking = selector().rank(read);
        Json fit = Json::array(), refused = Json::array();
        for (const auto& candidate : ranking.fit) {
            fit.push_back({{"kernel", candidate.kernel->name()},
                           {"microseconds", candidate.microseconds},
                           {"basis", basis_name(candidate.basis)},
                           {"parts", Family::parts(candidate.way)},
                           {"workspace_bytes", candidate.workspace_bytes},
                           {"priority", candidate.kernel->priority()}});
            // Of what several kernels compute: all of them, and what this one computes of it.
            if (candidate.share)
                fit.back()["stages"] = candidate.share->kernels,
                fit.back()["problem"] = candidate.share->problem.text();
        }
        for (const auto& other : ranking.refused)
            refused.push_back({{"kernel", other.kernel->name()}, {"code", int(other.code)}, {"reason", other.reason}});
        return shown({{"problem", read.text()},
                      {"gpu", std::string(selector().gpu().text())},
                      {"costs", fitted()},
                      {"models", models()},
                      {"fit", fit},
                      {"refused", refused}});
    }
    std::string costs(const ckd_problem& problem) override {
        const Current current(problem);
        const Problem read = Read(problem);
        const CostModel& costs = selector().costs();
        Json fit = Json::array();
        for (const auto& candidate : selector().rank(read).fit) {
            const Resources& used = *candidate.kernel->resources_on(selector().gpu());
            const Work work =
                Family::work(candidate.kernel->key(), candidate.share ? candidate.share->problem : read, candidate.way);
            const Rounds rounds = rounds_of(work, used, costs.gpu());
            const Terms terms = costs.terms(work, rounds, used);
            fit.push_back({{"kernel", candidate.kernel->name()},
                           {"parts", Family::parts(candidate.way)},
                           {"microseconds", costs.microseconds(work, terms)},
                           {"terms", terms},
                           {"features", features_of(work, rounds, terms, costs)}});
        }
        return shown({{"problem", read.text()},
                      {"gpu", std::string(selector().gpu().text())},
                      {"terms", arch::cost_terms},
                      {"constants", costs.constants()},
                      {"features", feature_names(Family::details())},
                      {"fit", fit}});
    }
    void attach(std::shared_ptr<Device> device) override {
        std::lock_guard<std::mutex> lock(state_->attaching);
        if (state_->owned)
            throw InvalidArgumentError("A second device was to be attached to a dispatcher; make another dispatcher.");
        state_->owned = std::make_unique<Dispatcher<Family>>(state_->selector, std::move(device));
        state_->dispatcher.store(state_->owned.get(), std::memory_order_release);
    }
    std::unique_ptr<AnyPlan> run(const ckd_problem& problem, void* const* tensors, const RunOptions& options,
                                 bool padded) override {
        const Current current(problem);
        auto& running = state_->running();
        return plan(padded ? running.run_padded(Read(problem), tensors, options)
                           : running.run(Read(problem), tensors, options));
    }
    Validation validate(const ckd_problem& problem, void* const* tensors, const RunOptions& options) override {
        const Current current(problem);
        return validated(state_->running(), Read(problem), tensors, options);
    }

private:
    // What a callback of the caller's is told; selection runs in the caller's thread.
    static const ckd_problem*& current_problem() {
        thread_local const ckd_problem* problem = nullptr;
        return problem;
    }
    struct Current {
        explicit Current(const ckd_problem& problem) : before(std::exchange(current_problem(), &problem)) {}
        ~Current() { current_problem() = before; }
        const ckd_problem* before;
    };

    /// What the constants of the cost model were fitted on.
    Json fitted() {
        const CostModel& costs = selector().costs();
        const arch::CostConstants& from = costs.fitted();
        return {{"family", std::string(from.family)},
                {"gpu", std::string(from.gpu)},
                {"source", std::string(from.source)},
                {"tables", std::string(from.tables)},
                {"carried_over", costs.carried_over()}};
    }

    /// What they are for, and what they were made from.
    Json models() {
        Json all = Json::array();
        for (const auto& one : selector().models())
            all.push_back({{"serves", one.model().serves()}, {"manifest", Json::parse(one.model().manifest())}});
        return all;
    }

    Selector<Family>& selector() { return *state_->selector; }
    std::unique_ptr<AnyPlan> plan(std::shared_ptr<const Plan<Family>> selected) {
        return std::make_unique<PlanOf<Family>>(state_, std::move(selected));
    }

    std::shared_ptr<DispatcherState<Family>> state_;
};

}  // namespace ckdispatch::capi

// SPDX-License-Identifier: MIT
// The handles of one family. Beyond what the core asks, a binding of a family to C has
//     using Family = …;
//     static Problem read(const ckd_problem&)                            throws Error for a structure that is none
//     static constexpr const char* kPlural                               such as "GEMMs", for sentences
//     static std::int64_t parts(const Way&)
//     static Validation validate(Dispatcher<Family>&, const Problem&, Tensors, const RunOptions&)
#pragma once

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "ckdispatch/capi/handles.hpp"
#include "ckdispatch/core/dispatcher.hpp"
#include "ckdispatch/core/registry_family.hpp"

namespace ckdispatch::capi {

template <class Binding>
struct DispatcherState {
    using Family = typename Binding::Family;

    DispatcherState(std::shared_ptr<typename Family::Registry> registry, Name gpu) : selector(std::make_shared<Selector<Family>>(std::move(registry), gpu)) {}

    Dispatcher<Family>& running() {
        Dispatcher<Family>* attached = dispatcher.load(std::memory_order_acquire);
        if (!attached) throw Error(ErrorCode::invalid_argument, "A plan was to be run, and its dispatcher has no device; attach one first.");
        return *attached;
    }

    std::shared_ptr<Selector<Family>> selector;
    std::mutex attaching;
    std::unique_ptr<Dispatcher<Family>> owned;
    std::atomic<Dispatcher<Family>*> dispatcher{nullptr};
};

template <class Binding>
class PlanOf : public AnyPlan {
public:
    using Family  = typename Binding::Family;
    using State   = std::shared_ptr<DispatcherState<Binding>>;
    using PlanPtr = std::shared_ptr<const Plan<Family>>;

    PlanOf(State state, PlanPtr plan) : state_(std::move(state)), plan_(std::move(plan)) {}

    const std::string& kernel() const override { return plan_->name(); }
    std::uint64_t workspace_bytes() const override { return plan_->workspace_bytes; }
    std::size_t tensor_count() const override { return Family::tensor_count(plan_->problem); }
    std::string to_json() const override {
        Json stages = Json::array();
        for (const auto& stage : plan_->stages)
            stages.push_back({{"kernel", stage.kernel->name()},
                              {"key", to_text(stage.kernel->key())},
                              {"library", stage.kernel->file().path},
                              {"problem", stage.problem.text()},
                              {"parts", Binding::parts(stage.way)},
                              {"launches", Family::launches(stage.problem, stage.way)},
                              {"workspace_bytes", stage.workspace_bytes}});
        return shown({{"problem", plan_->problem.text()},
                      {"gpu", std::string(plan_->gpu.text())},
                      {"stages", stages},
                      {"launches", plan_->launches()},
                      {"workspace_bytes", plan_->workspace_bytes},
                      {"predicted_microseconds", plan_->microseconds}});
    }
    void run(void* const* tensors, const RunOptions& options) const override { state_->running().run_plan(*plan_, tensors, options); }
    BenchmarkResult benchmark(void* const* tensors, const BenchmarkOptions& options) const override { return state_->running().benchmark(*plan_, tensors, options); }

private:
    State state_;
    PlanPtr plan_;
};

template <class Binding>
class DispatcherOf : public AnyDispatcher {
public:
    using Family  = typename Binding::Family;
    using Problem = typename Family::Problem;

    DispatcherOf(std::shared_ptr<typename Family::Registry> registry, Name gpu) : state_(std::make_shared<DispatcherState<Binding>>(std::move(registry), gpu)) {}

    void use(ckd_strategy strategy) override {
        switch (strategy) {
            case CKD_RULES: return selector().use(Strategy::rules);
            case CKD_FIRST_FIT: return selector().use(Strategy::first_fit);
            case CKD_MODEL: return selector().use(Strategy::model);
        }
        throw Error(ErrorCode::invalid_argument, "The strategy " + std::to_string(int(strategy)) + " was asked for; there are 0 (rules), 1 (first fit) and 2 (model).");
    }
    void use(ckd_predictor predictor, void* user) override {
        selector().use(Predictor<Family>([predictor, user](const Problem&, const Candidate<Family>& candidate, const arch::GpuSpec&) {
            return predictor(user, current_problem(), candidate.kernel->name().c_str(), Binding::parts(candidate.way));
        }));
    }
    void use(ckd_chooser chooser, void* user) override {
        selector().use(Chooser<Family>([chooser, user](const Problem&, const std::vector<Candidate<Family>>& candidates) {
            std::vector<const char*> names;
            for (const auto& candidate : candidates) names.push_back(candidate.kernel->name().c_str());
            return std::optional<std::size_t>(chooser(user, current_problem(), names.data(), names.size()));
        }));
    }

    std::unique_ptr<AnyPlan> select(const ckd_problem& problem) override {
        const Current current(problem);
        return plan(selector().select(Binding::read(problem)));
    }
    std::unique_ptr<AnyPlan> select_explicit(const std::string& name_or_key, const ckd_problem& problem) override {
        const Current current(problem);
        const Problem read = Binding::read(problem);
        return plan(is_key(name_or_key) ? selector().select_explicit(from_text<typename Family::Key>(name_or_key), read) : selector().select_explicit(name_or_key, read));
    }
    std::string rank(const ckd_problem& problem) override {
        const Current current(problem);
        const Problem read            = Binding::read(problem);
        const Ranking<Family> ranking = selector().rank(read);
        Json fit = Json::array(), refused = Json::array();
        for (const auto& candidate : ranking.fit)
            fit.push_back({{"kernel", candidate.kernel->name()}, {"microseconds", candidate.microseconds}, {"parts", Binding::parts(candidate.way)}, {"workspace_bytes", candidate.workspace_bytes}, {"priority", candidate.kernel->priority()}});
        for (const auto& other : ranking.refused) refused.push_back({{"kernel", other.kernel->name()}, {"code", int(other.code)}, {"reason", other.reason}});
        return shown({{"problem", read.text()}, {"gpu", std::string(selector().gpu().text())}, {"fit", fit}, {"refused", refused}});
    }
    void attach(std::shared_ptr<Device> device) override {
        std::lock_guard<std::mutex> lock(state_->attaching);
        if (state_->owned) throw Error(ErrorCode::invalid_argument, "A second device was to be attached to a dispatcher; make another dispatcher.");
        state_->owned = std::make_unique<Dispatcher<Family>>(state_->selector, std::move(device));
        state_->dispatcher.store(state_->owned.get(), std::memory_order_release);
    }
    std::unique_ptr<AnyPlan> run(const ckd_problem& problem, void* const* tensors, const RunOptions& options) override {
        const Current current(problem);
        return plan(state_->running().run(Binding::read(problem), tensors, options));
    }
    Validation validate(const ckd_problem& problem, void* const* tensors, const RunOptions& options) override {
        const Current current(problem);
        return Binding::validate(state_->running(), Binding::read(problem), tensors, options);
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

    static bool is_key(const std::string& text) { return text.find('{') != text.npos; }
    Selector<Family>& selector() { return *state_->selector; }
    std::unique_ptr<AnyPlan> plan(std::shared_ptr<const Plan<Family>> selected) { return std::make_unique<PlanOf<Binding>>(state_, std::move(selected)); }

    std::shared_ptr<DispatcherState<Binding>> state_;
};

template <class Binding>
class RegistryOf : public AnyRegistry {
public:
    using Family   = typename Binding::Family;
    using Registry = typename Family::Registry;

    explicit RegistryOf(std::shared_ptr<Registry> registry) : registry_(std::move(registry)) {}

    std::size_t load_manifest(const std::string& path, Duplicates duplicates, int priority) override { return registry_->load_manifest(path, duplicates, priority); }
    std::string add_library(const LibraryFile& file, Duplicates duplicates, int priority) override { return registry_->add_library(file, duplicates, priority)->name(); }
    bool remove(const std::string& name) override { return registry_->remove(name); }
    std::size_t merge(const AnyRegistry& other, Duplicates duplicates) override {
        const auto* same = dynamic_cast<const RegistryOf*>(&other);
        if (!same) throw Error(ErrorCode::invalid_argument, "Registries of two families were to be merged.");
        return registry_->merge(*same->registry_, duplicates);
    }
    std::unique_ptr<AnyRegistry> filtered(const std::string& filter) const override {
        try {
            Json words = parse_json(filter, "The filter");
            if (!words.is_object()) throw Error(ErrorCode::invalid_argument, "The filter is no JSON object.");
            Name gpu;
            if (words.contains("gpu")) {
                gpu = gpu_facts(text_member(words, "gpu", "The filter")).name;
                words.erase("gpu");
            }
            return std::make_unique<RegistryOf>(registry_->filtered(filter_of(words), gpu));
        } catch (const Error& error) {
            // A filter is the caller's words, not a file that was damaged.
            throw Error(ErrorCode::invalid_argument, error.what());
        }
    }
    std::size_t size() const override { return registry_->size(); }
    std::uint64_t version() const override { return registry_->version(); }
    std::string find(const std::string& name_or_key) const override {
        const auto kernel = name_or_key.find('{') == name_or_key.npos ? registry_->find_name(name_or_key) : registry_->find(from_text<typename Family::Key>(name_or_key));
        if (!kernel) throw Error(ErrorCode::not_found, "The registry " + registry_->name() + " has no kernel " + name_or_key + ".");
        Json spec    = key_to_json(kernel->key());
        spec["name"] = kernel->name();
        Json entry   = write_entry({kernel->name(), std::move(spec), kernel->file(), kernel->resources(), kernel->priority()});
        entry["key"] = to_text(kernel->key());
        return shown(entry);
    }
    std::string to_json() const override { return registry_->to_json(); }
    std::unique_ptr<AnyDispatcher> dispatcher(Name gpu) override { return std::make_unique<DispatcherOf<Binding>>(registry_, gpu); }

private:
    using Filter = typename Registry::Filter;

    static Filter filter_of(const Json& words) {
        Filter filter;
        for (const auto& [field, value] : words.items()) {
            bool known = false;
            std::string all;
            Filter::fields([&, &field = field](std::string_view name, Name Filter::*place, auto) {
                all += (all.empty() ? "" : ", ") + std::string(name);
                if (name != field) return;
                filter.*place = text_member(words, field.c_str(), "The filter");
                known         = true;
            });
            if (!known) throw Error(ErrorCode::invalid_argument, "A filter by '" + field + "' was asked for; " + Binding::kPlural + " are filtered by " + all + " and gpu.");
        }
        return filter;
    }

    std::shared_ptr<Registry> registry_;
};

}  // namespace ckdispatch::capi

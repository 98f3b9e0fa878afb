// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "ckdispatch/capi/guard.hpp"
#include "ckdispatch/capi/handles.hpp"
#include "ckdispatch/capi/structures.hpp"
#include "ckdispatch/core/json.hpp"
#include "ckdispatch/core/model.hpp"
#include "ckdispatch/families/families.hpp"

namespace ckdispatch::capi {

#define CKD_DECLARE(family, number) \
    std::unique_ptr<FamilyDispatcher> make_##family##_dispatcher(const KernelRegistry& registry, Name gpu);
CKD_FAMILIES(CKD_DECLARE)

AnyDispatcher::AnyDispatcher(const KernelRegistry& registry, Name gpu) {
#define CKD_MAKE(family, number) families_.push_back({number, #family, make_##family##_dispatcher(registry, gpu)});
    CKD_FAMILIES(CKD_MAKE)
}

FamilyDispatcher& AnyDispatcher::of(const std::string& family) const {
    for (const Family& one : families_)
        if (one.name == family) return *one.dispatcher;
    throw InvalidArgumentError("A model of the kernel family " + family +
                               " was given, which this version does not have.");
}

FamilyDispatcher& AnyDispatcher::of(std::uint32_t family) const {
    std::string known;
    for (const Family& one : families_) {
        if (one.number == family) return *one.dispatcher;
        known += (known.empty() ? "" : ", ") + std::to_string(one.number) + " (" + one.name + ")";
    }
    throw InvalidArgumentError("A problem of the kernel family " + std::to_string(family) +
                               " was given; this version has " + known + ".");
}

}  // namespace ckdispatch::capi

using namespace ckdispatch;
using namespace ckdispatch::capi;

namespace {

AnyDispatcher& dispatcher_of(ckd_dispatcher* handle) { return *needed(handle, "a dispatcher").it; }
FamilyDispatcher& dispatcher_for(ckd_dispatcher* handle, const ckd_problem* problem) {
    return dispatcher_of(handle).of(needed(problem, "a problem").family);
}
const AnyPlan& plan_of(const ckd_plan* handle) { return *needed(handle, "a plan").it; }

// JSON has no infinity and no NaN.
Json as_json(double value) {
    return std::isfinite(value) ? Json(value) : Json(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

std::string shown_validation(const Validation& result) {
    return shown({{"ok", result.ok()},
                  {"kernel", result.kernel},
                  {"device", result.device},
                  {"checked", result.checked},
                  {"wrong", result.wrong},
                  {"max_abs", as_json(result.max_abs)},
                  {"max_over", as_json(result.max_over)},
                  {"worst", result.worst},
                  {"actual", as_json(result.actual)},
                  {"expected", as_json(result.expected)}});
}

Strategy strategy_of(ckd_strategy strategy) {
    switch (strategy) {
        case CKD_RULES: return Strategy::rules;
        case CKD_FIRST_FIT: return Strategy::first_fit;
        case CKD_MODEL: return Strategy::model;
    }
    throw InvalidArgumentError("The strategy " + std::to_string(int(strategy)) +
                               " was asked for; there are 0 (rules), 1 (first fit) and 2 (model).");
}

template <class Make>
void give_plan(ckd_plan** place, Make&& make) {
    give(place, "a place for the plan", [&] { return ckd_plan::make(make()); });
}

template <class Make>
void give_text(char** place, Make&& make) {
    give(place, "a place for the text", [&] { return allocated(make()); });
}

template <class Options>
const Options& sized(const Options& options) {
    if (options.struct_size < sizeof(Options) || options.struct_size > kLargestStructure)
        throw InvalidArgumentError("Options were given whose struct_size is " + std::to_string(options.struct_size) +
                                   ", not " + std::to_string(sizeof(Options)) + ".");
    return options;
}

template <class Options>
const Options& sized(const Options&& options) = delete;  // it would be gone

RunOptions run_options(const ckd_run_options* given) {
    if (!given) return {};
    sized(*given);
    return {given->stream, given->workspace, given->workspace_size};
}

BenchmarkOptions benchmark_options(const ckd_benchmark_options* given) {
    BenchmarkOptions options;
    if (!given) return options;
    sized(*given);
    options.warmup = given->warmup;
    options.repeat = given->repeat ? given->repeat : options.repeat;
    options.flush_cache = given->flush_cache != 0;
    options.rotating_buffers = given->rotating_buffers ? given->rotating_buffers : 1;
    options.timer = given->cpu_timer ? Timer::cpu : Timer::gpu;
    options.stream = given->stream;
    return options;
}

ckd_status select_plan(ckd_dispatcher* dispatcher, const ckd_problem* problem, ckd_plan** plan, bool padded) {
    return guarded(
        [&] { give_plan(plan, [&] { return dispatcher_for(dispatcher, problem).select(*problem, padded); }); });
}

ckd_status run_problem(ckd_dispatcher* dispatcher, const ckd_problem* problem, void* const* tensors,
                       const ckd_run_options* options, ckd_plan** plan, bool padded) {
    return guarded([&] {
        auto ran = dispatcher_for(dispatcher, problem)
                       .run(*problem, &needed(tensors, "tensors"), run_options(options), padded);
        if (plan) *plan = ckd_plan::make(std::move(ran));
    });
}

}  // namespace

ckd_status ckd_dispatcher_create(ckd_registry* registry, const char* gpu, ckd_dispatcher** dispatcher) {
    return guarded([&] {
        give(dispatcher, "a place for the dispatcher", [&] {
            return ckd_dispatcher::make(
                std::make_unique<AnyDispatcher>(*needed(registry, "a registry").it, text_of(gpu, "the name of a GPU")));
        });
    });
}

void ckd_dispatcher_destroy(ckd_dispatcher* dispatcher) { ckd_dispatcher::destroy(dispatcher, "a dispatcher"); }

ckd_status ckd_dispatcher_use_strategy(ckd_dispatcher* dispatcher, ckd_strategy strategy) {
    return guarded([&] {
        const Strategy wanted = strategy_of(strategy);
        AnyDispatcher& all = dispatcher_of(dispatcher);
        bool any = wanted != Strategy::model;
        all.for_each([&](FamilyDispatcher& one) { any = any || one.has_model(); });
        if (!any)
            throw InvalidArgumentError(
                "The strategy 'model' was asked for, and there is no model for this GPU; give one, or a predictor.");
        all.for_each([&](FamilyDispatcher& one) {
            one.use(wanted != Strategy::model || one.has_model() ? wanted : Strategy::rules);
        });
    });
}
ckd_status ckd_dispatcher_use_constants(ckd_dispatcher* dispatcher, uint32_t family, const double* constants,
                                        size_t count) {
    return guarded([&] {
        Terms wanted{};
        if (count != wanted.size())
            throw InvalidArgumentError("The cost model was given " + std::to_string(count) + " constants; it has " +
                                       std::to_string(wanted.size()) + ".");
        std::copy_n(&needed(constants, "constants"), count, wanted.begin());
        dispatcher_of(dispatcher).of(family).use(wanted);
    });
}
ckd_status ckd_dispatcher_use_model(ckd_dispatcher* dispatcher, const char* path) {
    return guarded([&] {
        const std::string file = text_of(path, "the path of a model");
        dispatcher_of(dispatcher).of(Model::family_of(file)).use_model(file);
    });
}
ckd_status ckd_dispatcher_use_predictor(ckd_dispatcher* dispatcher, ckd_predictor predictor, void* user) {
    return guarded([&] {
        dispatcher_of(dispatcher).for_each([&](FamilyDispatcher& one) {
            one.use(&needed(predictor, "a predictor"), user);
        });
    });
}
ckd_status ckd_dispatcher_use_chooser(ckd_dispatcher* dispatcher, ckd_chooser chooser, void* user) {
    return guarded([&] {
        dispatcher_of(dispatcher).for_each([&](FamilyDispatcher& one) {
            one.use(&needed(chooser, "a chooser"), user);
        });
    });
}

ckd_status ckd_select(ckd_dispatcher* dispatcher, const ckd_problem* problem, ckd_plan** plan) {
    return select_plan(dispatcher, problem, plan, false);
}
ckd_status ckd_select_padded(ckd_dispatcher* dispatcher, const ckd_problem* problem, ckd_plan** plan) {
    return select_plan(dispatcher, problem, plan, true);
}
ckd_status ckd_select_explicit(ckd_dispatcher* dispatcher, const char* name_or_key, const ckd_problem* problem,
                               ckd_plan** plan) {
    return guarded([&] {
        give_plan(plan, [&] {
            return dispatcher_for(dispatcher, problem)
                .select_explicit(text_of(name_or_key, "a name or a key"), *problem);
        });
    });
}
ckd_status ckd_rank(ckd_dispatcher* dispatcher, const ckd_problem* problem, char** json) {
    return guarded([&] { give_text(json, [&] { return dispatcher_for(dispatcher, problem).rank(*problem); }); });
}
ckd_status ckd_costs(ckd_dispatcher* dispatcher, const ckd_problem* problem, char** json) {
    return guarded([&] { give_text(json, [&] { return dispatcher_for(dispatcher, problem).costs(*problem); }); });
}

void ckd_plan_destroy(ckd_plan* plan) { ckd_plan::destroy(plan, "a plan"); }
const char* ckd_plan_kernel(const ckd_plan* plan) { return plan && plan->alive() ? plan->it->kernel().c_str() : ""; }
uint64_t ckd_plan_workspace_size(const ckd_plan* plan) {
    return plan && plan->alive() ? plan->it->workspace_bytes() : 0;
}
ckd_status ckd_plan_to_json(const ckd_plan* plan, char** json) {
    return guarded([&] { give_text(json, [&] { return plan_of(plan).to_json(); }); });
}

ckd_status ckd_dispatcher_attach(ckd_dispatcher* dispatcher, ckd_device* device) {
    return guarded([&] {
        dispatcher_of(dispatcher).for_each([&](FamilyDispatcher& one) { one.attach(needed(device, "a device").it); });
    });
}
ckd_status ckd_run(ckd_dispatcher* dispatcher, const ckd_problem* problem, void* const* tensors,
                   const ckd_run_options* options, ckd_plan** plan) {
    return run_problem(dispatcher, problem, tensors, options, plan, false);
}
ckd_status ckd_run_padded(ckd_dispatcher* dispatcher, const ckd_problem* problem, void* const* tensors,
                          const ckd_run_options* options, ckd_plan** plan) {
    return run_problem(dispatcher, problem, tensors, options, plan, true);
}
ckd_status ckd_plan_run(const ckd_plan* plan, void* const* tensors, const ckd_run_options* options) {
    return guarded([&] { plan_of(plan).run(&needed(tensors, "tensors"), run_options(options)); });
}
ckd_status ckd_plan_launch(const ckd_launch* launch) {
    return guarded([&] {
        const ckd_launch& given = sized(needed(launch, "a launch"));
        const AnyPlan& launched = plan_of(given.plan);
        if (given.count != launched.tensor_count())
            throw InvalidArgumentError("A plan was launched with " + std::to_string(given.count) + " tensors; it has " +
                                       std::to_string(launched.tensor_count()) + ".");
        launched.run(&needed(given.tensors, "tensors"), {given.stream});
    });
}
ckd_status ckd_plan_benchmark(const ckd_plan* plan, void* const* tensors, const ckd_benchmark_options* options,
                              char** json) {
    return guarded([&] {
        give_text(json, [&] {
            const BenchmarkResult result =
                plan_of(plan).benchmark(&needed(tensors, "tensors"), benchmark_options(options));
            constexpr const char* kTimes[] = {"measured", "simulated", "simulator"};
            return shown({{"kernel", result.kernel},
                          {"device", result.device},
                          {"simulated", result.simulated},
                          {"times", kTimes[int(result.times)]},
                          {"milliseconds", result.milliseconds},
                          {"median", result.median()},
                          {"minimum", result.minimum()},
                          {"mean", result.mean()}});
        });
    });
}
ckd_status ckd_validate(ckd_dispatcher* dispatcher, const ckd_problem* problem, void* const* tensors,
                        const ckd_run_options* options, char** json) {
    return guarded([&] {
        give_text(json, [&] {
            return shown_validation(dispatcher_for(dispatcher, problem)
                                        .validate(*problem, &needed(tensors, "tensors"), run_options(options)));
        });
    });
}
ckd_status ckd_plan_validate(const ckd_plan* plan, void* const* tensors, const ckd_run_options* options, char** json) {
    return guarded([&] {
        give_text(json, [&] {
            return shown_validation(plan_of(plan).validate(&needed(tensors, "tensors"), run_options(options)));
        });
    });
}

// SPDX-License-Identifier: MIT
// What learned models, constants and predictors change in the choice among kernels that were built.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "ckdispatch/gemm/family.hpp"
#include "tests/dispatcher/support/built.hpp"
#include "tests/dispatcher/support/models.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::model_document;
using test::Stump;

GemmProblemBuilder fp16(std::int64_t m, std::int64_t n, std::int64_t k) {
    return GemmProblemBuilder().sizes(m, n, k).dtype("fp16");
}

class LearnedSelection : public testing::Test {
protected:
    void SetUp() override { registry->load_manifest(test::built_manifest("gemm_fp16_rcr_essential")); }

    GemmSelector selector() const { return GemmSelector(registry, "gfx942"); }

    static std::shared_ptr<const Model> model(const Stump& stump = {}, const Json& serves = Json::object()) {
        return test::model_of<GemmFamily>(model_document("gemm", "gfx942", stump, serves));
    }
    /// With the same constants as the cost model, so that a correction is all that is new.
    static std::shared_ptr<const Model> correcting(const GemmSelector& selector, const Stump& stump,
                                                   const Json& serves = Json::object()) {
        Json document = model_document("gemm", "gfx942", stump, serves);
        for (std::size_t i = 0; i < arch::kCostTerms; ++i)
            document["constants"][std::string(arch::cost_terms[i])] = selector.costs().constants()[i];
        return test::model_of<GemmFamily>(document);
    }

    struct Predicted {
        double microseconds;
        Basis basis;
        int tile_m;
        std::string pipeline;
    };
    /// By the kernel's name.
    static std::map<std::string, Predicted> predicted(const GemmSelector& selector, const GemmProblem& problem) {
        std::map<std::string, Predicted> found;
        for (const auto& one : selector.rank(problem).fit)
            found[one.kernel->name()] = {one.microseconds, one.basis, one.kernel->key().tile.m,
                                         std::string(one.kernel->key().pipeline.text())};
        return found;
    }

    std::shared_ptr<GemmRegistry> registry = std::make_shared<GemmRegistry>("mine");
    const GemmProblem problem = fp16(2048, 2048, 2048).build();
};

TEST_F(LearnedSelection, TakesTheLowestCorrectedTime) {
    auto chooser = selector();
    const auto by_rules = chooser.select(problem);
    ASSERT_GT(by_rules->stages[0].kernel->key().tile.m, 100);
    const auto before = predicted(chooser, problem);
    chooser.use(correcting(chooser, {"tile_m", 100, 1, 8}));
    EXPECT_EQ(chooser.strategy(), Strategy::model);
    const auto plan = chooser.select(problem);
    EXPECT_LT(plan->stages[0].kernel->key().tile.m, 100);
    EXPECT_EQ(plan->name(), chooser.rank(problem).fit.front().kernel->name());
    EXPECT_EQ(plan->microseconds, chooser.rank(problem).fit.front().microseconds);
    for (const auto& [name, now] : predicted(chooser, problem)) {
        EXPECT_EQ(now.basis, Basis::learned) << name;
        EXPECT_DOUBLE_EQ(now.microseconds, before.at(name).microseconds * (now.tile_m > 100 ? 8 : 1)) << name;
    }
}

TEST_F(LearnedSelection, HasTheSameTimesInAPlanWithOneKernel) {
    auto chooser = selector();
    chooser.use(correcting(chooser, {"tile_m", 100, 2, 3}));
    for (const auto& [name, one] : predicted(chooser, problem))
        EXPECT_EQ(chooser.select_explicit(name, problem)->microseconds, one.microseconds) << name;
}

TEST_F(LearnedSelection, LeavesKernelsThatItDoesNotServeToTheCostModel) {
    auto chooser = selector();
    const auto before = predicted(chooser, problem);
    chooser.use(correcting(chooser, {"tile_m", 0, 1, 0.25}, {{"pipeline", "compv4"}}));
    std::size_t served = 0;
    for (const auto& [name, now] : predicted(chooser, problem)) {
        const bool is = now.pipeline == "compv4";
        served += is;
        EXPECT_EQ(now.basis, is ? Basis::learned : Basis::cost_model) << name;
        EXPECT_DOUBLE_EQ(now.microseconds, before.at(name).microseconds * (is ? 0.25 : 1)) << name;
    }
    EXPECT_GT(served, 0u);
    EXPECT_LT(served, before.size());
}

TEST_F(LearnedSelection, CorrectsTheTimesOfTheModelsOwnConstants) {
    auto chooser = selector(), own = selector();
    const auto given = model();
    chooser.use(given);
    own.use(constants_of(*given));
    for (const auto& [name, one] : predicted(chooser, problem))
        EXPECT_DOUBLE_EQ(one.microseconds, predicted(own, problem).at(name).microseconds) << name;
}

TEST_F(LearnedSelection, SaysWhenAProblemIsBeyondWhatTheModelHasSeen) {
    Json document = model_document("gemm", "gfx942", {"log_trips", 0, 1, 2});
    document["ranges"]["log_trips"] = {std::log(1.0), std::log(40.0)};
    auto chooser = selector();
    chooser.use(test::model_of<GemmFamily>(document));
    for (const auto& [name, one] : predicted(chooser, fp16(2048, 2048, 256).build()))
        EXPECT_EQ(one.basis, Basis::learned) << name;
    for (const auto& [name, one] : predicted(chooser, fp16(2048, 2048, 65536).build()))
        EXPECT_EQ(one.basis, Basis::beyond) << name;
}

TEST_F(LearnedSelection, HasAWordForEveryBasis) {
    EXPECT_STREQ(basis_name(Basis::cost_model), "cost_model");
    EXPECT_STREQ(basis_name(Basis::learned), "learned");
    EXPECT_STREQ(basis_name(Basis::beyond), "beyond");
    EXPECT_STREQ(basis_name(Basis::predictor), "predictor");
}

TEST_F(LearnedSelection, TakesAPredictorBeforeModels) {
    auto chooser = selector();
    chooser.use(model({"tile_m", 100, 1, 8}));
    chooser.use(Predictor<GemmFamily>([](const auto&...) { return 1.5; }));
    for (const auto& [name, one] : predicted(chooser, problem)) {
        EXPECT_EQ(one.basis, Basis::predictor) << name;
        EXPECT_EQ(one.microseconds, 1.5) << name;
    }
    EXPECT_EQ(chooser.select(problem)->microseconds, 1.5);
    // Whoever gives a model later wants that one.
    chooser.use(model());
    for (const auto& [name, one] : predicted(chooser, problem)) EXPECT_EQ(one.basis, Basis::learned) << name;
}

TEST_F(LearnedSelection, WithoutItsPredictorReturnsToItsModels) {
    auto chooser = selector();
    chooser.use(model());
    chooser.use(Predictor<GemmFamily>([](const auto&...) { return 1.5; }));
    chooser.use(Predictor<GemmFamily>());
    EXPECT_EQ(chooser.strategy(), Strategy::model);
    for (const auto& [name, one] : predicted(chooser, problem)) EXPECT_EQ(one.basis, Basis::learned) << name;
}

TEST_F(LearnedSelection, ByRulesIgnoresModels) {
    auto chooser = selector();
    const auto before = predicted(chooser, problem);
    const auto chosen = chooser.select(problem)->name();
    chooser.use(model({"tile_m", 100, 1, 8}));
    chooser.use(Strategy::rules);
    EXPECT_EQ(chooser.select(problem)->name(), chosen);
    for (const auto& [name, one] : predicted(chooser, problem)) {
        EXPECT_EQ(one.basis, Basis::cost_model) << name;
        EXPECT_EQ(one.microseconds, before.at(name).microseconds) << name;
    }
    chooser.use(Strategy::model);
    for (const auto& [name, one] : predicted(chooser, problem)) EXPECT_EQ(one.basis, Basis::learned) << name;
}

TEST_F(LearnedSelection, ByFirstFitIgnoresModels) {
    auto chooser = selector();
    chooser.use(Strategy::first_fit);
    const auto chosen = chooser.select(problem)->name();
    chooser.use(model({"tile_m", 100, 8, 1}));
    chooser.use(Strategy::first_fit);
    EXPECT_EQ(chooser.select(problem)->name(), chosen);
}

TEST_F(LearnedSelection, WithoutAModelIsRefused) {
    auto chooser = selector();
    EXPECT_FALSE(chooser.has_model());
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        "The strategy 'model' was asked for, and there is no model of gemm on gfx942; give one, or a predictor.",
        chooser.use(Strategy::model));
    EXPECT_EQ(chooser.strategy(), Strategy::rules);
}

TEST_F(LearnedSelection, ByAModelOfAnotherGpuIsRefusedAndChangesNothing) {
    auto chooser = selector();
    EXPECT_REFUSED(ErrorCode::invalid_argument, "A model for gfx950 was given to a dispatcher for gfx942.",
                   chooser.use(test::model_of<GemmFamily>(model_document("gemm", "gfx950"))));
    EXPECT_REFUSED(ErrorCode::invalid_argument, "A model of the family grouped_conv was given for gemm.",
                   chooser.use(test::model_of<GemmFamily>(model_document("grouped_conv", "gfx942"))));
    EXPECT_EQ(chooser.strategy(), Strategy::rules);
    EXPECT_TRUE(chooser.models().empty());
}

TEST_F(LearnedSelection, TakesAModelInPlaceOfOneForTheSameKernels) {
    auto chooser = selector();
    chooser.use(correcting(chooser, {"tile_m", 0, 1, 2}, {{"pipeline", "compv4"}}));
    chooser.use(correcting(chooser, {"tile_m", 0, 1, 3}, {{"pipeline", "compv3"}}));
    EXPECT_EQ(chooser.models().size(), 2u);
    const auto again = correcting(chooser, {"tile_m", 0, 1, 5}, {{"pipeline", "compv4"}});
    chooser.use(again);
    ASSERT_EQ(chooser.models().size(), 2u);
    chooser.use(Strategy::rules);
    const auto before = predicted(chooser, problem);
    chooser.use(Strategy::model);
    for (const auto& [name, now] : predicted(chooser, problem)) {
        const double factor = now.pipeline == "compv4" ? 5 : now.pipeline == "compv3" ? 3 : 1;
        EXPECT_DOUBLE_EQ(now.microseconds, before.at(name).microseconds * factor) << name;
    }
}

TEST_F(LearnedSelection, TakesTheHighestPriorityWhateverAModelSays) {
    registry->add_library({test::built_library("256x128x32"), ""}, Duplicates::replace, 1);
    auto chooser = selector();
    chooser.use(model({"tile_m", 100, 1, 8}));
    EXPECT_NE(chooser.select(problem)->name().find("256x128x32"), std::string::npos);
}

TEST_F(LearnedSelection, KeepsPlansUntilAModelConstantsOrStrategyChange) {
    auto chooser = selector();
    chooser.use(model({"tile_m", 100, 1, 8}));
    const auto plan = chooser.select(problem);
    EXPECT_EQ(chooser.cached(), 1u);
    EXPECT_EQ(chooser.select(problem), plan);
    chooser.use(Strategy::rules);
    EXPECT_EQ(chooser.cached(), 0u);
    EXPECT_NE(chooser.select(problem)->name(), plan->name());
    chooser.use(Strategy::model);
    EXPECT_EQ(chooser.cached(), 0u);
    EXPECT_EQ(chooser.select(problem)->name(), plan->name());
    chooser.use(model());
    EXPECT_EQ(chooser.cached(), 0u);
    EXPECT_NE(chooser.select(problem)->name(), plan->name());
}

TEST_F(LearnedSelection, WithOtherConstantsHasOtherTimes) {
    auto chooser = selector();
    const auto before = predicted(chooser, problem);
    (void)chooser.select(problem);
    Terms constants = chooser.costs().constants();
    for (double& one : constants) one *= 3;
    chooser.use(constants);
    EXPECT_EQ(chooser.cached(), 0u);
    EXPECT_EQ(chooser.strategy(), Strategy::rules);
    EXPECT_EQ(chooser.costs().constants(), constants);
    EXPECT_EQ(chooser.costs().fitted().source, "constants of the caller's own");
    EXPECT_FALSE(chooser.costs().carried_over());
    for (const auto& [name, now] : predicted(chooser, problem))
        EXPECT_GT(now.microseconds, 2 * before.at(name).microseconds) << name;
}

TEST_F(LearnedSelection, WithConstantsThatAreNoneIsRefusedAndChangesNothing) {
    auto chooser = selector();
    const Terms before = chooser.costs().constants();
    for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        Terms constants = before;
        constants[arch::cost_term::store] = bad;
        EXPECT_REFUSED(
            ErrorCode::invalid_argument,
            "The cost model was given the constant " + std::to_string(bad) + "; each is a finite number from 0.",
            chooser.use(constants));
        EXPECT_EQ(chooser.costs().constants(), before);
    }
}

TEST_F(LearnedSelection, WithAModelForSomeKernelsUsesOtherConstantsForTheRest) {
    auto chooser = selector();
    chooser.use(correcting(chooser, {"tile_m", 0, 1, 2}, {{"pipeline", "compv4"}}));
    const auto before = predicted(chooser, problem);
    Terms constants = chooser.costs().constants();
    for (double& one : constants) one *= 3;
    chooser.use(constants);
    EXPECT_EQ(chooser.strategy(), Strategy::model);
    for (const auto& [name, now] : predicted(chooser, problem)) {
        if (now.pipeline == "compv4") EXPECT_EQ(now.microseconds, before.at(name).microseconds) << name;
        else EXPECT_GT(now.microseconds, before.at(name).microseconds) << name;
    }
}

TEST_F(LearnedSelection, WithoutAnyCostGivesNumbers) {
    auto chooser = selector();
    Json document = model_document("gemm", "gfx942", {"share_launch", 0.5, 1, 2});
    for (auto& one : document["constants"]) one = 0;
    chooser.use(test::model_of<GemmFamily>(document));
    for (const auto& [name, one] : predicted(chooser, problem))
        EXPECT_TRUE(std::isfinite(one.microseconds) && one.microseconds > 0) << name;
}

TEST_F(LearnedSelection, CorrectsPaddedProblemsToo) {
    auto chooser = selector();
    const auto asked = fp16(2048, 2048, 2044).alignment(2).build();
    const auto time = [&] { return chooser.select_padded(asked)->microseconds; };
    const double before = time();
    chooser.use(correcting(chooser, {"tile_m", 0, 1, 4}));
    EXPECT_GT(time(), before);
    EXPECT_LE(time(), 4 * before);
}

}  // namespace
}  // namespace ckdispatch

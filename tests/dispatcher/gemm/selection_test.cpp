// SPDX-License-Identifier: MIT
// Which kernel is chosen, by each strategy, from kernels that were built.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "ckdispatch/gemm/family.hpp"
#include "tests/dispatcher/support/built.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::built_library;
using test::built_manifest;

// The kernels of the essential set by their tiles.
constexpr const char *kLarge = "256x128x32", *kSquare = "compv4_cshuffle_intrawave_False_False_False_False_128x128x32",
                     *kPadded = "True_True_True_False_128x128x64", *kSmall = "64x64x64_2x2x1_32x32x16",
                     *kSkinny = "16x64x128";

GemmProblemBuilder fp16(std::int64_t m, std::int64_t n, std::int64_t k) {
    return GemmProblemBuilder().sizes(m, n, k).dtype("fp16");
}

bool is_called(const std::string& name, const char* part) { return name.find(part) != name.npos; }

class Selection : public testing::Test {
protected:
    void SetUp() override { registry->load_manifest(built_manifest("gemm_fp16_rcr_essential")); }

    void add_variants(int priority = 0) {
        registry->load_manifest(built_manifest("test_gemm_variants"), Duplicates::refuse, priority);
    }

    /// One kernel of the essential set with another priority than the rest.
    void prioritise(const char* part, int priority) {
        registry->add_library({built_library(part), ""}, Duplicates::replace, priority);
    }

    GemmSelector selector() const { return GemmSelector(registry, "gfx942"); }

    std::shared_ptr<GemmRegistry> registry = std::make_shared<GemmRegistry>("mine");
};

TEST_F(Selection, IsByRulesUnlessToldOtherwise) { EXPECT_EQ(selector().strategy(), Strategy::rules); }

TEST_F(Selection, GivesAPlanOfOneStage) {
    auto chooser = selector();
    const auto plan = chooser.select(fp16(256, 256, 256).build());
    EXPECT_TRUE(plan->problem == fp16(256, 256, 256).build());
    EXPECT_EQ(plan->gpu.text(), "gfx942");
    ASSERT_EQ(plan->stages.size(), 1u);
    EXPECT_EQ(plan->name(), plan->stages[0].kernel->name());
    EXPECT_EQ(plan->stages[0].api, &plan->stages[0].kernel->library().api());
    EXPECT_EQ(plan->stages[0].way.k_batch, 1);
    EXPECT_EQ(plan->workspace_bytes, 0u);
    EXPECT_GT(plan->microseconds, 0);
}

TEST_F(Selection, ForAGpuThatNobodyKnowsIsRefusedWithTheKnownOnes) {
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument, "The GPU 'gfx000' was asked for; the known ones are ",
                          GemmSelector(registry, "gfx000"));
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument, "gfx942", GemmSelector(registry, "gfx000"));
}

TEST_F(Selection, OpensOnlyWhatItNeeds) {
    auto chooser = selector();
    chooser.use(Strategy::first_fit);
    chooser.select(fp16(256, 256, 256).build());
    EXPECT_EQ(registry->statistics().opened, 1u);
}

TEST_F(Selection, ByRulesTakesLargeTilesForALargeProblem) {
    auto chooser = selector();
    const auto tile = chooser.select(fp16(8192, 8192, 8192).build())->stages[0].kernel->key().tile;
    EXPECT_GE(tile.m * tile.n, 128 * 128);
}

TEST_F(Selection, ByRulesTakesASkinnyTileForAFewRows) {
    auto chooser = selector();
    EXPECT_TRUE(is_called(chooser.select(fp16(16, 65536, 4096).build())->name(), kSkinny));
}

TEST_F(Selection, ByRulesTakesTheLowestPrediction) {
    auto chooser = selector();
    for (const std::int64_t size : {64, 256, 1000, 4096}) {
        const auto problem = fp16(size, size, 512).build();
        const auto ranking = chooser.rank(problem);
        const auto plan = chooser.select(problem);
        ASSERT_FALSE(ranking.fit.empty());
        EXPECT_EQ(plan->name(), ranking.fit.front().kernel->name()) << size;
        EXPECT_EQ(plan->microseconds, ranking.fit.front().microseconds) << size;
        for (const auto& candidate : ranking.fit) EXPECT_GE(candidate.microseconds, plan->microseconds) << size;
    }
}

TEST_F(Selection, IsTheSameHoweverTheRegistryWasFilled) {
    add_variants();
    const auto other = std::make_shared<GemmRegistry>("mine");
    other->load_manifest(built_manifest("test_gemm_variants"));
    other->load_manifest(built_manifest("gemm_fp16_rcr_essential"));
    auto one = selector();
    GemmSelector two(other, "gfx942");
    for (const Strategy strategy : {Strategy::rules, Strategy::first_fit}) {
        one.use(strategy), two.use(strategy);
        for (const std::int64_t size : {64, 200, 512, 2048})
            EXPECT_EQ(one.select(fp16(size, size, size).build())->name(),
                      two.select(fp16(size, size, size).build())->name())
                << size;
    }
}

TEST_F(Selection, ByFirstFitTakesTheFirstKeyThatFits) {
    auto chooser = selector();
    chooser.use(Strategy::first_fit);
    const auto problem = fp16(256, 256, 256).build();
    const auto ranking = chooser.rank(problem);
    auto expected = std::min_element(ranking.fit.begin(), ranking.fit.end(),
                                     [](const auto& a, const auto& b) { return a.kernel->key() < b.kernel->key(); });
    EXPECT_EQ(chooser.select(problem)->name(), expected->kernel->name());
    EXPECT_TRUE(is_called(chooser.select(problem)->name(), kSkinny));
}

TEST_F(Selection, ByFirstFitPassesOverWhatDoesNotFit) {
    auto chooser = selector();
    chooser.use(Strategy::first_fit);
    prioritise(kLarge, 2);
    EXPECT_TRUE(is_called(chooser.select(fp16(256, 256, 256).build())->name(), kLarge));
    // It does not pad.
    EXPECT_TRUE(is_called(chooser.select(fp16(256, 256, 248).build())->name(), kSkinny));
}

TEST_F(Selection, TakesTheHighestPriorityWhateverIsPredicted) {
    prioritise(kSmall, 1);
    auto chooser = selector();
    for (const Strategy strategy : {Strategy::rules, Strategy::first_fit}) {
        chooser.use(strategy);
        EXPECT_TRUE(is_called(chooser.select(fp16(8192, 8192, 8192).build())->name(), kSmall));
    }
    EXPECT_TRUE(is_called(chooser.rank(fp16(8192, 8192, 8192).build()).fit.front().kernel->name(), kSmall));
}

TEST_F(Selection, TakesAKernelOfNegativePriorityLast) {
    prioritise(kLarge, -1);
    auto chooser = selector();
    EXPECT_FALSE(is_called(chooser.select(fp16(8192, 8192, 8192).build())->name(), kLarge));
    EXPECT_TRUE(is_called(chooser.rank(fp16(8192, 8192, 8192).build()).fit.back().kernel->name(), kLarge));
}

TEST_F(Selection, ByAModelTakesTheLowestOfItsPredictions) {
    auto chooser = selector();
    chooser.use(
        Predictor<GemmFamily>([](const GemmProblem&, const Candidate<GemmFamily>& candidate, const arch::GpuSpec& gpu) {
            EXPECT_EQ(gpu.name, "gfx942");
            return is_called(candidate.kernel->name(), kPadded) ? 1.5 : 2.5;
        }));
    EXPECT_EQ(chooser.strategy(), Strategy::model);
    const auto plan = chooser.select(fp16(256, 256, 256).build());
    EXPECT_TRUE(is_called(plan->name(), kPadded));
    EXPECT_EQ(plan->microseconds, 1.5);
    EXPECT_EQ(chooser.rank(fp16(256, 256, 256).build()).fit.back().microseconds, 2.5);
}

TEST_F(Selection, ByAModelThatPredictsTheSameGoesByTheOrderOfKeys) {
    auto chooser = selector();
    chooser.use(Predictor<GemmFamily>([](const auto&...) { return 1.0; }));
    const auto ranking = chooser.rank(fp16(256, 256, 256).build());
    EXPECT_TRUE(std::is_sorted(ranking.fit.begin(), ranking.fit.end(),
                               [](const auto& a, const auto& b) { return a.kernel->key() < b.kernel->key(); }));
    EXPECT_EQ(chooser.select(fp16(256, 256, 256).build())->name(), ranking.fit.front().kernel->name());
}

TEST_F(Selection, ByAModelThatPredictsNoNumberIsRefused) {
    auto chooser = selector();
    chooser.use(Predictor<GemmFamily>([](const auto&...) { return std::numeric_limits<double>::quiet_NaN(); }));
    const std::string first = registry->kernels()[0]->name();
    EXPECT_REFUSED(ErrorCode::invalid_argument, "The model's prediction for " + first + " is no number.",
                   chooser.select(fp16(256, 256, 256).build()));
}

TEST_F(Selection, ByAFunctionTakesWhatItReturns) {
    auto chooser = selector();
    chooser.use(
        Chooser<GemmFamily>([](const GemmProblem& problem, const std::vector<Candidate<GemmFamily>>& candidates) {
            EXPECT_EQ(problem.m, 256);
            return std::optional<std::size_t>(candidates.size() - 1);
        }));
    EXPECT_EQ(chooser.strategy(), Strategy::user_function);
    const auto problem = fp16(256, 256, 256).build();
    EXPECT_EQ(chooser.select(problem)->name(), chooser.rank(problem).fit.back().kernel->name());
}

TEST_F(Selection, ByAFunctionThatReturnsNothingTakesTheBest) {
    auto chooser = selector();
    chooser.use(Chooser<GemmFamily>([](const auto&...) { return std::nullopt; }));
    EXPECT_EQ(chooser.select(fp16(256, 256, 256).build())->name(),
              chooser.rank(fp16(256, 256, 256).build()).fit.front().kernel->name());
}

TEST_F(Selection, ByAFunctionThatReturnsNoCandidateIsRefused) {
    auto chooser = selector();
    const std::size_t count = chooser.rank(fp16(256, 256, 256).build()).fit.size();
    chooser.use(Chooser<GemmFamily>(
        [](const auto&, const auto& candidates) { return std::optional<std::size_t>(candidates.size()); }));
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "The function that chooses kernels returned candidate " + std::to_string(count) + " of " +
                       std::to_string(count) + ".",
                   chooser.select(fp16(256, 256, 256).build()));
}

TEST_F(Selection, ByAFunctionIsNotAskedWhereNothingFits) {
    auto chooser = selector();
    chooser.use(Chooser<GemmFamily>([](const auto&...) -> std::optional<std::size_t> {
        ADD_FAILURE() << "There is nothing to choose from.";
        return 0;
    }));
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, "No kernel of the registry mine computes ",
                          chooser.select(fp16(256, 256, 256).dtype("bf16").build()));
}

TEST_F(Selection, ByWhatWasNotGivenIsRefusedAndChangesNothing) {
    const char* const no_model =
        "The strategy 'model' was asked for, and there is no model of gemm on gfx942; give one, or a predictor.";
    auto chooser = selector();
    EXPECT_REFUSED(ErrorCode::invalid_argument, no_model, chooser.use(Strategy::model));
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "The strategy 'user_function' was asked for, and there is no function; give a chooser.",
                   chooser.use(Strategy::user_function));
    EXPECT_EQ(chooser.strategy(), Strategy::rules);
    chooser.use(Predictor<GemmFamily>([](const auto&...) { return 1.0; }));
    EXPECT_REFUSED(ErrorCode::invalid_argument, no_model, chooser.use(Predictor<GemmFamily>()));
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "The strategy 'user_function' was asked for, and there is no function; give a chooser.",
                   chooser.use(Chooser<GemmFamily>()));
    EXPECT_EQ(chooser.strategy(), Strategy::model);
    EXPECT_EQ(chooser.select(fp16(256, 256, 256).build())->microseconds, 1.0);
}

TEST_F(Selection, CanReturnToAModelThatWasGivenBefore) {
    auto chooser = selector();
    chooser.use(Predictor<GemmFamily>([](const auto&...) { return 1.0; }));
    chooser.use(Strategy::rules);
    EXPECT_NE(chooser.select(fp16(256, 256, 256).build())->microseconds, 1.0);
    chooser.use(Strategy::model);
    EXPECT_EQ(chooser.select(fp16(256, 256, 256).build())->microseconds, 1.0);
}

TEST_F(Selection, OfAnOutputOfColumnsTakesAKernelOfRows) {
    auto chooser = selector();
    const auto plan = chooser.select(fp16(256, 512, 256).layout("rcc").build());
    EXPECT_EQ(plan->stages[0].kernel->key().layout.text(), "rcr");
}

TEST_F(Selection, OfEachLayoutTakesAKernelOfThatLayout) {
    add_variants();
    auto chooser = selector();
    for (const char* layout : {"rcr", "rrr", "crr", "ccr"})
        EXPECT_EQ(chooser.select(fp16(256, 256, 256).layout(layout).build())->stages[0].kernel->key().layout.text(),
                  layout);
}

}  // namespace
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// What a selector remembers, and when it forgets.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "ckdispatch/gemm/family.hpp"
#include "tests/dispatcher/support/built.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::built_library;
using test::built_manifest;

GemmProblemBuilder fp16(std::int64_t m, std::int64_t n, std::int64_t k) {
    return GemmProblemBuilder().sizes(m, n, k).dtype("fp16");
}

class PlanCache : public testing::Test {
protected:
    void SetUp() override { registry->load_manifest(built_manifest("gemm_fp16_rcr_essential")); }

    std::shared_ptr<GemmRegistry> registry = std::make_shared<GemmRegistry>("mine");
    GemmSelector selector{registry, "gfx942"};
};

TEST_F(PlanCache, GivesTheSamePlanForTheSameProblem) {
    const auto plan = selector.select(fp16(256, 256, 256).build());
    EXPECT_EQ(selector.select(fp16(256, 256, 256).build()), plan);
    EXPECT_EQ(selector.cached(), 1u);
    EXPECT_NE(selector.select(fp16(256, 256, 512).build()), plan);
    EXPECT_EQ(selector.cached(), 2u);
}

// Its limit is one of bytes, so a plan must say what its groups take.
TEST_F(PlanCache, CountsTheGroupsOfAPlan) {
    GemmProblemBuilder many;
    many.dtype("fp16");
    for (int i = 0; i < 64; ++i) many.group(64, 64, 64);
    const auto one = selector.select(fp16(64, 64, 64).build()), all = selector.select(many.build());
    EXPECT_GE(one->held_bytes(), sizeof(GemmPlan) + 3 * sizeof(Region));
    EXPECT_GE(all->held_bytes(), 64 * (sizeof(GemmGroup) + sizeof(Stage<GemmFamily>) + 3 * sizeof(Region)));
}

TEST_F(PlanCache, ForgetsWhenTheRegistryChanges) {
    const auto plan = selector.select(fp16(8192, 8192, 8192).build());
    registry->remove(plan->name());
    const auto other = selector.select(fp16(8192, 8192, 8192).build());
    EXPECT_NE(other->name(), plan->name());
    EXPECT_EQ(registry->find_name(plan->name()), nullptr);
    EXPECT_EQ(selector.cached(), 1u);
}

TEST_F(PlanCache, ForgetsWhenABetterKernelComes) {
    EXPECT_EQ(selector.select(fp16(64, 64, 64).build())->stages[0].kernel->priority(), 0);
    registry->add_library({built_library("16x64x128"), ""}, Duplicates::replace, 9);
    EXPECT_EQ(selector.select(fp16(64, 64, 64).build())->stages[0].kernel->priority(), 9);
}

TEST_F(PlanCache, ForgetsWhenTheStrategyChanges) {
    const auto by_rules = selector.select(fp16(8192, 8192, 8192).build());
    selector.use(Strategy::first_fit);
    EXPECT_EQ(selector.cached(), 0u);
    EXPECT_NE(selector.select(fp16(8192, 8192, 8192).build())->name(), by_rules->name());
}

TEST_F(PlanCache, RemembersNoFailure) {
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, "No kernel", selector.select(fp16(64, 64, 64).layout("rrr").build()));
    EXPECT_EQ(selector.cached(), 0u);
    registry->load_manifest(built_manifest("test_gemm_variants"));
    EXPECT_EQ(selector.select(fp16(64, 64, 64).layout("rrr").build())->stages[0].kernel->key().layout.text(), "rrr");
}

TEST_F(PlanCache, KeepsPlansThatAreInUseWhenTheirKernelIsRemoved) {
    const auto plan = selector.select(fp16(256, 256, 256).build());
    registry->remove(plan->name());
    EXPECT_FALSE(plan->stages[0].kernel->library().name().empty());
}

TEST_F(PlanCache, AnswersManyThreadsTheSame) {
    std::vector<std::vector<std::string>> chosen(4);
    std::vector<std::thread> threads;
    for (auto& own : chosen)
        threads.emplace_back([&] {
            for (std::int64_t round = 0; round < 5; ++round)
                for (std::int64_t size = 64; size <= 1024; size += 64)
                    own.push_back(selector.select(fp16(size, 256, 256).build())->name());
        });
    for (std::thread& thread : threads) thread.join();
    for (const auto& own : chosen) EXPECT_EQ(own, chosen.front());
    EXPECT_EQ(selector.cached(), 16u);
}

}  // namespace
}  // namespace ckdispatch

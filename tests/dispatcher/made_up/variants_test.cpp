// SPDX-License-Identifier: MIT
// Which of several made-up variants serves a problem, and what it is launched with.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/dispatcher/made_up/launches.h"
#include "tests/dispatcher/support/on_device.hpp"
#include "tests/dispatcher/support/refusal.hpp"
#include "tests/dispatcher/support/symbols.hpp"

namespace ckdispatch {
namespace {

constexpr std::int64_t kFine = 16, kUnsupported = 2;
constexpr const char *kPlain = "gemm_made_up", *kBatched = "gemm_made_up_batched", *kGrouped = "gemm_made_up_grouped";

class MadeUpVariants : public testing::Test {
protected:
    void SetUp() override {
        device = Device::open("sim:gfx942");
        dispatcher = std::make_unique<GemmDispatcher>(registry, device);
    }

    void add(const char* kind) {
        const std::string path = test::built_file("made_up_gemm_" + std::string(kind) + ".so");
        const auto kernel = registry->add_library({path, ""});
        take[kernel->name()] = test::symbol_of<made_up_launches (*)()>(kernel->library(), "made_up_take_launches");
        (void)take[kernel->name()]();
    }

    static GemmProblemBuilder fp16(std::int64_t m, std::int64_t n = kFine, std::int64_t k = 64) {
        return GemmProblemBuilder().sizes(m, n, k).dtype("fp16");
    }
    static GemmProblemBuilder groups() {
        return GemmProblemBuilder().dtype("fp16").group(10, kFine, 64).group(20, 2 * kFine, 128);
    }

    /// With addresses at which nothing looks, a gigabyte from one to the next.
    static char* address(std::size_t tensor) { return reinterpret_cast<char*>((tensor + 1) << 30); }
    GemmDispatcher::PlanPtr run(const GemmProblem& problem) {
        void* tensors[8];
        for (std::size_t i = 0; i < 8; ++i) tensors[i] = address(i);
        return dispatcher->run(problem, tensors);
    }

    std::shared_ptr<GemmRegistry> registry = std::make_shared<GemmRegistry>("mine");
    std::shared_ptr<Device> device;
    std::unique_ptr<GemmDispatcher> dispatcher;
    std::map<std::string, made_up_launches (*)()> take;
};

TEST_F(MadeUpVariants, ServeABatchInOneLaunchWhereOneOfThemCan) {
    add("plain"), add("batched");
    const auto plan = run(fp16(10).batch(5).build());
    EXPECT_EQ(plan->name(), kBatched);
    EXPECT_EQ(plan->launches(), 1);
    const auto launched = take[kBatched]();
    EXPECT_EQ(launched.count, 1);
    EXPECT_EQ(launched.problem.batch, 5);
    EXPECT_EQ(launched.problem.batch_stride_a, 10 * 64);
}

TEST_F(MadeUpVariants, ServeABatchMatrixByMatrixWhereNoneCanOtherwise) {
    add("plain"), add("grouped");
    const auto plan = run(fp16(10).batch(5).build());
    EXPECT_EQ(plan->name(), kPlain);
    EXPECT_EQ(plan->launches(), 5);
    EXPECT_EQ(take[kPlain]().count, 5);
}

TEST_F(MadeUpVariants, ServeASingleProductPlainly) {
    add("plain"), add("batched"), add("grouped"), add("multi_d"), add("preshuffle"), add("split");
    EXPECT_EQ(run(fp16(10).build())->name(), kPlain);
    EXPECT_EQ(take[kPlain]().problem.batch, 1);
}

TEST_F(MadeUpVariants, ServeGroupsInOneLaunchWhereOneOfThemCan) {
    add("plain"), add("grouped");
    const auto plan = run(groups().build());
    EXPECT_EQ(plan->name(), kGrouped);
    EXPECT_EQ(plan->launches(), 1);
    EXPECT_EQ(plan->workspace_bytes, 30u);
    const auto launched = take[kGrouped]();
    EXPECT_EQ(launched.count, 1);
    EXPECT_EQ(launched.problem.group_count, 2);
    EXPECT_GE(launched.options.workspace_size, 30u);
    EXPECT_EQ(launched.groups[0].m, 10);
    EXPECT_EQ(launched.groups[0].a, address(0));
    EXPECT_EQ(launched.groups[1].n, 2 * kFine);
    EXPECT_EQ(launched.groups[1].k, 128);
    EXPECT_EQ(launched.groups[1].c, address(5));
}

TEST_F(MadeUpVariants, ServeGroupsOneByOneWhereNoneCanOtherwise) {
    add("plain");
    const auto plan = run(groups().build());
    EXPECT_EQ(plan->launches(), 2);
    ASSERT_EQ(plan->stages.size(), 2u);
    EXPECT_EQ(plan->stages[1].problem.m, 20);
    EXPECT_EQ(plan->stages[1].arguments[0].index, 3u);
    EXPECT_EQ(plan->stages[1].in_order_from, std::optional<std::size_t>(3));
    EXPECT_EQ(plan->workspace_bytes, 20u);
    EXPECT_TRUE(plan->problem == groups().build());
    const auto launched = take[kPlain]();
    EXPECT_EQ(launched.count, 2);
    EXPECT_EQ(launched.problem.m, 20);
    EXPECT_EQ(launched.problem.a, address(3));
    EXPECT_EQ(launched.problem.group_count, 0);
}

TEST_F(MadeUpVariants, ServeGroupsWithTheKernelThatWasAskedFor) {
    add("plain"), add("grouped");
    EXPECT_EQ(dispatcher->selector().select_explicit(kPlain, groups().build())->stages.size(), 2u);
    EXPECT_EQ(dispatcher->selector().select_explicit(kGrouped, groups().build())->stages.size(), 1u);
}

TEST_F(MadeUpVariants, RefuseGroupsWithTheGroupThatNoneComputes) {
    add("plain");
    EXPECT_REFUSED(ErrorCode::no_kernel,
                   "No kernel of the registry mine computes gemm 20x2x128 fp16 rcr on gfx942 (1 refuse). The nearest: "
                   "gemm_made_up does not want to.",
                   dispatcher->select(
                       GemmProblemBuilder().dtype("fp16").group(10, kFine, 64).group(20, kUnsupported, 128).build()));
}

TEST_F(MadeUpVariants, KeepNothingThatAFunctionSaidOfAGroup) {
    add("plain");
    int asked = 0;
    dispatcher->selector().use(Predictor<GemmFamily>([&](const auto&...) { return double(++asked); }));
    (void)dispatcher->select(groups().build());
    const int before = asked;
    (void)dispatcher->select(fp16(10).sizes(10, kFine, 64).build());
    EXPECT_GT(asked, before);
}

TEST_F(MadeUpVariants, RankGroupsForOneLaunch) {
    add("plain"), add("grouped");
    const auto ranking = dispatcher->selector().rank(groups().build());
    ASSERT_EQ(ranking.fit.size(), 1u);
    EXPECT_EQ(ranking.fit[0].kernel->name(), kGrouped);
    EXPECT_EQ(ranking.fit[0].workspace_bytes, 30u);
    ASSERT_EQ(ranking.refused.size(), 1u);
    EXPECT_EQ(ranking.refused[0].reason, "gemm_made_up computes one product in a launch, not a group of 2.");
}

TEST_F(MadeUpVariants, AreGivenDTensors) {
    add("plain"), add("multi_d");
    const auto plan = run(fp16(10).fused("MultiDAdd", 2).d_leading_dimensions({GemmProblemBuilder::kRepeated}).build());
    EXPECT_EQ(plan->name(), "gemm_made_up_multi_d");
    const auto launched = take["gemm_made_up_multi_d"]();
    EXPECT_EQ(launched.problem.d[0], address(3));
    EXPECT_EQ(launched.problem.d[1], address(4));
    EXPECT_EQ(launched.problem.stride_d[0], 0);
    EXPECT_EQ(launched.problem.stride_d[1], kFine);
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, "computes MultiDAdd with 2 D tensors, not MultiDAdd with 1 D tensor.",
                          dispatcher->select(fp16(10).fused("MultiDAdd", 1).build()));
}

TEST_F(MadeUpVariants, ReadPreshuffledWeights) {
    add("plain"), add("preshuffle");
    EXPECT_EQ(run(fp16(10, 32, 64).preshuffled(32, 8).build())->name(), "gemm_made_up_preshuffle");
    EXPECT_EQ(take["gemm_made_up_preshuffle"]().problem.stride_b, 64);
    EXPECT_EQ(run(fp16(10, 32, 64).build())->name(), kPlain);
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, " B ",
                          dispatcher->select(fp16(10, 32, 64).preshuffled(16, 16).build()));
}

TEST_F(MadeUpVariants, KeepPartsInAWorkspace) {
    add("plain"), add("split");
    const auto plan = run(fp16(1000, kFine, 4096).split_k(4).deterministic(true).build());
    EXPECT_EQ(plan->name(), "gemm_made_up_split");
    EXPECT_EQ(plan->workspace_bytes, 1000u);
    EXPECT_EQ(take["gemm_made_up_split"]().problem.k_batch, 4);
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel,
                          "gemm_made_up_split needs a workspace of 1000 bytes, and the limit is 999.",
                          dispatcher->select(fp16(1000, kFine, 4096).split_k(4).workspace_limit(999).build()));
}

}  // namespace
}  // namespace ckdispatch

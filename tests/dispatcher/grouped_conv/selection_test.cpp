// SPDX-License-Identifier: MIT
// Which of several made-up convolution kernels serves a problem.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/dispatcher/support/convolutions.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

constexpr std::int64_t kUnsupported = 101;

class GroupedConvSelection : public test::MadeUpConvolutions {
protected:
    static GroupedConvProblemBuilder plain(std::int64_t g = 1, std::int64_t c = 8, std::int64_t k = 8) {
        return GroupedConvProblemBuilder().sizes(4, g, c, k).input({28, 28}).filter({1, 1}).dtype("fp32");
    }
    std::string selected(const GroupedConvProblemBuilder& builder) { return dispatcher->select(builder.build())->name(); }
};

TEST_F(GroupedConvSelection, HoldsCodeForBothGpusOfALibrary) {
    add({"forward"});
    EXPECT_EQ(GroupedConvSelector(registry, "gfx1100").rank(plain().build()).fit.size(), 1u);
    const auto ranking = GroupedConvSelector(registry, "gfx950").rank(plain().build());
    ASSERT_EQ(ranking.refused.size(), 1u);
    EXPECT_EQ(ranking.refused[0].code, ErrorCode::wrong_gpu);
}

TEST_F(GroupedConvSelection, TakesTheKernelOfTheDirectionAndTheDimensions) {
    add({"forward", "forward_1d", "forward_3d", "data", "data_1d", "data_3d", "weight", "weight_1d", "weight_3d"});
    const std::string directions[][2] = {{"forward", ""}, {"backward_data", "_data"}, {"backward_weight", "_weight"}};
    const std::string dimensions[]    = {"_1d", "", "_3d"};
    for (const auto& [direction, name] : directions)
        for (int dims = 1; dims <= 3; ++dims) EXPECT_EQ(selected(fp32(direction.c_str(), dims)), "conv_made_up" + name + dimensions[dims - 1]);
}

TEST_F(GroupedConvSelection, PrefersASpecialisedKernelWhereItFits) {
    add({"forward", "pointwise"});
    EXPECT_EQ(selected(plain()), "conv_made_up_pointwise");
    EXPECT_EQ(selected(plain().stride({2, 2})), "conv_made_up");
    EXPECT_EQ(selected(plain().pad({1, 1})), "conv_made_up");
    EXPECT_EQ(selected(plain().filter({3, 3})), "conv_made_up");
}

TEST_F(GroupedConvSelection, PrefersWideLoadsWhereTheLibraryTakesThem) {
    add({"forward", "vectors"});
    EXPECT_EQ(selected(plain()), "conv_made_up_vectors");
    EXPECT_EQ(selected(plain(1, 6, 8)), "conv_made_up");
    EXPECT_EQ(selected(plain().alignment(4)), "conv_made_up");
    const auto ranking = dispatcher->selector().rank(plain(1, 6, 8).build());
    ASSERT_EQ(ranking.refused.size(), 1u);
    EXPECT_EQ(ranking.refused[0].reason, "conv_made_up_vectors moves several channels at a time.");
}

TEST_F(GroupedConvSelection, MergesGroupsThatAreSmall) {
    add({"forward", "merged"});
    EXPECT_EQ(selected(plain(4, 1, 1).input({5, 5})), "conv_made_up_merged");
    EXPECT_EQ(selected(plain(4, 64, 64)), "conv_made_up");
    EXPECT_EQ(selected(plain(6, 1, 1).input({5, 5})), "conv_made_up");
}

TEST_F(GroupedConvSelection, SplitsADeepSumIfItMayChoose) {
    add({"weight", "weight_split"});
    const auto deep = [] { return plain().direction("backward_weight").sizes(64, 1, 8, 8); };
    EXPECT_EQ(selected(deep()), "conv_made_up_weight");
    EXPECT_EQ(selected(deep().split_k(4)), "conv_made_up_weight_split");
    const auto chosen = dispatcher->select(deep().split_k(0).build());
    EXPECT_EQ(chosen->name(), "conv_made_up_weight_split");
    EXPECT_EQ(chosen->stages[0].way.parts, 32);
    EXPECT_EQ(chosen->workspace_bytes, 32u * 8 * 8 * 4);
    // With little room, fewer parts; with none, no parts.
    EXPECT_EQ(dispatcher->select(deep().split_k(0).workspace_limit(8 * 8 * 8 * 4).build())->stages[0].way.parts, 8);
    EXPECT_EQ(selected(deep().split_k(0).workspace_limit(1)), "conv_made_up_weight");
    EXPECT_EQ(selected(plain().direction("backward_weight").sizes(1, 1, 8, 8).input({7, 7}).split_k(0)), "conv_made_up_weight");
}

TEST_F(GroupedConvSelection, AddsInOneOrderWhereTheSameBitsAreWanted) {
    add({"weight_atomic", "weight_split"});
    const auto deep = [] { return plain().direction("backward_weight").sizes(64, 1, 8, 8); };
    EXPECT_EQ(selected(deep().split_k(4)), "conv_made_up_weight_atomic");
    EXPECT_EQ(selected(deep().split_k(4).deterministic(true)), "conv_made_up_weight_split");
    EXPECT_EQ(selected(deep().split_k(2).deterministic(true)), "conv_made_up_weight_atomic");
}

TEST_F(GroupedConvSelection, TakesTheFirstKeyOfSeveralThatAreEqual) {
    // In one order, and in the other.
    for (const auto& kinds : {std::vector<const char*>{"vectors", "merged", "forward"}, std::vector<const char*>{"forward", "merged", "vectors"}}) {
        const auto again = std::make_shared<GroupedConvRegistry>("again");
        for (const char* kind : kinds) again->add_library({test::built_file("made_up_grouped_conv_" + std::string(kind) + ".so"), ""});
        GroupedConvSelector selector(again, "gfx942");
        selector.use(Predictor<GroupedConvFamily>([](const GroupedConvProblem&, const Candidate<GroupedConvFamily>&, const arch::GpuSpec&) { return 1.0; }));
        const auto ranking = selector.rank(plain(4).build());
        ASSERT_EQ(ranking.fit.size(), 3u);
        EXPECT_EQ(ranking.fit[0].kernel->name(), "conv_made_up");
        EXPECT_EQ(ranking.fit[1].kernel->name(), "conv_made_up_merged");
        EXPECT_EQ(ranking.fit[2].kernel->name(), "conv_made_up_vectors");
        EXPECT_EQ(selector.select(plain(4).build())->name(), "conv_made_up");
    }
}

TEST_F(GroupedConvSelection, SaysWhyNoKernelServes) {
    EXPECT_REFUSED(ErrorCode::no_kernel, "No kernel of the registry mine computes grouped_conv forward n4 g1 c8 k8 28x28 1x1 stride 1x1 pad 0x0 fp32 nhwgc on gfx942: it has none.", selected(plain()));
    add({"forward"});
    EXPECT_REFUSED(ErrorCode::no_kernel,
                   "No kernel of the registry mine computes grouped_conv forward n4 g1 c8 k101 28x28 1x1 stride 1x1 pad 0x0 fp32 nhwgc on gfx942 (1 refuse). The nearest: conv_made_up does not want to.",
                   selected(plain(1, 8, kUnsupported)));
    EXPECT_REFUSED(ErrorCode::unsupported, "conv_made_up computes forward, not backward_data.", dispatcher->selector().select_explicit("conv_made_up", plain().direction("backward_data").build()));
}

TEST_F(GroupedConvSelection, KeepsThePlanOfAProblem) {
    add({"forward"});
    const auto plan = dispatcher->select(plain().build());
    EXPECT_EQ(dispatcher->select(plain().build()), plan);
    EXPECT_NE(dispatcher->select(plain().filter({3, 3}).build()), plan);
    add({"pointwise"});
    EXPECT_EQ(selected(plain()), "conv_made_up_pointwise");
}

}  // namespace
}  // namespace ckdispatch

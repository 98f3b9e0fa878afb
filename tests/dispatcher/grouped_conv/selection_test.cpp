// SPDX-License-Identifier: MIT
// Which of several made-up convolution kernels serves a problem.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/dispatcher/support/convolutions.hpp"
#include "tests/dispatcher/support/keys.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

constexpr std::int64_t kUnsupported = 101;

class GroupedConvSelection : public test::MadeUpConvolutions {
protected:
    static GroupedConvProblemBuilder plain(std::int64_t g = 1, std::int64_t c = 8, std::int64_t k = 8) {
        return GroupedConvProblemBuilder().sizes(4, g, c, k).input({28, 28}).filter({1, 1}).dtype("fp32");
    }
    std::string selected(const GroupedConvProblemBuilder& builder) {
        return dispatcher->select(builder.build())->name();
    }
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
    const std::string dimensions[] = {"_1d", "", "_3d"};
    for (const auto& [direction, name] : directions)
        for (int dims = 1; dims <= 3; ++dims)
            EXPECT_EQ(selected(fp32(direction.c_str(), dims)), "conv_made_up" + name + dimensions[dims - 1]);
}

TEST_F(GroupedConvSelection, TakesTheKernelOfTheLayout) {
    add({"forward", "forward_1d", "forward_3d", "first", "first_1d", "first_3d"});
    const std::string dimensions[] = {"_1d", "", "_3d"};
    for (int dims = 1; dims <= 3; ++dims) {
        EXPECT_EQ(selected(fp32("forward", dims)), "conv_made_up" + dimensions[dims - 1]);
        EXPECT_EQ(selected(first(dims)), "conv_made_up_first" + dimensions[dims - 1]);
    }
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
    // So many that they take turns on the compute units: a few have one each, merged or not.
    EXPECT_EQ(selected(plain(8192, 1, 1).input({2, 2})), "conv_made_up_merged");
    EXPECT_EQ(selected(plain(4, 64, 64)), "conv_made_up");
    EXPECT_EQ(selected(plain(8190, 1, 1).input({2, 2})), "conv_made_up");
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
    EXPECT_EQ(selected(plain().direction("backward_weight").sizes(1, 1, 8, 8).input({7, 7}).split_k(0)),
              "conv_made_up_weight");
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
    for (const auto& kinds : {std::vector<const char*>{"vectors", "merged", "forward"},
                              std::vector<const char*>{"forward", "merged", "vectors"}}) {
        const auto again = std::make_shared<GroupedConvRegistry>("again");
        for (const char* kind : kinds)
            again->add_library({test::built_file("made_up_grouped_conv_" + std::string(kind) + ".so"), ""});
        GroupedConvSelector selector(again, "gfx942");
        selector.use(Predictor<GroupedConvFamily>(
            [](const GroupedConvProblem&, const Candidate<GroupedConvFamily>&, const arch::GpuSpec&) { return 1.0; }));
        const auto ranking = selector.rank(plain(4).build());
        ASSERT_EQ(ranking.fit.size(), 3u);
        EXPECT_EQ(ranking.fit[0].kernel->name(), "conv_made_up");
        EXPECT_EQ(ranking.fit[1].kernel->name(), "conv_made_up_merged");
        EXPECT_EQ(ranking.fit[2].kernel->name(), "conv_made_up_vectors");
        EXPECT_EQ(selector.select(plain(4).build())->name(), "conv_made_up");
    }
}

TEST_F(GroupedConvSelection, SaysWhyNoKernelServes) {
    EXPECT_REFUSED(ErrorCode::no_kernel,
                   "No kernel of the registry mine computes grouped_conv forward n4 g1 c8 k8 28x28 1x1 stride 1x1 pad "
                   "0x0 fp32 nhwgc on gfx942: it has none.",
                   selected(plain()));
    add({"forward"});
    EXPECT_REFUSED(ErrorCode::no_kernel,
                   "No kernel of the registry mine computes grouped_conv forward n4 g1 c8 k101 28x28 1x1 stride 1x1 "
                   "pad 0x0 fp32 nhwgc on gfx942 (1 refuse). The nearest: conv_made_up does not want to.",
                   selected(plain(1, 8, kUnsupported)));
    EXPECT_REFUSED(ErrorCode::unsupported, "conv_made_up computes forward, not backward_data.",
                   dispatcher->selector().select_explicit("conv_made_up", plain().direction("backward_data").build()));
}

// In the order of the keys one of another direction would come first.
TEST_F(GroupedConvSelection, NamesTheNearestKernelThatDoesNotServe) {
    const auto nearest = [&](const GroupedConvProblemBuilder& builder, const std::string& end) {
        EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, "The nearest: " + end, selected(builder));
    };
    const auto key = [&](const char* direction, void (*change)(GroupedConvKey&)) {
        GroupedConvKey made = test::sample_conv_key(direction);
        change(made);
        return made;
    };
    const auto as_it_is = [](GroupedConvKey&) {};
    const auto bf16 = [](GroupedConvKey& one) { one.dtype_x = one.dtype_w = one.dtype_y = "bf16"; };
    const auto relu = [](GroupedConvKey& one) { one.fused_op = "Relu"; };
    const auto first = [](GroupedConvKey& one) { one.layout = "ngchw"; };
    for (const auto& made :
         {key("backward_data", as_it_is), key("backward_weight", bf16), key("forward", bf16), key("forward", first)})
        registry->add(test::unopened_kernel(made));
    nearest(plain().dtype("fp16"), test::name_for(key("forward", bf16)) + " computes with x in bf16, not fp16.");
    nearest(plain().dtype("bf16").layout("ngchw"),
            test::name_for(key("forward", first)) + " computes with x in fp16, not bf16.");
    nearest(plain().dtype("fp16").direction("backward_weight"),
            test::name_for(key("backward_weight", bf16)) + " computes with x in bf16, not fp16.");
    // One for another GPU is as near as its signature, and then after those for this one.
    registry->add(test::unopened_kernel(key("forward", as_it_is), 0, {"gfx950"}));
    nearest(plain().dtype("fp16"), test::name_for(key("forward", as_it_is)) + " holds no code for gfx942.");
    registry->add(test::unopened_kernel(key("forward", relu)));
    nearest(plain().dtype("fp16").fused("Gelu", 0), test::name_for(key("forward", relu)) + " computes Relu, not Gelu.");
    // The same for who chooses by a function.
    dispatcher->selector().use(
        Chooser<GroupedConvFamily>([](const GroupedConvProblem&, const std::vector<Candidate<GroupedConvFamily>>&) {
            return std::optional<std::size_t>();
        }));
    nearest(plain().dtype("fp16").fused("Gelu", 0), test::name_for(key("forward", relu)) + " computes Relu, not Gelu.");
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

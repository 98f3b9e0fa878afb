// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <unordered_set>

#include "ckdispatch/grouped_conv/problem_builder.hpp"

namespace ckdispatch {
namespace {

GroupedConvProblemBuilder fp16() {
    return GroupedConvProblemBuilder().sizes(8, 1, 64, 128).input({56, 56}).filter({3, 3}).dtype("fp16");
}

TEST(GroupedConvProblem, IsForwardWithoutStridesAndPadsUnlessToldOtherwise) {
    const GroupedConvProblem p = fp16().build();
    EXPECT_EQ(p.direction.text(), "forward");
    EXPECT_EQ(p.n, 8);
    EXPECT_EQ(p.g, 1);
    EXPECT_EQ(p.c, 64);
    EXPECT_EQ(p.k, 128);
    EXPECT_EQ(p.ndim_spatial, 2);
    EXPECT_EQ(p.layout.text(), "nhwgc");
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(p.axes[i].input, 56);
        EXPECT_EQ(p.axes[i].filter, 3);
        EXPECT_EQ(p.axes[i].output, 54);
        EXPECT_EQ(p.axes[i].stride, 1);
        EXPECT_EQ(p.axes[i].dilation, 1);
        EXPECT_EQ(p.axes[i].left_pad, 0);
        EXPECT_EQ(p.axes[i].right_pad, 0);
    }
    EXPECT_EQ(p.dtype_w.text(), "fp16");
    EXPECT_EQ(p.dtype_y.text(), "fp16");
    EXPECT_EQ(p.fused_op.text(), "PassThrough");
    EXPECT_EQ(p.d_count, 0);
    EXPECT_EQ(p.split_k, 1);
    EXPECT_EQ(p.alignment, 16);
    EXPECT_FALSE(p.deterministic);
    EXPECT_EQ(p.workspace_limit, std::numeric_limits<std::uint64_t>::max());
}

TEST(GroupedConvProblem, HasOneToThreeDimensions) {
    const auto of = [](GroupedConvProblemBuilder::Extents input, GroupedConvProblemBuilder::Extents filter) {
        return GroupedConvProblemBuilder()
            .sizes(1, 1, 1, 1)
            .input(std::move(input))
            .filter(std::move(filter))
            .dtype("fp16")
            .build();
    };
    EXPECT_EQ(of({9}, {2}).layout.text(), "nwgc");
    EXPECT_EQ(of({9, 8}, {2, 3}).layout.text(), "nhwgc");
    EXPECT_EQ(of({9, 8, 7}, {2, 3, 4}).layout.text(), "ndhwgc");
    EXPECT_EQ(of({9, 8, 7}, {2, 3, 4}).axes[2].output, 4);
    // What is not there counts as one.
    EXPECT_EQ(of({9}, {2}).inputs(), 9);
    EXPECT_EQ(of({9, 8, 7}, {2, 3, 4}).inputs(), 9 * 8 * 7);
    EXPECT_EQ(of({9, 8, 7}, {2, 3, 4}).filters(), 24);
    EXPECT_EQ(of({9, 8, 7}, {2, 3, 4}).outputs(), 8 * 6 * 4);
}

TEST(GroupedConvProblem, HasTheOutputThatFollows) {
    const auto output = [](std::int64_t input, std::int64_t filter, std::int64_t stride, std::int64_t dilation,
                           std::int64_t left, std::int64_t right) {
        return GroupedConvProblemBuilder()
            .sizes(1, 1, 1, 1)
            .input({input})
            .filter({filter})
            .stride({stride})
            .dilation({dilation})
            .pads({left}, {right})
            .dtype("fp16")
            .build()
            .axes[0]
            .output;
    };
    EXPECT_EQ(output(56, 3, 1, 1, 1, 1), 56);
    EXPECT_EQ(output(56, 3, 2, 1, 1, 1), 28);
    EXPECT_EQ(output(57, 3, 2, 1, 1, 1), 29);
    EXPECT_EQ(output(56, 1, 2, 1, 0, 0), 28);
    EXPECT_EQ(output(10, 3, 1, 2, 0, 0), 6);
    EXPECT_EQ(output(10, 3, 3, 4, 2, 1), 2);
    EXPECT_EQ(output(3, 3, 7, 1, 0, 0), 1);
    EXPECT_EQ(output(2, 3, 1, 1, 0, 1), 1);
}

TEST(GroupedConvProblem, KeepsWhatItWasGiven) {
    const GroupedConvProblem p = fp16()
                                     .direction("backward_weight")
                                     .sizes(2, 3, 4, 5)
                                     .output({19, 55})
                                     .stride({3, 1})
                                     .dilation({1, 2})
                                     .pads({2, 0}, {1, 3})
                                     .dtypes("bf16", "fp16", "fp32")
                                     .layout("nhwgc")
                                     .split_k(7)
                                     .alignment(4)
                                     .deterministic(true)
                                     .workspace_limit(77)
                                     .build();
    EXPECT_EQ(p.direction.text(), "backward_weight");
    EXPECT_EQ(p.g, 3);
    EXPECT_EQ(p.axes[0].output, 19);
    EXPECT_EQ(p.axes[0].stride, 3);
    EXPECT_EQ(p.axes[1].dilation, 2);
    EXPECT_EQ(p.axes[0].left_pad, 2);
    EXPECT_EQ(p.axes[1].left_pad, 0);
    EXPECT_EQ(p.axes[1].right_pad, 3);
    EXPECT_EQ(p.dtype_x.text(), "bf16");
    EXPECT_EQ(p.dtype_y.text(), "fp32");
    EXPECT_EQ(p.split_k, 7);
    EXPECT_EQ(p.alignment, 4);
    EXPECT_TRUE(p.deterministic);
    EXPECT_EQ(p.workspace_limit, 77u);
}

TEST(GroupedConvProblem, IsMadeFromShapesToo) {
    const GroupedConvProblem sized =
        GroupedConvProblemBuilder().sizes(2, 3, 4, 5).input({9, 8}).filter({3, 2}).pad({1, 0}).dtype("fp16").build();
    EXPECT_TRUE(
        GroupedConvProblemBuilder().shapes({2, 9, 8, 3, 4}, {3, 5, 3, 2, 4}).pad({1, 0}).dtype("fp16").build() ==
        sized);
    EXPECT_TRUE(GroupedConvProblemBuilder()
                    .shapes({2, 9, 8, 3, 4}, {3, 5, 3, 2, 4}, {2, 9, 7, 3, 5})
                    .pad({1, 0})
                    .dtype("fp16")
                    .layout("nhwgc")
                    .build() == sized);
    EXPECT_EQ(GroupedConvProblemBuilder().shapes({2, 9, 3, 4}, {3, 5, 2, 4}).dtype("fp16").build().layout.text(),
              "nwgc");
    EXPECT_EQ(
        GroupedConvProblemBuilder().shapes({2, 9, 8, 7, 3, 4}, {3, 5, 2, 1, 1, 4}).dtype("fp16").build().layout.text(),
        "ndhwgc");
}

TEST(GroupedConvProblem, MayHaveChannelsFirst) {
    const GroupedConvProblem sized = GroupedConvProblemBuilder()
                                         .sizes(2, 3, 4, 5)
                                         .input({9, 8})
                                         .filter({3, 2})
                                         .pad({1, 0})
                                         .dtype("fp16")
                                         .layout("ngchw")
                                         .build();
    EXPECT_EQ(sized.text(), "grouped_conv forward n2 g3 c4 k5 9x8 3x2 stride 1x1 pad 1x0 fp16 ngchw");
    EXPECT_TRUE(GroupedConvProblemBuilder()
                    .shapes({2, 3, 4, 9, 8}, {3, 5, 4, 3, 2})
                    .pad({1, 0})
                    .dtype("fp16")
                    .layout("ngchw")
                    .build() == sized);
    EXPECT_TRUE(GroupedConvProblemBuilder()
                    .shapes({2, 3, 4, 9, 8}, {3, 5, 4, 3, 2}, {2, 3, 5, 9, 7})
                    .pad({1, 0})
                    .dtype("fp16")
                    .layout("ngchw")
                    .build() == sized);
    EXPECT_FALSE(
        GroupedConvProblemBuilder().sizes(2, 3, 4, 5).input({9, 8}).filter({3, 2}).pad({1, 0}).dtype("fp16").build() ==
        sized);
    EXPECT_EQ(GroupedConvProblemBuilder()
                  .shapes({2, 3, 4, 9}, {3, 5, 4, 2})
                  .dtype("fp16")
                  .layout("ngcw")
                  .build()
                  .axes[0]
                  .output,
              8);
    const GroupedConvProblem deep = GroupedConvProblemBuilder()
                                        .shapes({2, 3, 4, 9, 8, 7}, {3, 5, 4, 2, 1, 3})
                                        .dtype("fp16")
                                        .layout("ngcdhw")
                                        .build();
    EXPECT_EQ(deep.axes[0].input, 9);
    EXPECT_EQ(deep.axes[2].filter, 3);
    EXPECT_EQ(deep.elements(2), 2 * 3 * 5 * 8 * 8 * 5);
}

TEST(GroupedConvProblem, HasNothingToSplitInOtherDirections) {
    EXPECT_EQ(fp16().split_k(0).build().split_k, 1);
    EXPECT_EQ(fp16().direction("backward_data").split_k(0).build().split_k, 1);
    EXPECT_EQ(fp16().direction("backward_weight").split_k(0).build().split_k, 0);
    EXPECT_EQ(fp16().direction("backward_weight").split_k(8 * 54 * 54).build().split_k, 8 * 54 * 54);
}

TEST(GroupedConvProblem, StoresTheUsualDtypeOfItsPair) {
    EXPECT_EQ(fp16().dtype("fp8").build().dtype_y.text(), "fp16");
    EXPECT_EQ(fp16().dtype("int8").build().dtype_y.text(), "int32");
}

TEST(GroupedConvProblem, IsShown) {
    EXPECT_EQ(fp16().pad({1, 1}).build().text(),
              "grouped_conv forward n8 g1 c64 k128 56x56 3x3 stride 1x1 pad 1x1 fp16 nhwgc");
    EXPECT_EQ(
        fp16()
            .direction("backward_weight")
            .stride({2, 1})
            .dilation({1, 2})
            .pads({1, 0}, {1, 2})
            .split_k(4)
            .build()
            .text(),
        "grouped_conv backward_weight n8 g1 c64 k128 56x56 3x3 stride 2x1 dilation 1x2 pad 1x0+2 fp16 nhwgc split-K 4");
    EXPECT_EQ(fp16().direction("backward_weight").split_k(0).build().text(),
              "grouped_conv backward_weight n8 g1 c64 k128 56x56 3x3 stride 1x1 pad 0x0 fp16 nhwgc split-K auto");
    EXPECT_EQ(fp16().dtypes("fp8", "bf8").fused("Relu", 0).build().text(),
              "grouped_conv forward n8 g1 c64 k128 56x56 3x3 stride 1x1 pad 0x0 fp8*bf8->fp16 nhwgc Relu");
    EXPECT_EQ(fp16().fused("MultiDAddRelu", 1).build().text(),
              "grouped_conv forward n8 g1 c64 k128 56x56 3x3 stride 1x1 pad 0x0 fp16 nhwgc MultiDAddRelu of a bias");
    EXPECT_EQ(GroupedConvProblemBuilder().sizes(1, 2, 3, 4).input({9}).filter({2}).dtype("fp16").build().text(),
              "grouped_conv forward n1 g2 c3 k4 9 2 stride 1 pad 0 fp16 nwgc");
}

TEST(GroupedConvProblem, CountsItsWork) {
    const auto p = [](const char* direction) {
        return GroupedConvProblemBuilder()
            .direction(direction)
            .sizes(2, 3, 4, 5)
            .input({9, 8})
            .filter({3, 2})
            .dtypes("fp16", "fp16", "fp32");
    };
    for (const char* direction : {"forward", "backward_data", "backward_weight"}) {
        EXPECT_EQ(p(direction).build().flops(), 2.0 * 2 * 3 * 4 * 5 * (7 * 7) * (3 * 2)) << direction;
        EXPECT_EQ(p(direction).build().bytes(),
                  2.0 * (2 * 9 * 8 * 3 * 4) + 2.0 * (3 * 5 * 3 * 2 * 4) + 4.0 * (2 * 7 * 7 * 3 * 5))
            << direction;
    }
    EXPECT_EQ(p("forward").fused("MultiDAdd", 1).build().bytes(), p("forward").build().bytes() + 4.0 * 3 * 5);
}

TEST(GroupedConvProblem, KnowsItsTensors) {
    const auto p = GroupedConvProblemBuilder()
                       .sizes(2, 3, 4, 5)
                       .input({9, 8})
                       .filter({3, 2})
                       .dtypes("fp16", "bf16", "fp32")
                       .build();
    EXPECT_EQ(p.elements(0), 2 * 9 * 8 * 3 * 4);
    EXPECT_EQ(p.elements(1), 3 * 5 * 3 * 2 * 4);
    EXPECT_EQ(p.elements(2), 2 * 7 * 7 * 3 * 5);
    EXPECT_EQ(p.elements(3), 3 * 5);
    EXPECT_EQ(p.dtype_of(0).text(), "fp16");
    EXPECT_EQ(p.dtype_of(1).text(), "bf16");
    EXPECT_EQ(p.dtype_of(2).text(), "fp32");
    EXPECT_EQ(p.dtype_of(3).text(), "fp32");
    EXPECT_EQ(fp16().build().result(), 2u);
    EXPECT_EQ(fp16().direction("backward_data").build().result(), 0u);
    EXPECT_EQ(fp16().direction("backward_weight").build().result(), 1u);
}

TEST(GroupedConvProblem, EqualsAnotherOnlyInEveryField) {
    const auto base = [] {
        return GroupedConvProblemBuilder()
            .direction("backward_weight")
            .sizes(8, 2, 64, 128)
            .input({56, 56})
            .filter({3, 3})
            .pad({1, 1})
            .dtype("fp16");
    };
    const GroupedConvProblem others[] = {base().direction("backward_data").build(),
                                         base().sizes(9, 2, 64, 128).build(),
                                         base().sizes(8, 3, 64, 128).build(),
                                         base().sizes(8, 2, 65, 128).build(),
                                         base().sizes(8, 2, 64, 129).build(),
                                         base().input({57, 56}).build(),
                                         base().input({56, 57}).build(),
                                         base().filter({2, 3}).build(),
                                         base().stride({2, 1}).build(),
                                         base().stride({1, 2}).build(),
                                         base().dilation({2, 1}).build(),
                                         base().pads({1, 1}, {1, 2}).build(),
                                         base().pads({1, 2}, {1, 1}).build(),
                                         base().input({56, 56, 1}).filter({3, 3, 1}).pad({1, 1, 0}).build(),
                                         base().dtype("bf16").build(),
                                         base().dtypes("fp16", "bf16", "fp16").build(),
                                         base().dtypes("fp16", "fp16", "fp32").build(),
                                         base().split_k(2).build(),
                                         base().alignment(8).build(),
                                         base().deterministic(true).build(),
                                         base().workspace_limit(1).build(),
                                         base().direction("forward").build(),
                                         base().direction("forward").fused("Relu", 0).build(),
                                         base().direction("forward").fused("MultiDAddRelu", 1).build()};
    struct Hash {
        std::size_t operator()(const GroupedConvProblem& p) const { return p.hash(); }
    };
    std::unordered_set<GroupedConvProblem, Hash> distinct = {base().build()};
    for (const GroupedConvProblem& other : others) {
        EXPECT_FALSE(other == base().build()) << other.text();
        EXPECT_NE(other.hash(), base().build().hash()) << other.text();
        distinct.insert(other);
    }
    EXPECT_EQ(distinct.size(), 1 + std::size(others));
    EXPECT_TRUE(base().build() == base().build());
    EXPECT_EQ(base().build().hash(), base().build().hash());
}

}  // namespace
}  // namespace ckdispatch

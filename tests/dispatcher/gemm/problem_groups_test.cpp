// SPDX-License-Identifier: MIT
// Problems of several products of different sizes.
#include <gtest/gtest.h>

#include <string>

#include "ckdispatch/gemm/problem_builder.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

GemmProblemBuilder fp16() { return GemmProblemBuilder().dtype("fp16"); }

TEST(GemmGroups, HaveSizesAndStridesOfTheirOwn) {
    const GemmProblem p = fp16().group(30, 20, 10).group(3, 2, 1, 4, 5, 6).build();
    ASSERT_EQ(p.groups.size(), 2u);
    EXPECT_EQ(p.groups[0].stride_a, 10);
    EXPECT_EQ(p.groups[0].stride_b, 10);
    EXPECT_EQ(p.groups[0].stride_c, 20);
    EXPECT_EQ(p.groups[1].m, 3);
    EXPECT_EQ(p.groups[1].stride_a, 4);
    EXPECT_EQ(p.groups[1].stride_b, 5);
    EXPECT_EQ(p.groups[1].stride_c, 6);
    EXPECT_EQ(p.m, 0);
    EXPECT_EQ(p.dtype_c.text(), "fp16");
    EXPECT_EQ(p.layout.text(), "rcr");
}

TEST(GemmGroups, AreProblemsOfTheirOwn) {
    const auto products = fp16().layout("rrr").split_k(2).group(30, 20, 10).group(3, 2, 8, 9).build().products();
    ASSERT_EQ(products.size(), 2u);
    EXPECT_TRUE(products[0] == GemmProblemBuilder().dtype("fp16").layout("rrr").split_k(2).sizes(30, 20, 10).build());
    EXPECT_TRUE(
        products[1] ==
        GemmProblemBuilder().dtype("fp16").layout("rrr").split_k(2).sizes(3, 2, 8).leading_dimensions(9, 0, 0).build());
    EXPECT_TRUE(GemmProblemBuilder().dtype("fp16").sizes(30, 20, 10).build().products().empty());
}

TEST(GemmGroups, AreAddedUp) {
    const GemmProblem p = fp16().group(30, 20, 10).group(3, 2, 1).build();
    EXPECT_EQ(p.flops(), 2.0 * (30 * 20 * 10 + 3 * 2 * 1));
    EXPECT_EQ(p.bytes(), 2.0 * (30 * 10 + 20 * 10 + 30 * 20 + 3 + 2 + 6));
}

TEST(GemmGroups, AreShownUpToThree) {
    EXPECT_EQ(fp16().group(1, 2, 3).group(4, 5, 6).build().text(), "gemm of 2 groups (1x2x3, 4x5x6) fp16 rcr");
    EXPECT_EQ(fp16().group(1, 2, 3).group(4, 5, 6).group(7, 8, 9).group(1, 1, 1).build().text(),
              "gemm of 4 groups (1x2x3, 4x5x6, 7x8x9, …) fp16 rcr");
}

TEST(GemmGroups, TellProblemsApart) {
    const auto base = fp16().group(1, 2, 3).group(4, 5, 6).build();
    for (const GemmProblem& other :
         {fp16().group(1, 2, 3).build(), fp16().group(4, 5, 6).group(1, 2, 3).build(),
          fp16().group(1, 2, 3).group(4, 5, 7).build(), fp16().group(1, 2, 3).group(4, 5, 6, 8).build(),
          fp16().group(1, 2, 3).group(4, 5, 6).group(4, 5, 6).build()}) {
        EXPECT_FALSE(other == base) << other.text();
        EXPECT_NE(other.hash(), base.hash()) << other.text();
    }
    EXPECT_TRUE(fp16().group(1, 2, 3).group(4, 5, 6, 6).build() == base);
}

TEST(GemmGroups, AreEachChecked) {
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM of M x N x K = 4 x 0 x 6 was asked for; each must be from 1 to 2^31-1.",
                   fp16().group(1, 2, 3).group(4, 0, 6).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM was asked for with A of leading dimension 5; it must be at least 6 and less than 2^31.",
                   fp16().group(1, 2, 3).group(4, 5, 6, 5).build());
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument, "A GEMM of the layout 'x' was asked for; ",
                          fp16().layout("x").group(1, 2, 3).build());
}

TEST(GemmGroups, BesideOtherSizesAreRefused) {
    const std::string sentence =
        "A GEMM of groups was asked for with sizes or strides beside theirs; each group has its own.";
    EXPECT_REFUSED(ErrorCode::invalid_argument, sentence, fp16().sizes(1, 2, 3).group(1, 2, 3).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument, sentence, fp16().leading_dimensions(3, 0, 0).group(1, 2, 3).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument, sentence, fp16().strides_a(3, 1).group(1, 2, 3).build());
}

TEST(GemmGroups, WithABatchDTensorsOrPreshuffledWeightsAreRefused) {
    const std::string sentence =
        "A GEMM of groups was asked for with a batch, D tensors or preshuffled weights; groups have none: run them one "
        "by one.";
    EXPECT_REFUSED(ErrorCode::invalid_argument, sentence, fp16().batch(2).group(1, 2, 3).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument, sentence, fp16().fused("MultiDAdd", 1).group(1, 2, 3).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument, sentence, fp16().preshuffled(16, 32).group(16, 16, 32).build());
    EXPECT_EQ(fp16().fused("Relu", 0).group(1, 2, 3).build().fused_op.text(), "Relu");
}

}  // namespace
}  // namespace ckdispatch

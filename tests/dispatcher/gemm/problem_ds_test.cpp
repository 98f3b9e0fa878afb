// SPDX-License-Identifier: MIT
// Problems with D tensors, and with weights in the order of a kernel's matrix instructions.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ckdispatch/gemm/problem_builder.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

constexpr auto kPacked = GemmProblemBuilder::kPacked, kRepeated = GemmProblemBuilder::kRepeated;

GemmProblemBuilder fp16(std::int64_t m, std::int64_t n, std::int64_t k) {
    return GemmProblemBuilder().sizes(m, n, k).dtype("fp16");
}

TEST(GemmDs, ArePackedRowsOfCsDtypeUnlessToldOtherwise) {
    const GemmProblem p = fp16(30, 20, 10).dtypes("fp16", "fp16", "fp32").fused("MultiDAdd", 2).build();
    EXPECT_EQ(p.dtype_d.text(), "fp32");
    EXPECT_EQ(p.d_layout.text(), "r");
    EXPECT_EQ(p.stride_d, (GemmDs{20, 20, 0, 0}));
    EXPECT_EQ(p.batch_stride_d, (GemmDs{0, 0, 0, 0}));
}

TEST(GemmDs, OfColumnsArePackedByTheirRows) {
    EXPECT_EQ(fp16(30, 20, 10).fused("MultiDAdd", 1).d_tensors("fp16", "c").build().stride_d[0], 30);
}

TEST(GemmDs, KeepWhatTheyWereGiven) {
    const GemmProblem p = fp16(30, 20, 10)
                              .fused("MultiDAdd", 3)
                              .d_tensors("bf16", "r")
                              .d_leading_dimensions({24, kRepeated, kPacked})
                              .build();
    EXPECT_EQ(p.dtype_d.text(), "bf16");
    EXPECT_EQ(p.stride_d, (GemmDs{24, 0, 20, 0}));
}

TEST(GemmDs, OfABatchFollowEachOtherUnlessTheyAreRepeated) {
    const GemmProblem p =
        fp16(30, 20, 10).batch(3).fused("MultiDAdd", 3).d_leading_dimensions({24, kRepeated, kPacked}).build();
    EXPECT_EQ(p.batch_stride_d, (GemmDs{24 * 30, 0, 20 * 30, 0}));
    EXPECT_EQ(fp16(30, 20, 10)
                  .batch(3)
                  .fused("MultiDAdd", 2)
                  .d_leading_dimensions({kPacked, kRepeated})
                  .d_batch_strides({0, 32})
                  .build()
                  .batch_stride_d,
              (GemmDs{0, 32, 0, 0}));
}

TEST(GemmDs, ThatAreNoneHaveNothingToTellProblemsApartBy) {
    EXPECT_TRUE(fp16(30, 20, 10).d_tensors("fp32", "c").d_leading_dimensions({77}).build() == fp16(30, 20, 10).build());
}

TEST(GemmDs, TellProblemsApart) {
    const auto base = [] { return fp16(30, 20, 10).fused("MultiDAdd", 2); };
    for (const GemmProblem& other :
         {base().d_tensors("fp32").build(), base().d_tensors("fp16", "c").build(),
          base().d_leading_dimensions({kRepeated}).build(), base().d_leading_dimensions({kPacked, 24}).build(),
          base().fused("MultiDMultiply", 2).build(), fp16(30, 20, 10).fused("MultiDAdd", 1).build()}) {
        EXPECT_FALSE(other == base().build()) << other.text();
        EXPECT_NE(other.hash(), base().build().hash()) << other.text();
    }
}

TEST(GemmDs, AreShown) {
    EXPECT_EQ(fp16(1, 2, 3).fused("Relu", 0).build().text(), "gemm 1x2x3 fp16 rcr Relu");
    EXPECT_EQ(fp16(1, 2, 3).fused("MultiDAddRelu", 2).d_tensors("fp32", "c").build().text(),
              "gemm 1x2x3 fp16 rcr MultiDAddRelu of 2 fp32 D in columns");
}

TEST(GemmDs, AreCountedInTheBytes) {
    const double plain = fp16(30, 20, 10).build().bytes();
    EXPECT_EQ(fp16(30, 20, 10).fused("MultiDAdd", 1).build().bytes(), plain + 30 * 20 * 2);
    EXPECT_EQ(fp16(30, 20, 10).fused("MultiDAdd", 1).d_leading_dimensions({kRepeated}).build().bytes(), plain + 20 * 2);
    EXPECT_EQ(
        fp16(30, 20, 10).fused("MultiDAdd", 1).d_tensors("fp32", "c").d_leading_dimensions({kRepeated}).build().bytes(),
        plain + 30 * 4);
}

TEST(GemmDs, WithALayoutOrDtypeThatIsNoneAreRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM with D tensors of the layout 'rr' was asked for; it is r for rows or c for columns.",
                   fp16(1, 1, 1).fused("MultiDAdd", 1).d_tensors("fp16", "rr").build());
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument, "A GEMM of the dtype 'half' was asked for; the dtypes are ",
                          fp16(1, 1, 1).fused("MultiDAdd", 1).d_tensors("half").build());
}

TEST(GemmDs, WithALeadingDimensionBelowTheirRowsAreRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM was asked for with D1 of leading dimension 19; it must be at least 20 and less than 2^31.",
                   fp16(30, 20, 10).fused("MultiDAdd", 2).d_leading_dimensions({kPacked, 19}).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM was asked for with D0 of leading dimension -2; it must be at least 30 and less than 2^31.",
                   fp16(30, 20, 10).fused("MultiDAdd", 1).d_tensors("fp16", "c").d_leading_dimensions({-2}).build());
}

TEST(GemmWeights, ArePlainUnlessToldOtherwise) {
    EXPECT_TRUE(fp16(16, 16, 32).build().weights.empty());
    const GemmProblem p = fp16(16, 16, 32).preshuffled(16, 8).build();
    EXPECT_EQ(p.weights.text(), "16x8");
    EXPECT_EQ(p.text(), "gemm 16x16x32 fp16 rcr preshuffled 16x8");
    EXPECT_FALSE(p == fp16(16, 16, 32).build());
}

TEST(GemmWeights, OfPartialBlocksAreRefused) {
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        "A GEMM with weights preshuffled as 16x8 was asked for with N x K = 24 x 32; each must be a multiple.",
        fp16(8, 24, 32).preshuffled(16, 8).build());
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        "A GEMM with weights preshuffled as 16x8 was asked for with N x K = 16 x 44; each must be a multiple.",
        fp16(8, 16, 44).preshuffled(16, 8).build());
}

TEST(GemmWeights, InPlaceOfABOfRowsAreRefused) {
    for (const char* layout : {"rrr", "crr", "rcc"})
        EXPECT_REFUSED(ErrorCode::invalid_argument,
                       std::string("A GEMM with weights preshuffled as 16x8 was asked for in the layout ") + layout +
                           "; they take the place of a B of columns, with a C of rows, such as rcr.",
                       fp16(16, 16, 32).layout(layout).preshuffled(16, 8).build());
}

TEST(GemmWeights, WithGapsAreRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM with weights preshuffled as 16x8 was asked for with a leading dimension of B of 40; they "
                   "have no gaps: it is K.",
                   fp16(16, 16, 32).leading_dimensions(0, 40, 0).preshuffled(16, 8).build());
}

TEST(GemmWeights, OfNoOrderAreRefused) {
    for (const auto& [n, k] : {std::pair<int, int>{0, 32}, {16, 0}, {-16, 32}, {512, 32}})
        EXPECT_REFUSED(
            ErrorCode::invalid_argument,
            "A GEMM with weights preshuffled as '" + std::to_string(n) + "x" + std::to_string(k) +
                "' was asked for; it is columns and their neighbours along K that lie together, such as 16x8.",
            fp16(16, 1024, 960).preshuffled(n, k).build());
}

TEST(GemmWeights, HaveAPlaceForEachElement) {
    for (const auto& [n, k] : {std::pair<std::int64_t, std::int64_t>{16, 8}, {32, 16}, {16, 16}}) {
        const WeightsBlock block{n, k};
        const std::int64_t depth = 3 * k, columns = 2 * n;
        std::set<std::int64_t> places;
        for (std::int64_t row = 0; row < depth; ++row)
            for (std::int64_t column = 0; column < columns; ++column) places.insert(block.place(row, column, depth));
        EXPECT_EQ(places.size(), std::size_t(depth * columns));
        EXPECT_EQ(*places.begin(), 0);
        EXPECT_EQ(*places.rbegin(), depth * columns - 1);
    }
    // Eight of K, then the next column, then the next eight, and at last the next columns.
    const WeightsBlock block{16, 8};
    EXPECT_EQ(block.place(1, 0, 64), 1);
    EXPECT_EQ(block.place(0, 1, 64), 8);
    EXPECT_EQ(block.place(8, 0, 64), 8 * 16);
    EXPECT_EQ(block.place(32, 0, 64), 32 * 16);
    EXPECT_EQ(block.place(0, 16, 64), 64 * 16);
}

}  // namespace
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// Problems given by full strides, and batches.
#include <gtest/gtest.h>

#include <string>

#include "ckdispatch/gemm/problem_builder.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

constexpr auto kPacked = GemmProblemBuilder::kPacked;

GemmProblemBuilder fp16(std::int64_t m, std::int64_t n, std::int64_t k) {
    return GemmProblemBuilder().sizes(m, n, k).dtype("fp16");
}

TEST(GemmStrides, GiveLetterAndLeadingDimension) {
    const GemmProblem rows = fp16(30, 20, 10).strides_a(12, 1).strides_b(24, 1).strides_c(22, 1).build();
    EXPECT_EQ(rows.layout.text(), "rrr");
    EXPECT_EQ(rows.stride_a, 12);
    EXPECT_EQ(rows.stride_b, 24);
    EXPECT_EQ(rows.stride_c, 22);

    const GemmProblem columns = fp16(30, 20, 10).strides_a(1, 32).strides_b(1, 12).strides_c(1, 34).build();
    EXPECT_EQ(columns.layout.text(), "ccc");
    EXPECT_EQ(columns.stride_a, 32);
    EXPECT_EQ(columns.stride_b, 12);
    EXPECT_EQ(columns.stride_c, 34);
}

TEST(GemmStrides, OverruleTheLayoutOfTheirOperandAlone) {
    const GemmProblem p = fp16(30, 20, 10).layout("rcr").strides_b(20, 1).build();
    EXPECT_EQ(p.layout.text(), "rrr");
    EXPECT_EQ(p.stride_a, 10);
}

TEST(GemmStrides, OfASingleRowMayBeAnythingAlongTheRows) {
    for (const std::int64_t row : {1, 0, -5, 7, 10, 100}) {
        const GemmProblem p = fp16(1, 20, 10).strides_a(row, 1).build();
        EXPECT_EQ(p.layout.text(), "rcr") << row;
        EXPECT_EQ(p.stride_a, row < 10 ? 10 : row) << row;
    }
}

TEST(GemmStrides, OfASingleRowThatIsSpreadMakeItColumns) {
    const GemmProblem p = fp16(1, 20, 10).strides_a(0, 5).build();
    EXPECT_EQ(p.layout.text(), "ccr");
    EXPECT_EQ(p.stride_a, 5);
}

TEST(GemmStrides, OfASingleColumnMayBeAnythingAlongTheColumns) {
    for (const std::int64_t column : {1, 0, -5, 7, 100}) {
        const GemmProblem p = fp16(30, 20, 1).strides_b(1, 1).strides_a(3, column).build();
        EXPECT_EQ(p.layout.text()[0], 'r') << column;
        EXPECT_EQ(p.stride_a, 3) << column;
    }
    const GemmProblem columns = fp16(30, 20, 1).layout("ccr").strides_a(1, 7).build();
    EXPECT_EQ(columns.layout.text(), "ccr");
    EXPECT_EQ(columns.stride_a, 30);
}

TEST(GemmStrides, OfASingleElementKeepTheLayout) {
    for (const char* layout : {"rrr", "rcr", "crr", "ccr", "rrc", "ccc"})
        for (const std::int64_t stride : {0, 1, 9}) {
            const GemmProblem p = fp16(1, 1, 1)
                                      .layout(layout)
                                      .strides_a(stride, stride)
                                      .strides_b(stride, stride)
                                      .strides_c(stride, stride)
                                      .build();
            EXPECT_EQ(p.layout.text(), layout) << stride;
            EXPECT_EQ(p.stride_a, stride ? stride : 1) << layout;
        }
}

TEST(GemmStrides, WithoutAOneAreRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM was asked for with A of strides 20 and 2; one of them must be 1: copy it into rows or "
                   "columns that are contiguous.",
                   fp16(30, 20, 10).strides_a(20, 2).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM was asked for with B of strides 3 and 40; one of them must be 1: copy it into rows or "
                   "columns that are contiguous.",
                   fp16(30, 20, 10).strides_b(3, 40).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM was asked for with C of strides -1 and 20; one of them must be 1: copy it into rows or "
                   "columns that are contiguous.",
                   fp16(30, 20, 10).strides_c(-1, 20).build());
}

// 0 is packed only where leading dimensions are asked for.
TEST(GemmStrides, OfRowsThatOverlapAreRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM was asked for with A of leading dimension 0; it must be at least 10 and less than 2^31.",
                   fp16(30, 20, 10).strides_a(0, 1).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM was asked for with B of leading dimension 0; it must be at least 10 and less than 2^31.",
                   fp16(30, 20, 10).strides_b(1, 0).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM was asked for with C of leading dimension 5; it must be at least 20 and less than 2^31.",
                   fp16(30, 20, 10).strides_c(5, 1).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM was asked for with A of leading dimension 1; it must be at least 10 and less than 2^31.",
                   fp16(30, 20, 10).strides_a(1, 1).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM was asked for with A of leading dimension -10; it must be at least 10 and less than 2^31.",
                   fp16(30, 20, 10).strides_a(-10, 1).build());
}

TEST(GemmBatch, LeavesNoGapUnlessToldOtherwise) {
    const GemmProblem p = fp16(30, 20, 10).leading_dimensions(12, 0, 24).batch(3).build();
    EXPECT_EQ(p.batch_stride_a, 12 * 30);
    EXPECT_EQ(p.batch_stride_b, 10 * 20);
    EXPECT_EQ(p.batch_stride_c, 24 * 30);
}

TEST(GemmBatch, SharesAnOperandWithAStrideOfZero) {
    const GemmProblem p = fp16(30, 20, 10).batch(3, 0, 0).build();
    EXPECT_EQ(p.batch_stride_a, 0);
    EXPECT_EQ(p.batch_stride_b, 0);
    EXPECT_EQ(p.batch_stride_c, 30 * 20);
}

TEST(GemmBatch, OfOneHasNoStrides) {
    EXPECT_TRUE(fp16(30, 20, 10).batch(1, 7, 8, 9).build() == fp16(30, 20, 10).build());
}

TEST(GemmBatch, MayBeginAMatrixWhereThePreviousEnds) {
    // The last row of C has no gap behind it.
    EXPECT_EQ(
        fp16(30, 20, 10).leading_dimensions(0, 0, 24).batch(2, kPacked, kPacked, 24 * 29 + 20).build().batch_stride_c,
        716);
}

TEST(GemmBatch, WithOutputsThatOverlapIsRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM was asked for with a batch stride of C of 715; the matrices of an output must not overlap: "
                   "at least 716.",
                   fp16(30, 20, 10).leading_dimensions(0, 0, 24).batch(2, kPacked, kPacked, 715).build());
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        "A GEMM was asked for with a batch stride of C of 0; the matrices of an output must not overlap: at least 600.",
        fp16(30, 20, 10).batch(2, 0, 0, 0).build());
}

TEST(GemmBatch, WithANegativeStrideIsRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM was asked for with a batch stride of A of -2; it must not be negative.",
                   fp16(30, 20, 10).batch(2, -2).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM was asked for with a batch stride of B of -300; it must not be negative.",
                   fp16(30, 20, 10).batch(2, 0, -300).build());
}

TEST(GemmBatch, ThatIsNoneIsRefused) {
    for (const std::int64_t count : {std::int64_t(0), std::int64_t(-1), std::int64_t(1) << 31})
        EXPECT_REFUSED(
            ErrorCode::invalid_argument,
            "A GEMM with a batch of " + std::to_string(count) + " was asked for; it must be from 1 to 2^31-1.",
            fp16(30, 20, 10).batch(count).build());
}

TEST(GemmBatch, BeyondEveryMemoryIsRefused) {
    const std::int64_t far = std::int64_t(1) << 61;
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM was asked for with a batch of 3 whose A is " + std::to_string(far) +
                       " elements from one matrix to the next; no memory holds that.",
                   fp16(30, 20, 10).batch(3, far).build());
}

}  // namespace
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
#include "ckdispatch/gemm/problem_builder.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <unordered_set>

#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

constexpr std::int64_t kTwoTo31 = std::int64_t(1) << 31;

GemmProblemBuilder fp16(std::int64_t m, std::int64_t n, std::int64_t k) {
    return GemmProblemBuilder().sizes(m, n, k).dtype("fp16");
}

TEST(GemmProblem, IsPackedAndWholeUnlessToldOtherwise) {
    const GemmProblem p = fp16(30, 20, 10).build();
    EXPECT_EQ(p.m, 30);
    EXPECT_EQ(p.n, 20);
    EXPECT_EQ(p.k, 10);
    EXPECT_EQ(p.batch, 1);
    EXPECT_EQ(p.layout.text(), "rcr");
    EXPECT_EQ(p.fused_op.text(), "PassThrough");
    EXPECT_EQ(p.d_count, 0);
    EXPECT_EQ(p.split_k, 1);
    EXPECT_EQ(p.alignment, 16);
    EXPECT_FALSE(p.deterministic);
    EXPECT_EQ(p.workspace_limit, std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(p.batch_stride_a, 0);
}

TEST(GemmProblem, HasTheSizesOfItsLayoutAsLeadingDimensions) {
    const struct {
        const char* layout;
        std::int64_t a, b, c;
    } expected[] = {{"rrr", 10, 20, 20}, {"rcr", 10, 10, 20}, {"crr", 30, 20, 20}, {"ccr", 30, 10, 20},
                    {"rrc", 10, 20, 30}, {"rcc", 10, 10, 30}, {"crc", 30, 20, 30}, {"ccc", 30, 10, 30}};
    for (const auto& [layout, a, b, c] : expected) {
        const GemmProblem p = fp16(30, 20, 10).layout(layout).build();
        EXPECT_EQ(p.stride_a, a) << layout;
        EXPECT_EQ(p.stride_b, b) << layout;
        EXPECT_EQ(p.stride_c, c) << layout;
    }
}

TEST(GemmProblem, StoresTheUsualDtypeOfItsPair) {
    EXPECT_EQ(fp16(1, 1, 1).build().dtype_c.text(), "fp16");
    EXPECT_EQ(GemmProblemBuilder().sizes(1, 1, 1).dtype("fp8").build().dtype_c.text(), "fp16");
    EXPECT_EQ(GemmProblemBuilder().sizes(1, 1, 1).dtype("int8").build().dtype_c.text(), "int32");
    EXPECT_EQ(GemmProblemBuilder().sizes(1, 1, 1).dtypes("fp16", "fp16", "fp32").build().dtype_c.text(), "fp32");
}

TEST(GemmProblem, KeepsWhatItWasGiven) {
    const GemmProblem p = fp16(30, 20, 10)
                              .leading_dimensions(16, 24, 32)
                              .batch(3, 1000, 0, 2000)
                              .split_k(4)
                              .fused("MultiDAdd", 2)
                              .alignment(4)
                              .deterministic(true)
                              .workspace_limit(77)
                              .build();
    EXPECT_EQ(p.stride_a, 16);
    EXPECT_EQ(p.stride_b, 24);
    EXPECT_EQ(p.stride_c, 32);
    EXPECT_EQ(p.batch, 3);
    EXPECT_EQ(p.batch_stride_a, 1000);
    EXPECT_EQ(p.batch_stride_b, 0);
    EXPECT_EQ(p.batch_stride_c, 2000);
    EXPECT_EQ(p.split_k, 4);
    EXPECT_EQ(p.fused_op.text(), "MultiDAdd");
    EXPECT_EQ(p.d_count, 2);
    EXPECT_EQ(p.alignment, 4);
    EXPECT_TRUE(p.deterministic);
    EXPECT_EQ(p.workspace_limit, 77u);
}

TEST(GemmProblem, ShowsWhatIsNotTheUsual) {
    EXPECT_EQ(fp16(512, 256, 1024).build().text(), "gemm 512x256x1024 fp16 rcr");
    EXPECT_EQ(fp16(1, 2, 3).layout("crr").batch(4).split_k(2).build().text(), "gemm 1x2x3 fp16 crr batch 4 split-K 2");
    EXPECT_EQ(fp16(1, 2, 3).split_k(0).build().text(), "gemm 1x2x3 fp16 rcr split-K auto");
    EXPECT_EQ(GemmProblemBuilder().sizes(1, 2, 3).dtype("fp8").build().text(), "gemm 1x2x3 fp8->fp16 rcr");
    EXPECT_EQ(GemmProblemBuilder().sizes(1, 2, 3).dtypes("fp8", "bf8").build().text(), "gemm 1x2x3 fp8*bf8->fp16 rcr");
    EXPECT_EQ(fp16(1, 2, 3).fused("MultiDAdd", 1).build().text(), "gemm 1x2x3 fp16 rcr MultiDAdd of 1 D");
}

TEST(GemmProblem, CountsItsWork) {
    const GemmProblem p = fp16(30, 20, 10).batch(3).build();
    EXPECT_EQ(p.flops(), 2.0 * 30 * 20 * 10 * 3);
    EXPECT_EQ(p.bytes(), 3.0 * 2 * (30 * 10 + 10 * 20 + 30 * 20));
}

TEST(GemmProblem, EqualsAnotherOnlyInEveryField) {
    const auto base = [] { return fp16(30, 20, 12).batch(2).leading_dimensions(16, 16, 24); };
    const GemmProblem others[] = {
        fp16(31, 20, 12).batch(2).leading_dimensions(16, 16, 24).build(),
        fp16(30, 21, 12).batch(2).leading_dimensions(16, 16, 24).build(),
        fp16(30, 20, 13).batch(2).leading_dimensions(16, 16, 24).build(),
        base().batch(3).build(),
        base().leading_dimensions(18, 16, 24).build(),
        base().leading_dimensions(16, 18, 24).build(),
        base().leading_dimensions(16, 16, 26).build(),
        base().batch(2, 0).build(),
        base().batch(2, GemmProblemBuilder::kPacked, 0).build(),
        base().batch(2, GemmProblemBuilder::kPacked, GemmProblemBuilder::kPacked, 1000).build(),
        base().dtype("bf16").build(),
        base().dtypes("fp16", "fp16", "fp32").build(),
        base().layout("rcc").leading_dimensions(16, 16, 32).build(),
        base().fused("MultiDAdd", 1).build(),
        base().fused("MultiDAdd", 2).build(),
        base().split_k(2).build(),
        base().alignment(8).build(),
        base().deterministic(true).build(),
        base().workspace_limit(1).build()};
    struct Hash {
        std::size_t operator()(const GemmProblem& p) const { return p.hash(); }
    };
    std::unordered_set<GemmProblem, Hash> distinct = {base().build()};
    for (const GemmProblem& other : others) {
        EXPECT_FALSE(other == base().build()) << other.text();
        EXPECT_NE(other.hash(), base().build().hash()) << other.text();
        distinct.insert(other);
    }
    EXPECT_EQ(distinct.size(), 1 + std::size(others));
    EXPECT_TRUE(base().build() == base().build());
    EXPECT_EQ(base().build().hash(), base().build().hash());
}

TEST(GemmProblem, OfNoSizeOrTooLargeASizeIsRefused) {
    const std::int64_t sizes[][3] = {{0, 1, 1},        {1, 0, 1},        {1, 1, 0},       {-1, 1, 1},
                                     {kTwoTo31, 1, 1}, {1, kTwoTo31, 1}, {1, 1, kTwoTo31}};
    for (const auto& size : sizes) {
        const std::string shown =
            std::to_string(size[0]) + " x " + std::to_string(size[1]) + " x " + std::to_string(size[2]);
        EXPECT_REFUSED(ErrorCode::invalid_argument,
                       "A GEMM of M x N x K = " + shown + " was asked for; each must be from 1 to 2^31-1.",
                       fp16(size[0], size[1], size[2]).build());
    }
    EXPECT_EQ(fp16(1, kTwoTo31 - 1, 1).build().n, kTwoTo31 - 1);
}

TEST(GemmProblem, OfALayoutThatIsNoneIsRefused) {
    for (const char* layout : {"", "r", "rc", "rcrr", "RCR", "rxr", "row"})
        EXPECT_REFUSED(ErrorCode::invalid_argument,
                       "A GEMM of the layout '" + std::string(layout) +
                           "' was asked for; a layout has a letter for each of A, B and C, r for rows or c for "
                           "columns, such as rcr.",
                       fp16(1, 1, 1).layout(layout).build());
}

TEST(GemmProblem, OfAnUnknownDtypeIsRefusedWithTheKnownOnes) {
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument, "A GEMM of the dtype 'float' was asked for; the dtypes are ",
                          GemmProblemBuilder().sizes(1, 1, 1).dtype("float").build());
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument, "A GEMM of the dtype '' was asked for; the dtypes are ",
                          GemmProblemBuilder().sizes(1, 1, 1).build());
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument, "A GEMM of the dtype 'half' was asked for; the dtypes are ",
                          GemmProblemBuilder().sizes(1, 1, 1).dtypes("fp16", "fp16", "half").build());
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument, "fp16",
                          GemmProblemBuilder().sizes(1, 1, 1).dtype("float").build());
}

TEST(GemmProblem, OfAPairThatNoGpuMultipliesIsRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument, "A GEMM of fp16 and int8 was asked for; no GPU multiplies that pair.",
                   GemmProblemBuilder().sizes(1, 1, 1).dtypes("fp16", "int8").build());
}

TEST(GemmProblem, WithALeadingDimensionBelowItsRowsOrTooLargeIsRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM was asked for with A of leading dimension 9; it must be at least 10 and less than 2^31.",
                   fp16(30, 20, 10).leading_dimensions(9, 0, 0).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM was asked for with B of leading dimension 9; it must be at least 10 and less than 2^31.",
                   fp16(30, 20, 10).leading_dimensions(0, 9, 0).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM was asked for with C of leading dimension 19; it must be at least 20 and less than 2^31.",
                   fp16(30, 20, 10).leading_dimensions(0, 0, 19).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM was asked for with A of leading dimension -10; it must be at least 10 and less than 2^31.",
                   fp16(30, 20, 10).leading_dimensions(-10, 0, 0).build());
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        "A GEMM was asked for with A of leading dimension 2147483648; it must be at least 10 and less than 2^31.",
        fp16(30, 20, 10).leading_dimensions(kTwoTo31, 0, 0).build());
}

TEST(GemmProblem, WithMorePartsThanItsDepthIsRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM with K = 10 split into 11 parts was asked for; parts are from 1 to K, or 0 for the "
                   "dispatcher to choose.",
                   fp16(30, 20, 10).split_k(11).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A GEMM with K = 10 split into -1 parts was asked for; parts are from 1 to K, or 0 for the "
                   "dispatcher to choose.",
                   fp16(30, 20, 10).split_k(-1).build());
    EXPECT_EQ(fp16(30, 20, 10).split_k(10).build().split_k, 10);
    EXPECT_EQ(fp16(30, 20, 10).split_k(0).build().split_k, 0);
}

TEST(GemmProblem, WithTooManyDTensorsIsRefused) {
    for (const int count : {-1, 5})
        EXPECT_REFUSED(ErrorCode::invalid_argument,
                       "A GEMM with " + std::to_string(count) + " D tensors was asked for; there may be up to 4.",
                       fp16(1, 1, 1).fused("MultiDAdd", count).build());
    EXPECT_EQ(fp16(1, 1, 1).fused("MultiDAdd", 4).build().d_count, 4);
}

TEST(GemmProblem, WithAnAlignmentThatIsNoneIsRefused) {
    for (const int alignment : {-16, 0, 3, 12, 32})
        EXPECT_REFUSED(ErrorCode::invalid_argument,
                       "A GEMM with addresses aligned to " + std::to_string(alignment) +
                           " bytes was asked for; an alignment is 1, 2, 4, 8 or 16.",
                       fp16(1, 1, 1).alignment(alignment).build());
    for (const int alignment : {1, 2, 4, 8, 16})
        EXPECT_EQ(fp16(1, 1, 1).alignment(alignment).build().alignment, alignment);
}

}  // namespace
}  // namespace ckdispatch

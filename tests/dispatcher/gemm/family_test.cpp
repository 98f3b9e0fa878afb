// SPDX-License-Identifier: MIT
// GEMM as the selector sees it: which problems a key computes, in which ways, and how a launch is laid out.
#include "ckdispatch/gemm/family.hpp"
#include "ck_families.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/dispatcher/support/keys.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::sample_key;

GemmProblemBuilder fp16(std::int64_t m = 30, std::int64_t n = 20, std::int64_t k = 1024) {
    return GemmProblemBuilder().sizes(m, n, k).dtype("fp16");
}

GemmKey split_key() {
    GemmKey key = sample_key();
    key.split_k = "atomic";
    return key;
}

std::vector<std::int64_t> parts_of(const GemmKey& key, const GemmProblem& problem) {
    std::vector<std::int64_t> parts;
    for (const GemmWay& way : GemmFamily::ways(key, problem, 304)) parts.push_back(way.k_batch);
    return parts;
}

void* address(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

Mismatch mismatch(const GemmKey& key, const GemmProblem& problem) {
    return GemmFamily::mismatch(key, problem, gpu_facts("gfx942"));
}

TEST(GemmMismatch, IsNoneForItsOwnSignature) { EXPECT_EQ(mismatch(sample_key(), fp16().build()).why, ""); }

TEST(GemmMismatch, NamesWhatTheKernelComputes) {
    EXPECT_EQ(mismatch(sample_key(), fp16().dtypes("bf16", "fp16", "fp16").build()).why,
              "computes A in fp16, not bf16.");
    EXPECT_EQ(mismatch(sample_key(), fp16().dtypes("fp16", "bf16", "fp16").build()).why,
              "computes B in fp16, not bf16.");
    EXPECT_EQ(mismatch(sample_key(), fp16().dtypes("fp16", "fp16", "fp32").build()).why,
              "computes C in fp16, not fp32.");
    EXPECT_EQ(mismatch(sample_key(), fp16().layout("rrr").build()).why, "computes the layout rcr, not rrr.");
    EXPECT_EQ(mismatch(sample_key(), fp16().fused("MultiDAdd", 2).build()).why,
              "computes the product alone, not MultiDAdd with 2 D tensors.");
    EXPECT_EQ(mismatch(sample_key(), fp16().fused("Relu", 0).build()).why, "computes the product alone, not Relu.");
}

TEST(GemmMismatch, IsThatOfPartsOfKToo) {
    EXPECT_EQ(mismatch(sample_key(), fp16().split_k(4).build()).why, "computes K whole, not in 4 parts.");
    EXPECT_EQ(mismatch(split_key(), fp16().build()).why, "adds up parts of K; for K as a whole others are better.");
    EXPECT_EQ(mismatch(split_key(), fp16().split_k(4).build()).why, "");
    EXPECT_EQ(mismatch(split_key(), fp16().split_k(0).build()).why, "");
    EXPECT_EQ(mismatch(sample_key(), fp16().split_k(0).build()).why, "");
}

TEST(GemmMismatch, RefusesMoreThanTwoPartsWhereTheSameBitsAreWanted) {
    EXPECT_EQ(mismatch(split_key(), fp16().split_k(2).deterministic(true).build()).why, "");
    EXPECT_EQ(mismatch(split_key(), fp16().split_k(3).deterministic(true).build()).why,
              "adds its parts in any order, and the result was to be the same every time.");
}

// C' = B' A': a C of columns is a C of rows with the operands exchanged and transposed.
TEST(GemmMismatch, ServesAnOutputOfColumnsByItsTranspose) {
    const struct {
        const char *asked, *served;
    } pairs[] = {{"rcc", "rcr"}, {"rrc", "ccr"}, {"ccc", "rrr"}, {"crc", "crr"}};
    for (const auto& pair : pairs) {
        GemmKey key = sample_key();
        key.layout = pair.served;
        EXPECT_EQ(mismatch(key, fp16().layout(pair.asked).build()).why, "") << pair.asked;
    }
    EXPECT_EQ(mismatch(sample_key(), fp16().layout("rrc").build()).why, "computes the layout rcr, not ccr.");
}

TEST(GemmWays, AreTheOneThatWasAskedFor) {
    EXPECT_EQ(parts_of(sample_key(), fp16().build()), std::vector<std::int64_t>{1});
    EXPECT_EQ(parts_of(split_key(), fp16().split_k(5).build()), std::vector<std::int64_t>{5});
}

TEST(GemmWays, AreSeveralWhereTheDispatcherMayChoose) {
    EXPECT_EQ(parts_of(sample_key(), fp16().split_k(0).build()), std::vector<std::int64_t>{1});
    EXPECT_EQ(parts_of(split_key(), fp16().split_k(0).build()), (std::vector<std::int64_t>{2, 4, 8, 16, 32}));
    EXPECT_EQ(parts_of(split_key(), fp16().split_k(0).deterministic(true).build()), std::vector<std::int64_t>{2});
}

TEST(GemmWays, HaveATileOfKForEachPart) {
    EXPECT_EQ(parts_of(split_key(), fp16(30, 20, 4 * 32 + 31).split_k(0).build()), (std::vector<std::int64_t>{2, 4}));
    EXPECT_TRUE(parts_of(split_key(), fp16(30, 20, 63).split_k(0).build()).empty());
}

TEST(GemmBinding, HasTheProblemOfTheKernelAbi) {
    void* const tensors[] = {address(0x1000), address(0x2000), address(0x3000)};
    const auto bound = GemmFamily::bind(fp16(30, 20, 64).leading_dimensions(72, 80, 24).build(), {4}, tensors, 0);
    EXPECT_EQ(bound.base.struct_size, sizeof(ck_gemm_problem));
    EXPECT_EQ(bound.base.family, CK_FAMILY_GEMM);
    EXPECT_EQ(bound.m, 30);
    EXPECT_EQ(bound.n, 20);
    EXPECT_EQ(bound.k, 64);
    EXPECT_EQ(bound.stride_a, 72);
    EXPECT_EQ(bound.stride_b, 80);
    EXPECT_EQ(bound.stride_c, 24);
    EXPECT_EQ(bound.k_batch, 4);
    EXPECT_EQ(bound.a, tensors[0]);
    EXPECT_EQ(bound.b, tensors[1]);
    EXPECT_EQ(bound.c, tensors[2]);
}

TEST(GemmBinding, ExchangesTheOperandsOfAnOutputOfColumns) {
    void* const tensors[] = {address(0x1000), address(0x2000), address(0x3000)};
    const auto bound =
        GemmFamily::bind(fp16(30, 20, 64).layout("rcc").leading_dimensions(72, 80, 32).build(), {1}, tensors, 0);
    EXPECT_EQ(bound.m, 20);
    EXPECT_EQ(bound.n, 30);
    EXPECT_EQ(bound.stride_a, 80);
    EXPECT_EQ(bound.stride_b, 72);
    EXPECT_EQ(bound.stride_c, 32);
    EXPECT_EQ(bound.a, tensors[1]);
    EXPECT_EQ(bound.b, tensors[0]);
    EXPECT_EQ(bound.c, tensors[2]);
}

TEST(GemmBinding, GoesOnByTheBatchStrides) {
    void* const tensors[] = {address(0x100000), address(0x200000), address(0x300000)};
    const auto problem = fp16(30, 20, 64).batch(4, 2000, 0, 700).build();
    EXPECT_EQ(GemmFamily::launches(problem, {1}), 4);
    const auto third = GemmFamily::bind(problem, {1}, tensors, 2);
    EXPECT_EQ(third.a, address(0x100000 + 2 * 2000 * 2));
    EXPECT_EQ(third.b, address(0x200000));
    EXPECT_EQ(third.c, address(0x300000 + 2 * 700 * 2));

    const auto columns =
        GemmFamily::bind(fp16(30, 20, 64).layout("rcc").batch(4, 2000, 0, 700).build(), {1}, tensors, 3);
    EXPECT_EQ(columns.a, address(0x200000));
    EXPECT_EQ(columns.b, address(0x100000 + 3 * 2000 * 2));
}

TEST(GemmBinding, GoesBeyondFourGigabytes) {
    void* const tensors[] = {address(0), address(0), address(0)};
    const auto last = GemmFamily::bind(fp16(1, 1, 1).batch(1001, 3000000000, 0, 1).build(), {1}, tensors, 1000);
    EXPECT_EQ(last.a, address(std::uintptr_t(1000) * 3000000000 * 2));
}

TEST(GemmProbe, HasForEachTensorOfABatchTheAlignmentOfItsOwnStride) {
    const auto p = fp16(8, 8, 8).batch(2, 68, 66, 65).fused("MultiDAdd", 2).d_batch_strides({68, 0}).build();
    const auto apart = GemmFamily::probe(p, {1, false});
    EXPECT_EQ(apart.a, address(8));
    EXPECT_EQ(apart.b, address(4));
    EXPECT_EQ(apart.c, address(2));
    EXPECT_EQ(apart.d[0], address(8));
    EXPECT_EQ(apart.d[1], address(16));
    // The kernel of a batch looks at the strides itself.
    const auto together = GemmFamily::probe(p, {1, true});
    EXPECT_EQ(together.a, address(16));
    EXPECT_EQ(together.c, address(16));
    EXPECT_EQ(GemmFamily::probe(fp16(8, 8, 8).batch(2, 68, 66, 65).alignment(2).build(), {1, false}).a, address(2));
}

TEST(GemmProbe, HasAddressesOfTheStatedAlignmentAndNoMore) {
    for (const int alignment : {1, 2, 4, 8, 16}) {
        const auto bound = GemmFamily::probe(fp16().alignment(alignment).build(), {1});
        for (const void* pointer : {bound.a, bound.b, static_cast<const void*>(bound.c)}) {
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pointer) % std::uintptr_t(alignment), 0u);
            EXPECT_NE(reinterpret_cast<std::uintptr_t>(pointer) % std::uintptr_t(2 * alignment), 0u);
        }
    }
}

TEST(GemmTensors, AreThreeAndTheDs) {
    EXPECT_EQ(GemmFamily::tensor_count(fp16().build()), 3u);
    EXPECT_EQ(GemmFamily::tensor_count(fp16().fused("MultiDAdd", 2).build()), 5u);
}

TEST(GemmTensors, ReachFromTheirFirstElementToTheirLast) {
    const auto p = fp16(30, 20, 10).leading_dimensions(12, 14, 24).build();
    EXPECT_EQ(GemmFamily::tensor_bytes(p, 0), 2u * (29 * 12 + 10));
    EXPECT_EQ(GemmFamily::tensor_bytes(p, 1), 2u * (19 * 14 + 10));
    EXPECT_EQ(GemmFamily::tensor_bytes(p, 2), 2u * (29 * 24 + 20));
    const auto columns = fp16(30, 20, 10).layout("crc").build();
    EXPECT_EQ(GemmFamily::tensor_bytes(columns, 0), 2u * 300);
    EXPECT_EQ(GemmFamily::tensor_bytes(columns, 1), 2u * 200);
    EXPECT_EQ(GemmFamily::tensor_bytes(columns, 2), 2u * 600);
}

TEST(GemmTensors, OfABatchReachToTheEndOfTheLastMatrix) {
    const auto p = fp16(30, 20, 10).batch(3, 1000, 0, 600).build();
    EXPECT_EQ(GemmFamily::tensor_bytes(p, 0), 2u * (2000 + 300));
    EXPECT_EQ(GemmFamily::tensor_bytes(p, 1), 2u * 200);
    EXPECT_EQ(GemmFamily::tensor_bytes(p, 2), 2u * (1200 + 600));
}

TEST(GemmTensors, HaveTheBytesOfTheirDtypes) {
    const auto p = GemmProblemBuilder().sizes(30, 20, 10).dtype("fp8").build();
    EXPECT_EQ(GemmFamily::tensor_bytes(p, 0), 300u);
    EXPECT_EQ(GemmFamily::tensor_bytes(p, 2), 1200u);
}

TEST(GemmAlignment, IsThatOfTheLeastAlignedAddress) {
    const auto alignment_with = [](std::uintptr_t a, std::uintptr_t b, std::uintptr_t c, int stated = 16) {
        void* const tensors[] = {address(a), address(b), address(c)};
        return GemmFamily::aligned(fp16().alignment(stated).build(), tensors).alignment;
    };
    EXPECT_EQ(alignment_with(0x1000, 0x2000, 0x3000), 16);
    EXPECT_EQ(alignment_with(0x1008, 0x2000, 0x3000), 8);
    EXPECT_EQ(alignment_with(0x1000, 0x2004, 0x3000), 4);
    EXPECT_EQ(alignment_with(0x1000, 0x2004, 0x3002), 2);
    EXPECT_EQ(alignment_with(0x1000, 0x2001, 0x3002), 1);
    EXPECT_EQ(alignment_with(0x1000, 0x2000, 0x3000, 4), 4);
    EXPECT_EQ(alignment_with(0x1002, 0x2000, 0x3000, 4), 2);
}

TEST(GemmAlignment, NeedsAnAddressForEachTensor) {
    for (std::size_t missing = 0; missing < 3; ++missing) {
        void* tensors[] = {address(16), address(16), address(16)};
        tensors[missing] = nullptr;
        EXPECT_REFUSED(ErrorCode::invalid_argument,
                       std::string("A GEMM was to be run with no address for ") + "ABC"[missing] + ".",
                       GemmFamily::aligned(fp16().build(), tensors));
    }
}

}  // namespace
}  // namespace ckdispatch

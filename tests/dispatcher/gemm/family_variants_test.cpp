// SPDX-License-Identifier: MIT
// The variants of GEMM kernels as the selector sees them: batched, grouped, with D tensors, preshuffled, stream-K.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ck_families.h"
#include "ckdispatch/gemm/family.hpp"
#include "tests/dispatcher/support/keys.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

constexpr auto kRepeated = GemmProblemBuilder::kRepeated;

GemmProblemBuilder fp16(std::int64_t m = 30, std::int64_t n = 32, std::int64_t k = 1024) {
    return GemmProblemBuilder().sizes(m, n, k).dtype("fp16");
}
GemmProblem grouped_problem() { return GemmProblemBuilder().dtype("fp16").group(30, 20, 64).group(8, 16, 32).build(); }

GemmKey key_of(const char* variant, const char* split_k = "none") {
    GemmKey key = test::sample_key();
    key.variant = variant, key.split_k = split_k;
    return key;
}

GemmKey fused_key(const char* op, int d_count) {
    GemmKey key = key_of("multi_d");
    key.fused_op = op, key.d_count = d_count;
    return key;
}

Mismatch mismatch(const GemmKey& key, const GemmProblem& problem, const char* gpu = "gfx942") {
    return GemmFamily::mismatch(key, problem, gpu_facts(gpu));
}

void* address(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

std::vector<std::int64_t> parts_of(const GemmKey& key, const GemmProblem& problem) {
    std::vector<std::int64_t> parts;
    for (const GemmWay& way : GemmFamily::ways(key, problem, 304)) parts.push_back(way.k_batch);
    return parts;
}

TEST(GemmVariants, WithDTensorsComputeTheirOwnOperationAlone) {
    EXPECT_EQ(mismatch(fused_key("MultiDAdd", 2), fp16().fused("MultiDAdd", 2).build()).why, "");
    EXPECT_EQ(mismatch(fused_key("MultiDAdd", 2), fp16().fused("MultiDAdd", 1).build()).why,
              "computes MultiDAdd with 2 D tensors, not MultiDAdd with 1 D tensor.");
    EXPECT_EQ(mismatch(fused_key("MultiDAdd", 2), fp16().build()).why,
              "computes MultiDAdd with 2 D tensors, not the product alone.");
    EXPECT_EQ(mismatch(fused_key("Relu", 0), fp16().fused("Gelu", 0).build()).why, "computes Relu, not Gelu.");
    EXPECT_EQ(mismatch(fused_key("Relu", 0), fp16().fused("Relu", 0).build()).why, "");
}

TEST(GemmVariants, WithDTensorsReadOneDtypeAndLayoutOfThem) {
    EXPECT_EQ(mismatch(fused_key("MultiDAdd", 1), fp16().fused("MultiDAdd", 1).d_tensors("fp32").build()).why,
              "computes with D tensors of fp16, not fp32.");
    EXPECT_EQ(mismatch(fused_key("MultiDAdd", 1), fp16().fused("MultiDAdd", 1).d_tensors("fp16", "c").build()).why,
              "reads D tensors in rows, not in columns.");
    GemmKey columns = fused_key("MultiDAdd", 1);
    columns.d_layout = "c";
    EXPECT_EQ(mismatch(columns, fp16().fused("MultiDAdd", 1).build()).why, "reads D tensors in columns, not in rows.");
    // A C of columns is computed as its transpose, and so are its D tensors.
    EXPECT_EQ(mismatch(columns, fp16().layout("rcc").fused("MultiDAdd", 1).build()).why, "");
}

TEST(GemmVariants, ThatArePreshuffledReadTheirOwnOrderAlone) {
    const GemmKey key = key_of("preshuffle");  // its warp tile is 32 x 32 x 16
    EXPECT_EQ(mismatch(key, fp16().preshuffled(32, 8).build()).why, "");
    EXPECT_EQ(mismatch(key, fp16().preshuffled(16, 8).build()).why, "reads B preshuffled as 32x8, not as 16x8.");
    EXPECT_EQ(mismatch(key, fp16().build()).why, "reads B preshuffled as 32x8, and it is plain.");
    EXPECT_EQ(mismatch(test::sample_key(), fp16().preshuffled(32, 8).build()).why,
              "reads B plain, and it is preshuffled as 32x8.");
}

TEST(GemmVariants, OfPreshuffledWeightsReadAnotherOrderOnOtherGpus) {
    GemmKey key = key_of("preshuffle");
    key.warp_tile = {16, 16, 16};
    for (const auto& [gpu, k] : {std::pair<const char*, int>{"gfx942", 4}, {"gfx1100", 16}, {"gfx1201", 8}})
        for (const int other : {4, 8, 16})
            EXPECT_EQ(mismatch(key, fp16().preshuffled(16, other).build(), gpu).why.empty(), other == k)
                << gpu << " " << other;
}

TEST(GemmVariants, ThatAreGroupedComputeGroupsAlone) {
    EXPECT_EQ(mismatch(key_of("grouped"), grouped_problem()).why, "");
    EXPECT_EQ(mismatch(key_of("grouped"), fp16().build()).why,
              "computes groups of products; for one product others are better.");
    for (const char* variant : {"standard", "batched", "stream_k"})
        EXPECT_EQ(mismatch(key_of(variant), grouped_problem()).why,
                  "computes one product in a launch, not a group of 2.");
}

TEST(GemmVariants, ThatAreBatchedComputeAnyBatch) {
    EXPECT_EQ(mismatch(key_of("batched"), fp16().batch(7).build()).why, "");
    EXPECT_EQ(mismatch(key_of("batched"), fp16().build()).why, "");
    GemmKey fused = fused_key("MultiDAdd", 1);
    fused.variant = "batched";
    EXPECT_EQ(mismatch(fused, fp16().batch(7).fused("MultiDAdd", 1).build()).why,
              "has the same D tensors for all matrices of a batch.");
    EXPECT_EQ(mismatch(fused, fp16().batch(7).fused("MultiDAdd", 1).d_leading_dimensions({kRepeated}).build()).why, "");
}

TEST(GemmVariants, ThatNobodyKnowsAreRefused) {
    EXPECT_EQ(mismatch(key_of("sparse"), fp16().build()).why,
              "is of the variant sparse, which this runtime does not know.");
}

TEST(GemmVariants, OfStreamKDivideKByThemselves) {
    for (const char* split : {"atomic", "workspace"}) {
        EXPECT_EQ(mismatch(key_of("stream_k", split), fp16().build()).why, "");
        EXPECT_EQ(mismatch(key_of("stream_k", split), fp16().split_k(0).build()).why, "");
        EXPECT_EQ(mismatch(key_of("stream_k", split), fp16().split_k(4).build()).why,
                  "divides K among workgroups by itself, not into 4 parts.");
    }
    EXPECT_EQ(mismatch(key_of("stream_k", "atomic"), fp16().deterministic(true).build()).why,
              "adds its parts in any order, and the result was to be the same every time.");
    EXPECT_EQ(mismatch(key_of("stream_k", "workspace"), fp16().deterministic(true).build()).why, "");
}

// Its tile is 128 x 64 x 32.
TEST(GemmVariants, OfStreamKAreSharedByAsManyWorkgroupsAsTheGpuRunsAtOnce) {
    const auto way = [](const GemmProblem& problem) {
        const auto ways = GemmFamily::ways(key_of("stream_k", "atomic"), problem, 304);
        EXPECT_EQ(ways.size(), 1u);
        return ways.at(0);
    };
    // 400 tiles of 16 loops: each lies in one share, or two.
    EXPECT_EQ(way(fp16(128 * 20, 64 * 20, 512).build()).k_batch, 304);
    EXPECT_EQ(way(fp16(128 * 20, 64 * 20, 512).build()).parts, 2);
    // 8 tiles of 64 loops: four loops for each of 128 workgroups.
    EXPECT_EQ(way(fp16(128 * 4, 64 * 2, 2048).build()).k_batch, 128);
    EXPECT_EQ(way(fp16(128 * 4, 64 * 2, 2048).build()).parts, 17);
    // One loop cannot be shared.
    EXPECT_EQ(way(fp16(100, 64, 32).build()).k_batch, 1);
    EXPECT_EQ(way(fp16(100, 64, 32).build()).parts, 1);
    // The transpose has other tiles.
    EXPECT_EQ(way(fp16(64 * 20, 128 * 20, 512).layout("rcc").build()).k_batch, 304);
}

TEST(GemmVariants, WithAWorkspaceAddPartsInOneOrder) {
    const GemmKey key = key_of("standard", "workspace");
    EXPECT_EQ(mismatch(key, fp16().split_k(8).deterministic(true).build()).why, "");
    EXPECT_EQ(mismatch(key, fp16().build()).why, "adds up parts of K; for K as a whole others are better.");
    EXPECT_EQ(parts_of(key, fp16().split_k(0).deterministic(true).build()),
              (std::vector<std::int64_t>{2, 4, 8, 16, 32}));
}

TEST(GemmVariants, LaunchOnceOrForEachMatrix) {
    const auto batch = fp16().batch(7).build();
    EXPECT_FALSE(GemmFamily::ways(test::sample_key(), batch, 304)[0].together);
    EXPECT_TRUE(GemmFamily::ways(key_of("batched"), batch, 304)[0].together);
    EXPECT_EQ(GemmFamily::launches(batch, {1, false}), 7);
    EXPECT_EQ(GemmFamily::launches(batch, {1, true}), 1);
    EXPECT_TRUE(GemmFamily::ways(key_of("grouped"), grouped_problem(), 304)[0].together);
    EXPECT_EQ(GemmFamily::launches(grouped_problem(), {1, true}), 1);
}

TEST(GemmVariants, AreGivenABatchInOneProblem) {
    void* const tensors[] = {address(0x1000), address(0x2000), address(0x3000)};
    const auto problem = fp16(30, 20, 64).batch(4, 2000, 0, 700).build();
    const auto bound = GemmFamily::bind(problem, {1, true}, tensors, 0);
    EXPECT_EQ(bound.batch, 4);
    EXPECT_EQ(bound.batch_stride_a, 2000);
    EXPECT_EQ(bound.batch_stride_b, 0);
    EXPECT_EQ(bound.batch_stride_c, 700);
    const auto columns =
        GemmFamily::bind(fp16(30, 20, 64).layout("rcc").batch(4, 2000, 0, 700).build(), {1, true}, tensors, 0);
    EXPECT_EQ(columns.batch_stride_a, 0);
    EXPECT_EQ(columns.batch_stride_b, 2000);
    const auto single = GemmFamily::bind(problem, {1, false}, tensors, 0);
    EXPECT_EQ(single.batch, 1);
    EXPECT_EQ(single.batch_stride_a, 0);
}

TEST(GemmVariants, AreGivenTheDTensors) {
    void* const tensors[] = {address(0x1000), address(0x2000), address(0x3000), address(0x4000), address(0x5000)};
    const auto problem =
        fp16(30, 20, 64).batch(3).fused("MultiDAdd", 2).d_tensors("fp32").d_leading_dimensions({24, kRepeated}).build();
    EXPECT_EQ(GemmFamily::tensor_count(problem), 5u);
    const auto first = GemmFamily::bind(problem, {1}, tensors, 0), last = GemmFamily::bind(problem, {1}, tensors, 2);
    EXPECT_EQ(first.d[0], address(0x4000));
    EXPECT_EQ(first.d[1], address(0x5000));
    EXPECT_EQ(first.d[2], nullptr);
    EXPECT_EQ(first.stride_d[0], 24);
    EXPECT_EQ(first.stride_d[1], 0);
    EXPECT_EQ(last.d[0], address(0x4000 + 2 * 24 * 30 * 4));
    EXPECT_EQ(last.d[1], address(0x5000));
}

TEST(GemmVariants, AreGivenTheGroups) {
    void* const tensors[] = {address(0x1000), address(0x2000), address(0x3000),
                             address(0x4000), address(0x5000), address(0x6000)};
    EXPECT_EQ(GemmFamily::tensor_count(grouped_problem()), 6u);
    // However it is moved, it points to its own groups.
    auto made = GemmFamily::bind(grouped_problem(), {1, true}, tensors, 0);
    const auto bound = std::move(made);
    EXPECT_EQ(bound.base.family, CK_FAMILY_GEMM);
    EXPECT_EQ(bound.group_count, 2);
    ASSERT_EQ(bound.groups, bound.members.data());
    EXPECT_EQ(bound.groups[0].m, 30);
    EXPECT_EQ(bound.groups[0].b, address(0x2000));
    EXPECT_EQ(bound.groups[1].base.struct_size, sizeof(ck_gemm_problem));
    EXPECT_EQ(bound.groups[1].m, 8);
    EXPECT_EQ(bound.groups[1].n, 16);
    EXPECT_EQ(bound.groups[1].k, 32);
    EXPECT_EQ(bound.groups[1].stride_b, 32);
    EXPECT_EQ(bound.groups[1].a, address(0x4000));
    EXPECT_EQ(bound.groups[1].c, address(0x6000));
    EXPECT_EQ(bound.groups[1].group_count, 0);
    EXPECT_EQ(bound.groups[1].batch, 1);
}

TEST(GemmVariants, AreAskedWithAddressesForEveryTensor) {
    const auto fused = GemmFamily::probe(fp16().fused("MultiDAdd", 4).alignment(8).build(), {1});
    for (const void* d : fused.d) EXPECT_EQ(d, address(8));
    const auto grouped = GemmFamily::probe(grouped_problem(), {1, true});
    EXPECT_EQ(grouped.groups[1].c, address(16));
}

TEST(GemmVariants, HaveTensorsThatReachAsFarAsTheyAreRead) {
    const auto p = fp16(30, 20, 10)
                       .batch(3)
                       .fused("MultiDAdd", 3)
                       .d_tensors("fp32")
                       .d_leading_dimensions({24, kRepeated, 20})
                       .d_batch_strides({720, 0, 0})
                       .build();
    EXPECT_EQ(GemmFamily::tensor_bytes(p, 3), 4u * (2 * 720 + 29 * 24 + 20));
    EXPECT_EQ(GemmFamily::tensor_bytes(p, 4), 4u * 20);
    EXPECT_EQ(GemmFamily::tensor_bytes(p, 5), 4u * 30 * 20);
    EXPECT_EQ(
        GemmFamily::tensor_bytes(
            fp16(30, 20, 10).fused("MultiDAdd", 1).d_tensors("fp16", "c").d_leading_dimensions({kRepeated}).build(), 3),
        2u * 30);
    EXPECT_EQ(GemmFamily::tensor_bytes(grouped_problem(), 2), 2u * 30 * 20);
    EXPECT_EQ(GemmFamily::tensor_bytes(grouped_problem(), 3), 2u * 8 * 32);
    EXPECT_EQ(GemmFamily::tensor_bytes(fp16(16, 32, 64).preshuffled(16, 32).build(), 1), 2u * 32 * 64);
}

TEST(GemmVariants, NeedAnAddressForEachTensor) {
    void* tensors[] = {address(16), address(16), address(16), address(16), nullptr, address(16)};
    EXPECT_REFUSED(ErrorCode::invalid_argument, "A GEMM was to be run with no address for D1.",
                   GemmFamily::aligned(fp16().fused("MultiDAdd", 2).build(), tensors));
    EXPECT_REFUSED(ErrorCode::invalid_argument, "A GEMM was to be run with no address for B of group 1.",
                   GemmFamily::aligned(grouped_problem(), tensors));
    tensors[4] = address(24);
    EXPECT_EQ(GemmFamily::aligned(fp16().fused("MultiDAdd", 2).build(), tensors).alignment, 8);
    EXPECT_EQ(GemmFamily::aligned(grouped_problem(), tensors).alignment, 8);
}

}  // namespace
}  // namespace ckdispatch

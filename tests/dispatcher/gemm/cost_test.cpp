// SPDX-License-Identifier: MIT
// What the rules strategy expects of GEMM kernels: which of two is the faster one for a problem.
#include <gtest/gtest.h>

#include "arch/arch_specs.hpp"
#include "ckdispatch/gemm/family.hpp"
#include "tests/dispatcher/support/keys.hpp"

namespace ckdispatch {
namespace {

using test::key_with_tile;
using test::sample_key;

GemmProblemBuilder fp16(std::int64_t m, std::int64_t n, std::int64_t k) {
    return GemmProblemBuilder().sizes(m, n, k).dtype("fp16");
}

double predicted(const GemmKey& key, const GemmProblem& problem, std::int64_t parts = 1,
                 const Resources& used = test::sample_resources()) {
    return CostModel("gemm", *arch::find_gpu("gfx942")).microseconds(GemmFamily::work(key, problem, {parts}), used);
}

GemmKey split_key() {
    GemmKey key = sample_key();
    key.split_k = "atomic";
    return key;
}

TEST(GemmCost, GrowsWithEachSize) {
    const double time = predicted(sample_key(), fp16(2048, 2048, 2048).build());
    EXPECT_GT(predicted(sample_key(), fp16(8192, 2048, 2048).build()), time);
    EXPECT_GT(predicted(sample_key(), fp16(2048, 8192, 2048).build()), time);
    EXPECT_GT(predicted(sample_key(), fp16(2048, 2048, 8192).build()), time);
}

TEST(GemmCost, NeverShrinksAsKGrows) {
    for (const std::int64_t m : {1, 300, 5000}) {
        double before = 0;
        for (std::int64_t k = 1; k <= 4096; k += 13) {
            const double time = predicted(key_with_tile(256, 256, 32), fp16(m, 4096, k).build());
            EXPECT_GE(time, before) << m << " " << k;
            before = time;
        }
    }
}

// Below that, another row of tiles keeps more of the GPU busy, and with it more of its memory.
TEST(GemmCost, NeverShrinksAsMGrowsOnceEveryUnitIsBusy) {
    double before = 0;
    for (std::int64_t m = 5000; m <= 9000; m += 13) {
        const double time = predicted(key_with_tile(256, 256, 32), fp16(m, 4096, 1024).build());
        EXPECT_GE(time, before) << m;
        before = time;
    }
}

TEST(GemmCost, GrowsWithTheWasteOfATile) {
    // 1040 is 4 tiles of 256 and a little: a fifth row of tiles that is almost all padding.
    const auto problem = fp16(1040, 16384, 4096).build();
    const double waste = predicted(key_with_tile(256, 128, 32), problem) /
                         predicted(key_with_tile(256, 128, 32), fp16(1024, 16384, 4096).build());
    const double fitting = predicted(key_with_tile(16, 128, 32), problem) /
                           predicted(key_with_tile(16, 128, 32), fp16(1024, 16384, 4096).build());
    EXPECT_GT(waste, 1.15);
    EXPECT_LT(fitting, 1.1);
}

TEST(GemmCost, PrefersLargeTilesForLargeProblemsAndSmallOnesForSmall) {
    const auto large = fp16(8192, 8192, 4096).build(), small = fp16(64, 64, 4096).build();
    EXPECT_LT(predicted(key_with_tile(256, 256, 32), large), predicted(key_with_tile(64, 64, 32), large));
    EXPECT_LT(predicted(key_with_tile(64, 64, 32), small), predicted(key_with_tile(256, 256, 32), small));
}

TEST(GemmCost, FallsWithMorePartsOfADeepKWithFewTiles) {
    const auto problem = fp16(128, 128, 65536).split_k(0).build();
    EXPECT_LT(predicted(split_key(), problem, 2), predicted(sample_key(), problem));
    EXPECT_LT(predicted(split_key(), problem, 8), predicted(split_key(), problem, 2));
    EXPECT_LT(predicted(split_key(), problem, 32), predicted(split_key(), problem, 8));
}

TEST(GemmCost, RisesWithPartsWhereThereAreTilesEnough) {
    const auto problem = fp16(8192, 8192, 1024).split_k(0).build();
    EXPECT_GT(predicted(split_key(), problem, 2), predicted(sample_key(), problem));
    EXPECT_GT(predicted(split_key(), problem, 32), predicted(split_key(), problem, 2));
}

TEST(GemmCost, IncludesThePassThatClearsTheOutputOfASplitK) {
    EXPECT_GT(predicted(split_key(), fp16(4096, 4096, 4096).build()),
              predicted(sample_key(), fp16(4096, 4096, 4096).build()));
}

TEST(GemmCost, IsThatOfOneMatrixForEachOfABatch) {
    const double one = predicted(sample_key(), fp16(512, 512, 512).build());
    EXPECT_NEAR(predicted(sample_key(), fp16(512, 512, 512).batch(5).build()), 5 * one, one * 1e-6);
}

double predicted_together(GemmKey key, const GemmProblem& problem) {
    key.variant = "batched";
    return CostModel("gemm", *arch::find_gpu("gfx942"))
        .microseconds(GemmFamily::work(key, problem, {1, true}), test::sample_resources());
}

TEST(GemmCost, OfABatchIsLowerInOneLaunch) {
    for (const std::int64_t size : {64, 512, 2048}) {
        const auto problem = fp16(size, size, 512).batch(16).build();
        EXPECT_LT(predicted_together(sample_key(), problem), predicted(sample_key(), problem)) << size;
    }
}

TEST(GemmCost, OfOneProductIsLowerWithoutABatch) {
    const auto problem = fp16(512, 512, 512).build();
    EXPECT_LT(predicted(sample_key(), problem), predicted_together(sample_key(), problem));
}

TEST(GemmCost, IncludesTheLaunchAndThePassThatAddUpPartsInAWorkspace) {
    GemmKey apart = sample_key();
    apart.split_k = "workspace";
    const auto problem = fp16(1024, 1024, 65536).split_k(0).build();
    EXPECT_GT(predicted(apart, problem, 4), predicted(split_key(), problem, 4));
    EXPECT_GT(predicted(apart, problem, 4) - predicted(split_key(), problem, 4), 4.0);
}

TEST(GemmCost, HasNoWasteInTheLastRoundOfStreamK) {
    GemmKey streaming = key_with_tile(256, 256, 32);
    streaming.variant = "stream_k", streaming.split_k = "atomic";
    // 305 tiles on 304 compute units: two rounds for others, the second almost empty.
    const auto problem = fp16(61 * 256, 5 * 256, 16384).build();
    EXPECT_LT(predicted(streaming, problem), 0.8 * predicted(key_with_tile(256, 256, 32), problem));
}

TEST(GemmCost, GrowsWithDTensors) {
    const auto plain = fp16(8192, 8192, 64).build(), fused = fp16(8192, 8192, 64).fused("MultiDAdd", 2).build();
    const auto bias =
        fp16(8192, 8192, 64).fused("MultiDAdd", 1).d_leading_dimensions({GemmProblemBuilder::kRepeated}).build();
    EXPECT_GT(predicted(sample_key(), fused), predicted(sample_key(), bias));
    EXPECT_GE(predicted(sample_key(), bias), predicted(sample_key(), plain));
}

TEST(GemmCost, OfGroupsIsThatOfTheirSum) {
    GemmKey grouped = sample_key();
    grouped.variant = "grouped";
    const auto of = [&](const GemmProblem& problem) {
        return CostModel("gemm", *arch::find_gpu("gfx942"))
            .microseconds(GemmFamily::work(grouped, problem, {1, true}), test::sample_resources());
    };
    const auto four = GemmProblemBuilder()
                          .dtype("fp16")
                          .group(512, 512, 512)
                          .group(512, 512, 512)
                          .group(512, 512, 512)
                          .group(512, 512, 512)
                          .build();
    EXPECT_DOUBLE_EQ(of(four), predicted_together(sample_key(), fp16(512, 512, 512).batch(4).build()));
    const auto more = GemmProblemBuilder()
                          .dtype("fp16")
                          .group(512, 512, 512)
                          .group(512, 512, 512)
                          .group(512, 512, 512)
                          .group(512, 512, 4096)
                          .build();
    EXPECT_GT(of(more), of(four));
}

TEST(GemmCost, IsHigherForAKernelThatChecksBounds) {
    GemmKey padding = key_with_tile(256, 256, 32), plain = padding;
    padding.pad_k = true, plain.pad_m = false;
    padding.pad_m = false;
    EXPECT_GT(predicted(padding, fp16(8192, 8192, 4096).build()), predicted(plain, fp16(8192, 8192, 4096).build()));
}

TEST(GemmCost, IsHigherForAKernelThatSpills) {
    Resources spilling = test::sample_resources();
    spilling.vgpr_spills = 10;
    const auto problem = fp16(4096, 4096, 4096).build();
    EXPECT_GT(predicted(sample_key(), problem, 1, spilling), predicted(sample_key(), problem));
}

TEST(GemmCost, IsTheSameForAProblemAndItsTranspose) {
    GemmKey square = key_with_tile(128, 128, 32);
    EXPECT_DOUBLE_EQ(predicted(square, fp16(1000, 3000, 512).build()),
                     predicted(square, fp16(3000, 1000, 512).layout("rcc").build()));
}

}  // namespace
}  // namespace ckdispatch

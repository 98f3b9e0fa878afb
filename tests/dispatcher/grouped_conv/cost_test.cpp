// SPDX-License-Identifier: MIT
// What convolutions tell the cost model, and which of two kernels it then expects to be the faster one.
#include <gtest/gtest.h>

#include <cmath>

#include "arch/arch_specs.hpp"
#include "ckdispatch/grouped_conv/family.hpp"
#include "tests/dispatcher/support/keys.hpp"

namespace ckdispatch {
namespace {

using test::sample_conv_key;

GroupedConvProblemBuilder fp16(const char* direction = "forward") {
    return GroupedConvProblemBuilder()
        .direction(direction)
        .sizes(8, 2, 64, 128)
        .input({56, 56})
        .filter({3, 3})
        .pad({1, 1})
        .dtype("fp16");
}

Work work(const GroupedConvKey& key, const GroupedConvProblemBuilder& problem, std::int64_t parts = 1) {
    return GroupedConvFamily::work(key, problem.build(), {parts});
}

double predicted(const GroupedConvKey& key, const GroupedConvProblemBuilder& problem, std::int64_t parts = 1) {
    return CostModel("grouped_conv", *arch::find_gpu("gfx942"))
        .microseconds(work(key, problem, parts), test::sample_resources());
}

GroupedConvKey changed(const char* direction, void (*change)(GroupedConvKey&)) {
    GroupedConvKey key = sample_conv_key(direction);
    change(key);
    return key;
}

const GroupedConvKey atomic = changed("backward_weight", [](GroupedConvKey& key) { key.split_k = "atomic"; });
const GroupedConvKey apart = changed("backward_weight", [](GroupedConvKey& key) { key.split_k = "workspace"; });

// The tile is 128 x 64 x 32.
TEST(GroupedConvWork, OfForwardIsTheProductOfOutputsAndChannelsOut) {
    const Work forward = work(sample_conv_key(), fp16());
    EXPECT_EQ(forward.workgroups, 2.0 * 196 * 2);
    EXPECT_EQ(forward.trips, 18);
    EXPECT_EQ(forward.flops, 2.0 * 128 * 64 * 32);
    EXPECT_EQ(forward.element_bytes, 2);
    EXPECT_EQ(forward.dtype, "fp16");
    EXPECT_TRUE(forward.warp_tile == sample_conv_key().warp_tile);
    EXPECT_EQ(forward.tile_bytes, 32.0 * (128 + 64) * 2);
    EXPECT_EQ(forward.loads_a, 128 * 32 / 8);
    EXPECT_EQ(forward.loads_b, 64 * 32 / 8);
    EXPECT_EQ(forward.outputs, 128 * 64);
    EXPECT_EQ(forward.memory_bytes, fp16().build().bytes());
    EXPECT_EQ(forward.launches, 1);
    EXPECT_EQ(forward.extra_launches, 0);
    EXPECT_EQ(forward.extra_passes, 0);
}

TEST(GroupedConvWork, OfForwardWithChannelsFirstIsThatProductTransposed) {
    GroupedConvKey key = sample_conv_key();
    key.layout = "ngchw";
    // 128 rows of channels out, 8 * 56 * 56 columns of outputs.
    const Work forward = work(key, fp16().layout("ngchw"));
    EXPECT_EQ(forward.workgroups, 2.0 * 1 * 392);
    EXPECT_EQ(forward.trips, 18);
    EXPECT_EQ(forward.memory_bytes, fp16().build().bytes());
    // Only positions of x that meet a filter are read.
    const auto sparse = fp16().layout("ngchw").filter({1, 1}).pad({0, 0}).stride({2, 2});
    EXPECT_EQ(work(key, sparse).memory_bytes,
              work(sample_conv_key(), fp16().filter({1, 1}).pad({0, 0}).stride({2, 2})).memory_bytes);
    // The columns, which are of x, are read one by one.
    key.vector_b = 1;
    EXPECT_EQ(work(key, fp16().layout("ngchw")).loads_b, 8 * forward.loads_b);
}

TEST(GroupedConvWork, OfBackwardWeightIsTheProductOfChannelsOutAndFilters) {
    const Work weight = work(sample_conv_key("backward_weight"), fp16("backward_weight"));
    EXPECT_EQ(weight.workgroups, 2.0 * 1 * 9);
    EXPECT_EQ(weight.trips, 8 * 56 * 56 / 32);
    EXPECT_EQ(weight.memory_bytes, fp16().build().bytes());
    EXPECT_EQ(weight.extra_passes, 0);
}

TEST(GroupedConvWork, OfBackwardDataIsTheProductOfInputsAndChannelsIn) {
    const Work data = work(sample_conv_key("backward_data"), fp16("backward_data"));
    EXPECT_EQ(data.workgroups, 2.0 * 196 * 1);
    EXPECT_EQ(data.trips, 128 * 9 / 32);
    EXPECT_EQ(data.memory_bytes, fp16().build().bytes());
    EXPECT_EQ(data.extra_passes, 0);
}

// A stride of 2 divides a filter of 3 into 2 and 1 positions in each dimension: 4, 2, 2 and 1 of them for a quarter of
// the inputs each.
TEST(GroupedConvWork, OfBackwardDataWithStridesIsTheSumOverTheirResidues) {
    const Work data = work(sample_conv_key("backward_data"), fp16("backward_data").stride({2, 2}));
    EXPECT_EQ(data.workgroups, 2.0 * 4 * 49);
    EXPECT_EQ(data.trips, 128.0 * (4 + 2 + 2 + 1) / 4 / 32);
    EXPECT_EQ(data.extra_passes, 0);
}

TEST(GroupedConvWork, OfBackwardDataClearsWhatNoOutputReaches) {
    const auto sparse = fp16("backward_data").filter({1, 1}).pad({0, 0}).stride({2, 2});
    const Work data = work(sample_conv_key("backward_data"), sparse);
    EXPECT_EQ(data.workgroups, 2.0 * 49);
    EXPECT_EQ(data.extra_passes, 2.0 * double(sparse.build().elements(0)));
}

TEST(GroupedConvWork, ReadsOnlyWhatMeetsAFilter) {
    const auto sparse = fp16().filter({1, 1}).pad({0, 0}).stride({2, 2});
    const auto problem = sparse.build();
    EXPECT_EQ(work(sample_conv_key(), sparse).memory_bytes,
              2.0 * (double(problem.elements(0)) / 4 + double(problem.elements(1)) + double(problem.elements(2))));
}

TEST(GroupedConvWork, HasTheBiasToRead) {
    EXPECT_EQ(work(sample_conv_key(), fp16().fused("MultiDAdd", 1)).memory_bytes,
              work(sample_conv_key(), fp16()).memory_bytes + 2 * 2 * 128);
}

TEST(GroupedConvWork, IsInThreeDimensionsWhatItIsInTwo) {
    const auto flat = fp16().input({56, 56, 1}).filter({3, 3, 1}).pad({1, 1, 0});
    EXPECT_EQ(work(sample_conv_key(), flat).workgroups, work(sample_conv_key(), fp16()).workgroups);
    const auto deep = fp16().input({4, 56, 56}).filter({3, 3, 3}).pad({1, 1, 1});
    EXPECT_EQ(work(sample_conv_key(), deep).workgroups, 4 * work(sample_conv_key(), fp16()).workgroups);
    EXPECT_EQ(work(sample_conv_key(), deep).trips, 3 * work(sample_conv_key(), fp16()).trips);
}

TEST(GroupedConvWork, OfPartsIsDividedAmongMoreWorkgroups) {
    const auto problem = fp16("backward_weight").split_k(4);
    const Work whole = work(sample_conv_key("backward_weight"), fp16("backward_weight")),
               added = work(atomic, problem, 4), kept = work(apart, problem, 4);
    const double elements = double(problem.build().elements(1));
    EXPECT_EQ(added.workgroups, 4 * whole.workgroups);
    EXPECT_EQ(added.trips, whole.trips / 4);
    EXPECT_EQ(added.memory_bytes, whole.memory_bytes + 3 * 2 * elements);
    EXPECT_EQ(added.extra_passes, 2 * elements);
    EXPECT_EQ(added.extra_launches, 0);
    EXPECT_EQ(kept.memory_bytes, whole.memory_bytes - 2 * elements + 4 * 4 * elements);
    EXPECT_EQ(kept.extra_passes, (4 * 4 + 2) * elements);
    EXPECT_EQ(kept.extra_launches, 1);
}

// A group of 1 x 1 channels has tiles that are nearly empty; merged, it has a diagonal of them.
TEST(GroupedConvWork, OfMergedGroupsHasLargerTilesOfFewerProducts) {
    GroupedConvKey key = sample_conv_key();
    key.merged_groups = 32;
    const auto depthwise = fp16().sizes(8, 64, 1, 1);
    EXPECT_EQ(work(sample_conv_key(), depthwise).workgroups, 64.0 * 196);
    EXPECT_EQ(work(key, depthwise).workgroups, 2.0 * 196 * 32);
    GroupedConvKey weight = sample_conv_key("backward_weight");
    EXPECT_EQ(work(weight, fp16("backward_weight").sizes(8, 64, 1, 1)).workgroups, 64.0);
    weight.merged_groups = 32;
    EXPECT_EQ(work(weight, fp16("backward_weight").sizes(8, 64, 1, 1)).workgroups, 2.0 * 1 * 5);
    EXPECT_LT(predicted(weight, fp16("backward_weight").sizes(256, 4096, 1, 1)),
              predicted(sample_conv_key("backward_weight"), fp16("backward_weight").sizes(256, 4096, 1, 1)));
}

TEST(GroupedConvWork, IsFiniteForAKeyThatNobodyGenerates) {
    GroupedConvKey key = sample_conv_key();
    key.vector_a = 0, key.vector_b = -1, key.vector_c = 1 << 20;
    EXPECT_TRUE(std::isfinite(predicted(key, fp16())));
}

// The only output is computed from a pad: there is nothing to multiply, and all of x is zero.
TEST(GroupedConvWork, MayBeNone) {
    const auto nothing = fp16("backward_data").input({1, 1}).filter({1, 1}).stride({4, 4}).pads({1, 1}, {0, 0});
    EXPECT_EQ(work(sample_conv_key("backward_data"), nothing).workgroups, 0);
    EXPECT_TRUE(std::isfinite(predicted(sample_conv_key("backward_data"), nothing)));
    EXPECT_TRUE(std::isfinite(
        predicted(sample_conv_key(), fp16().input({1, 1}).filter({1, 1}).stride({4, 4}).pads({1, 1}, {0, 0}))));
}

TEST(GroupedConvCost, GrowsWithEachSize) {
    for (const char* direction : {"forward", "backward_data", "backward_weight"}) {
        const GroupedConvKey key = sample_conv_key(direction);
        const auto large = [&] { return fp16(direction).sizes(64, 4, 256, 256); };
        const double time = predicted(key, large());
        EXPECT_GT(predicted(key, large().sizes(128, 4, 256, 256)), time) << direction;
        EXPECT_GT(predicted(key, large().sizes(64, 16, 256, 256)), time) << direction;
        EXPECT_GT(predicted(key, large().sizes(64, 4, 512, 256)), time) << direction;
        EXPECT_GT(predicted(key, large().sizes(64, 4, 256, 512)), time) << direction;
        EXPECT_GT(predicted(key, large().input({112, 56})), time) << direction;
        EXPECT_GT(predicted(key, large().filter({5, 3}).pad({2, 1})), time) << direction;
    }
}

TEST(GroupedConvCost, IsLowerForASpecialisedKernel) {
    const auto time = [](const char* specialization, const GroupedConvProblemBuilder& problem) {
        GroupedConvKey key = sample_conv_key();
        key.specialization = specialization;
        return predicted(key, problem);
    };
    // Whatever the size: also where launching takes most of the time.
    for (const std::int64_t n : {1, 8, 512}) {
        const auto point = fp16().sizes(n, 2, 64, 128).filter({1, 1}).pad({0, 0}), single = fp16().sizes(n, 64, 1, 1);
        EXPECT_LT(time("filter_1x1_stride1_pad0", point), time("filter_1x1_pad0", point)) << n;
        EXPECT_LT(time("filter_1x1_pad0", point), time("default", point)) << n;
        EXPECT_LT(time("filter_3x3", single), time("default", single)) << n;
    }
}

TEST(GroupedConvCost, RisesWithLoadsAndStoresThatAreNarrower) {
    for (int GroupedConvKey::* vector : {&GroupedConvKey::vector_a, &GroupedConvKey::vector_b}) {
        double before = 0;
        for (const int width : {8, 4, 2, 1}) {
            GroupedConvKey key = sample_conv_key();
            key.*vector = width;
            const double time = predicted(key, fp16().sizes(256, 2, 64, 128));
            EXPECT_GT(time, before) << width;
            before = time;
        }
    }
    GroupedConvKey single = sample_conv_key();
    single.vector_c = 1;
    EXPECT_GT(predicted(single, fp16()), predicted(sample_conv_key(), fp16()));
}

TEST(GroupedConvCost, FallsWithPartsWhereThereAreFewTilesAndRisesWhereThereAreMany) {
    const auto deep = fp16("backward_weight").sizes(256, 1, 64, 64).split_k(0),
               wide = fp16("backward_weight").sizes(1, 64, 512, 512).split_k(0);
    for (const GroupedConvKey& key : {atomic, apart}) {
        EXPECT_LT(predicted(key, deep, 8), predicted(key, deep, 2));
        EXPECT_LT(predicted(key, deep, 2), predicted(sample_conv_key("backward_weight"), deep));
        EXPECT_GT(predicted(key, wide, 8), predicted(sample_conv_key("backward_weight"), wide));
    }
}

TEST(GroupedConvCost, PrefersLargeTilesForLargeProblemsAndSmallOnesForSmall) {
    const auto time = [](Extent3 tile, const GroupedConvProblemBuilder& problem) {
        GroupedConvKey key = sample_conv_key();
        key.tile = tile;
        return predicted(key, problem);
    };
    const auto large = fp16().sizes(256, 1, 512, 512), small = fp16().sizes(1, 1, 512, 64).input({7, 7});
    EXPECT_LT(time({256, 256, 32}, large), time({64, 64, 32}, large));
    EXPECT_LT(time({64, 64, 32}, small), time({256, 256, 32}, small));
}

}  // namespace
}  // namespace ckdispatch

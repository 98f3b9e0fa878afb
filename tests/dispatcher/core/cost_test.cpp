// SPDX-License-Identifier: MIT
// What the cost model promises whatever its constants are: which of two launches is the slower one.
#include "ckdispatch/core/cost.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "arch/arch_specs.hpp"
#include "tests/dispatcher/support/keys.hpp"
#include "tests/dispatcher/support/works.hpp"

namespace ckdispatch {
namespace {

using test::sample_resources;
using test::sample_work;

class Costs : public testing::TestWithParam<std::tuple<const arch::CostConstants*, const arch::GpuSpec*>> {
protected:
    CostModel model() const { return CostModel(std::get<0>(GetParam())->family, *std::get<1>(GetParam())); }
    double predicted(const Work& work, const Resources& used = sample_resources()) const {
        return model().microseconds(work, used);
    }

    /// The sample with one figure changed.
    template <class Change>
    double changed(Change&& change) const {
        Work work = sample_work();
        change(work);
        return predicted(work);
    }
};

TEST_P(Costs, GivesAFiniteTimeAboveZero) {
    for (const double workgroups : {1.0, 3.0, 1e3, 1e9}) {
        const double time = changed([&](Work& work) { work.workgroups = workgroups; });
        EXPECT_TRUE(std::isfinite(time) && time > 0) << workgroups;
    }
}

TEST_P(Costs, NeverChargesLessForMoreWorkgroups) {
    double before = 0;
    for (double workgroups = 1; workgroups < 5000; workgroups = std::ceil(workgroups * 1.1)) {
        const double time = changed([&](Work& work) { work.workgroups = workgroups, work.memory_bytes = 0; });
        EXPECT_GE(time, before * (1 - 1e-12)) << workgroups;
        before = time;
    }
}

TEST_P(Costs, ChargesForMoreFlops) {
    EXPECT_GT(changed([](Work& work) { work.flops *= 4; }), predicted(sample_work()));
}

TEST_P(Costs, ChargesForMoreBytesOfMemory) {
    EXPECT_GT(changed([](Work& work) { work.memory_bytes *= 100; }), predicted(sample_work()));
}

TEST_P(Costs, NeverChargesLessForMoreBytesThroughL2) {
    EXPECT_GE(changed([](Work& work) { work.tile_bytes *= 100; }), predicted(sample_work()));
}

TEST_P(Costs, ChargesForADeeperLoop) {
    EXPECT_GT(changed([](Work& work) { work.trips *= 100; }), predicted(sample_work()));
}

TEST_P(Costs, ChargesForAWaveThatReadsMoreOfLds) {
    EXPECT_GT(changed([](Work& work) { work.lds_reads *= 4; }), predicted(sample_work()));
}

TEST_P(Costs, ChargesForMoreOutputs) {
    EXPECT_GT(changed([](Work& work) { work.outputs *= 4; }), predicted(sample_work()));
}

TEST_P(Costs, ChargesForTripsThatTakeMoreEffort) {
    EXPECT_GT(changed([](Work& work) { work.effort = 1.5; }), predicted(sample_work()));
}

TEST_P(Costs, HasAtLeastTwoTripsWithTwoBuffers) {
    const auto with = [](double trips) { return [trips](Work& work) { work.two_buffers = true, work.trips = trips; }; };
    EXPECT_EQ(changed(with(1)), changed(with(2)));
    EXPECT_GT(changed(with(3)), changed(with(2)));
}

TEST_P(Costs, IsNeverLessThanWhatMemoryTakes) {
    const double bytes = 1e12;
    EXPECT_GE(changed([&](Work& work) { work.memory_bytes = bytes; }),
              bytes / (model().gpu().memory_bandwidth_gb_s * 1e3));
}

TEST_P(Costs, IsTheSumOfItsTerms) {
    const Work work = sample_work();
    const Terms terms = model().terms(work, rounds_of(work, sample_resources(), model().gpu()), sample_resources());
    double sum = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) sum += terms[i] * model().constants()[i];
    EXPECT_DOUBLE_EQ(predicted(work), sum);
}

TEST_P(Costs, ChargesLessForNarrowerElements) {
    EXPECT_LT(changed([](Work& work) { work.element_bytes = 1; }), predicted(sample_work()));
}

TEST_P(Costs, ChargesForEachLaunch) {
    EXPECT_NEAR(changed([](Work& work) { work.launches = 3; }), 3 * predicted(sample_work()),
                1e-6 * predicted(sample_work()));
}

TEST_P(Costs, ChargesForFurtherPassesOverMemory) {
    EXPECT_GT(changed([](Work& work) { work.extra_passes = 1e9; }), predicted(sample_work()));
}

TEST_P(Costs, ChargesForSpills) {
    Resources spilling = sample_resources(), scratch = sample_resources();
    spilling.vgpr_spills = 1;
    scratch.scratch_bytes = 64;
    EXPECT_GT(predicted(sample_work(), spilling), predicted(sample_work()));
    EXPECT_GT(predicted(sample_work(), scratch), predicted(sample_work()));
}

TEST_P(Costs, NeverChargesLessForMoreLds) {
    Resources more = sample_resources();
    more.lds_bytes = 65536;
    Work work = sample_work();
    for (const double workgroups : {100.0, 1000.0, 10000.0}) {
        work.workgroups = workgroups;
        EXPECT_GE(predicted(work, more), predicted(work)) << workgroups;
    }
}

TEST_P(Costs, ChargesForTheLaunchesOfCopies) {
    EXPECT_GT(model().transfer_microseconds(0, 1), 0);
    EXPECT_GT(model().transfer_microseconds(0, 2), model().transfer_microseconds(0, 1));
    EXPECT_GT(model().transfer_microseconds(1 << 30, 2), model().transfer_microseconds(0, 2));
}

template <class T, std::size_t N>
std::vector<const T*> each(const T (&table)[N]) {
    std::vector<const T*> all;
    for (const T& one : table) all.push_back(&one);
    return all;
}

INSTANTIATE_TEST_SUITE_P(
    Every, Costs, testing::Combine(testing::ValuesIn(each(arch::cost_constants)), testing::ValuesIn(each(arch::gpus))),
    [](const auto& one) {
        return std::string(std::get<0>(one.param)->family) + "_" + std::string(std::get<1>(one.param)->name);
    });

// 256 units with 2 residents each: 1000 workgroups are one whole round and two of each unit in the second.
TEST(Rounds, AreWholeOnesAndTheLast) {
    const arch::GpuSpec& gpu = *arch::find_gpu("gfx950");
    Resources used = sample_resources();
    used.lds_bytes = 80 * 1024;
    Work work = sample_work();
    const Rounds two = rounds_of(work, used, gpu);
    EXPECT_EQ(two.units, 256);
    EXPECT_EQ(two.resident, 2);
    EXPECT_EQ(two.rounds, 2);
    EXPECT_EQ(two.last, 2);
    EXPECT_EQ(two.fullest, 4);
    work.workgroups = 512;
    const Rounds one = rounds_of(work, used, gpu);
    EXPECT_EQ(one.rounds, 1);
    EXPECT_EQ(one.last, 0);
    EXPECT_EQ(one.fullest, 2);
    work.even = true;
    work.workgroups = 768;
    const Rounds even = rounds_of(work, used, gpu);
    EXPECT_EQ(even.rounds, 1.5);
    EXPECT_EQ(even.fullest, 3);
}

struct Rate {
    const char *gpu, *dtype;
    Extent3 warp_tile;
    double own, peak;
};

CostModel::MatrixRate rate(const char* gpu, std::string_view dtype, const Extent3& warp_tile,
                           double element_bytes = 2) {
    Work work = sample_work();
    work.dtype = dtype;
    work.warp_tile = warp_tile;
    work.element_bytes = element_bytes;
    return CostModel("gemm", *arch::find_gpu(gpu)).matrix_rate(work);
}

TEST(MatrixRate, IsThatOfTheInstructionsOfTheWarpTile) {
    const Rate rates[] = {
        {"gfx950", "fp16", {32, 32, 16}, 4096, 4096},
        {"gfx950", "bf16", {16, 16, 32}, 4096, 4096},
        {"gfx950", "fp16", {32, 32, 8}, 2048, 4096},
        {"gfx950", "bf16", {16, 16, 16}, 2048, 4096},  // those of older GPUs
        {"gfx950", "fp16", {32, 32, 32}, 4096, 4096},
        {"gfx950", "fp16", {64, 4, 16}, 1024, 4096},  // two, and four
        {"gfx950", "fp8", {32, 32, 64}, 8192, 8192},
        {"gfx950", "bf8", {16, 16, 128}, 8192, 8192},
        {"gfx950", "fp8", {32, 32, 32}, 4096, 8192},
        {"gfx950", "fp8", {16, 16, 64}, 4096, 8192},  // two of the shorter ones
        {"gfx950", "int8", {32, 32, 16}, 4096, 4096},
        {"gfx950", "pk_fp4", {16, 16, 128}, 16384, 16384},
        {"gfx950", "fp32", {16, 16, 16}, 256, 256},
        {"gfx942", "fp32", {16, 16, 4}, 256, 256},
        {"gfx942", "fp16", {32, 32, 16}, 2048, 2048},
        {"gfx942", "bf16", {16, 16, 16}, 2048, 2048},
        {"gfx942", "fp8", {32, 32, 32}, 4096, 4096},
        {"gfx942", "int8", {16, 16, 32}, 4096, 4096},
        {"gfx90a", "bf16", {32, 32, 8}, 1024, 1024},
        {"gfx908", "bf16", {32, 32, 8}, 512, 512},
        {"gfx908", "fp16", {16, 16, 32}, 1024, 1024},
        {"gfx90a", "fp8", {32, 32, 16}, 256, 256},  // in fp32
        {"gfx942", "fp16", {}, 2048, 2048},
        {"gfx942", "fp16", {32, 32, 12}, 2048, 2048},  // not made of whole ones
    };
    for (const Rate& one : rates) {
        const CostModel::MatrixRate found = rate(one.gpu, one.dtype, one.warp_tile);
        EXPECT_DOUBLE_EQ(found.own, one.own) << one.gpu << ' ' << one.dtype << ' ' << one.warp_tile.k;
        EXPECT_DOUBLE_EQ(found.peak, one.peak) << one.gpu << ' ' << one.dtype << ' ' << one.warp_tile.k;
    }
}

TEST(MatrixRate, IsThePeakOfTheGpuWhereInstructionsAreNotKnown) {
    EXPECT_DOUBLE_EQ(rate("gfx942", "unheard_of", {32, 32, 8}, 1).own, 4096);
    EXPECT_DOUBLE_EQ(rate("gfx1200", "fp16", {16, 16, 16}).own, 2 * 1024);  // two compute units
    EXPECT_DOUBLE_EQ(rate("gfx1200", "fp8", {16, 16, 16}, 1).peak, 4 * 1024);
}

// Constants by which nothing but a launch takes time: what is left is what the instructions need.
TEST(CostModel, IsNeverFasterThanTheMatrixInstructions) {
    Terms constants{};
    constants[arch::cost_term::launch] = 2;
    const CostModel costs(*arch::find_gpu("gfx950"), constants);
    Work work = sample_work();
    work.memory_bytes = 0, work.dtype = Name("fp16"), work.warp_tile = {32, 32, 16};
    const double full = costs.microseconds(work, sample_resources());
    work.warp_tile = {32, 32, 8};
    EXPECT_NEAR(costs.microseconds(work, sample_resources()) - 2, 2 * (full - 2), 1e-9);
    const double units = 256, fullest = std::ceil(1000 / units);
    EXPECT_NEAR(full - 2, fullest * 33 * work.flops / (4096 * 2400.0), 1e-9);
}

TEST(CostModel, SaysWhereItsConstantsComeFrom) {
    const arch::GpuSpec &gfx942 = *arch::find_gpu("gfx942"), &gfx950 = *arch::find_gpu("gfx950");
    const CostModel own("grouped_conv", gfx950), carried("grouped_conv", gfx942), other("attention", gfx950);
    EXPECT_FALSE(own.carried_over());
    EXPECT_EQ(own.fitted().family, "grouped_conv");
    EXPECT_TRUE(carried.carried_over());
    EXPECT_EQ(carried.fitted().family, "grouped_conv");
    EXPECT_EQ(carried.fitted().gpu, "gfx950");
    EXPECT_TRUE(other.carried_over());
    EXPECT_EQ(other.fitted().gpu, "gfx950");
}

TEST(CostModel, TakesConstantsOfOnesOwn) {
    Terms constants{};
    constants[arch::cost_term::store] = 2;
    const Work work = sample_work();
    const CostModel model(*arch::find_gpu("gfx950"), constants);
    const Terms terms = model.terms(work, rounds_of(work, sample_resources(), model.gpu()), sample_resources());
    EXPECT_DOUBLE_EQ(model.microseconds(work, terms), std::max(2 * terms[arch::cost_term::store], 64e6 / 8e6));
}

}  // namespace
}  // namespace ckdispatch

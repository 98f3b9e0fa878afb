// SPDX-License-Identifier: MIT
// What the cost model promises whatever its constants are: which of two launches is the slower one.
#include "ckdispatch/core/cost.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "arch/arch_specs.hpp"

namespace ckdispatch {
namespace {

Work sample_work() {
    Work work;
    work.workgroups      = 1000;
    work.flops           = 2.0 * 128 * 128 * 1024;
    work.l2_bytes        = 1024.0 * 256 * 2;
    work.memory_bytes    = 64e6;
    work.loops           = 32;
    work.tiles_in_flight = 2;
    work.compute_share   = 0.7;
    return work;
}

Resources sample_resources() {
    Resources used;
    used.wave_size = 64, used.workgroup_size = 256;
    used.vgprs = 128, used.sgprs = 40;
    used.lds_bytes = 16384;
    return used;
}

class CostModel : public testing::TestWithParam<const arch::GpuSpec*> {
protected:
    double predicted(const Work& work, const Resources& used = sample_resources()) const { return predicted_microseconds(work, used, *GetParam()); }

    /// The sample with one figure changed.
    template <class Change>
    double changed(Change&& change) const {
        Work work = sample_work();
        change(work);
        return predicted(work);
    }
};

TEST_P(CostModel, GivesAFiniteTimeAboveZero) {
    for (const double workgroups : {1.0, 3.0, 1e3, 1e9}) {
        const double time = changed([&](Work& work) { work.workgroups = workgroups; });
        EXPECT_TRUE(std::isfinite(time) && time > 0) << workgroups;
    }
}

TEST_P(CostModel, NeverChargesLessForMoreWorkgroups) {
    double before = 0;
    for (double workgroups = 1; workgroups < 5000; workgroups = std::ceil(workgroups * 1.1)) {
        const double time = changed([&](Work& work) { work.workgroups = workgroups, work.memory_bytes = 0; });
        EXPECT_GE(time, before * (1 - 1e-12)) << workgroups;
        before = time;
    }
}

TEST_P(CostModel, ChargesForMoreFlops) {
    EXPECT_GT(changed([](Work& work) { work.flops *= 4; }), predicted(sample_work()));
}

TEST_P(CostModel, ChargesForMoreBytesOfMemory) {
    EXPECT_GT(changed([](Work& work) { work.memory_bytes *= 100; }), predicted(sample_work()));
}

TEST_P(CostModel, ChargesForMoreBytesThroughL2) {
    EXPECT_GT(changed([](Work& work) { work.l2_bytes *= 100; }), predicted(sample_work()));
}

TEST_P(CostModel, ChargesForADeeperLoop) {
    EXPECT_GT(changed([](Work& work) { work.loops *= 100; }), predicted(sample_work()));
}

TEST_P(CostModel, ChargesLessWhereMoreLoadsAreUnderWay) {
    const auto waits = [](double in_flight) {
        return [in_flight](Work& work) { work.loops = 1000, work.flops = 1e3, work.tiles_in_flight = in_flight; };
    };
    EXPECT_LT(changed(waits(4)), changed(waits(1)));
}

TEST_P(CostModel, ChargesForAnInnerLoopThatReachesLessOfThePeak) {
    EXPECT_GT(changed([](Work& work) { work.compute_share = 0.2; }), predicted(sample_work()));
}

TEST_P(CostModel, ChargesLessForNarrowerElements) {
    EXPECT_LT(changed([](Work& work) { work.element_bytes = 1; }), predicted(sample_work()));
}

TEST_P(CostModel, ChargesForEachLaunch) {
    EXPECT_NEAR(changed([](Work& work) { work.launches = 3; }), 3 * predicted(sample_work()), 1e-6 * predicted(sample_work()));
}

TEST_P(CostModel, ChargesForFurtherPassesOverMemory) {
    EXPECT_GT(changed([](Work& work) { work.extra_passes = 1e9; }), predicted(sample_work()));
}

TEST_P(CostModel, ChargesForSpills) {
    Resources spilling = sample_resources(), scratch = sample_resources();
    spilling.vgpr_spills  = 1;
    scratch.scratch_bytes = 64;
    EXPECT_GT(predicted(sample_work(), spilling), predicted(sample_work()));
    EXPECT_GT(predicted(sample_work(), scratch), predicted(sample_work()));
}

TEST_P(CostModel, NeverChargesLessForMoreLds) {
    Resources more = sample_resources();
    more.lds_bytes = 65536;
    Work work      = sample_work();
    for (const double workgroups : {100.0, 1000.0, 10000.0}) {
        work.workgroups = workgroups;
        EXPECT_GE(predicted(work, more), predicted(work)) << workgroups;
    }
}

INSTANTIATE_TEST_SUITE_P(EveryGpu, CostModel, testing::ValuesIn([] {
                             std::vector<const arch::GpuSpec*> gpus;
                             for (const arch::GpuSpec& gpu : arch::gpus) gpus.push_back(&gpu);
                             return gpus;
                         }()),
                         [](const testing::TestParamInfo<const arch::GpuSpec*>& gpu) { return std::string(gpu.param->name); });

}  // namespace
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// What learned models are told: as many numbers as names, all of them finite, and some of them by hand.
#include "ckdispatch/core/features.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "arch/arch_specs.hpp"
#include "arch/occupancy.hpp"
#include "ckdispatch/gemm/family.hpp"
#include "ckdispatch/grouped_conv/family.hpp"
#include "tests/dispatcher/support/keys.hpp"
#include "tests/dispatcher/support/works.hpp"

namespace ckdispatch {
namespace {

using test::sample_resources;
using test::sample_work;

const arch::GpuSpec& gfx942() { return *arch::find_gpu("gfx942"); }

Features features(const Work& work, const CostModel& costs) {
    const Rounds rounds = rounds_of(work, sample_resources(), costs.gpu());
    return features_of(work, rounds, costs.terms(work, rounds, sample_resources()), costs);
}
Features features(const Work& work) { return features(work, CostModel("gemm", gfx942())); }

double one_of(const Features& all, const std::string& name) {
    const auto place = std::find(std::begin(kCommonFeatures), std::end(kCommonFeatures), name);
    EXPECT_NE(place, std::end(kCommonFeatures)) << name;
    return all[std::size_t(place - std::begin(kCommonFeatures))];
}
double one_of(const Work& work, const std::string& name) { return one_of(features(work), name); }

void expect_finite(const Work& work, const CostModel& costs, const std::string& what) {
    const Features all = features(work, costs);
    for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_TRUE(std::isfinite(all[i]))
            << what << ": " << (i < kCommonFeatureCount ? kCommonFeatures[i] : "a detail") << " is " << all[i];
}

TEST(Features, HaveAsManyNamesAsNumbersAndNoneTwice) {
    for (const auto& details : {GemmFamily::details(), GroupedConvFamily::details()}) {
        const auto names = feature_names(details);
        EXPECT_EQ(names.size(), kCommonFeatureCount + details.size());
        EXPECT_LE(names.size(), Features{}.size());
        EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
    }
}

TEST(Features, AreFiniteForEveryGpuAndFamily) {
    for (const arch::GpuSpec& gpu : arch::gpus)
        for (const arch::CostConstants& fitted : arch::cost_constants)
            expect_finite(sample_work(), CostModel(fitted.family, gpu), std::string(gpu.name));
}

TEST(Features, AreFiniteForNoWorkForOneWorkgroupAndForHugeWork) {
    const CostModel costs("gemm", gfx942());
    expect_finite(Work{}, costs, "no work");
    Work one = sample_work();
    one.workgroups = 1, one.trips = 1;
    expect_finite(one, costs, "one workgroup");
    Work huge = sample_work();
    huge.workgroups = 1e15, huge.trips = 1e12, huge.memory_bytes = 1e30;
    expect_finite(huge, costs, "huge work");
    Work nothing_to_multiply = sample_work();
    nothing_to_multiply.trips = 0;
    expect_finite(nothing_to_multiply, costs, "no trips");
    Work shared = sample_work();
    shared.even = true;
    expect_finite(shared, costs, "an even last round");
}

// Nothing forbids a caller to give a cost model by which nothing takes time.
TEST(Features, AreFiniteWithoutAnyConstant) {
    expect_finite(sample_work(), CostModel(gfx942(), Terms{}), "no constants");
    expect_finite(Work{}, CostModel(gfx942(), Terms{}), "no constants and no work");
}

TEST(Features, HaveSharesThatAreThoseOfTheTime) {
    const CostModel costs("grouped_conv", gfx942());
    const Features all = features(sample_work(), costs);
    const Rounds on = rounds_of(sample_work(), sample_resources(), gfx942());
    const Terms terms = costs.terms(sample_work(), on, sample_resources());
    double once = 0, rest = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) once += costs.constants()[i] * terms[i];
    namespace term = arch::cost_term;
    for (const std::size_t i : {term::l2, term::memory}) rest += costs.constants()[i] * terms[i];
    double shares = rest / once;
    for (const char* name : {"share_launch", "share_waiting", "share_issue", "share_store", "share_turn"}) {
        EXPECT_GE(one_of(all, name), 0) << name;
        shares += one_of(all, name);
    }
    EXPECT_NEAR(shares, 1, 1e-12);
    EXPECT_NEAR(one_of(all, "share_store"), costs.constants()[term::store] * terms[term::store] / once, 1e-12);
}

TEST(Features, KnowHowFullTheUnitsAre) {
    const double units = gfx942().compute_units;
    Work work = sample_work();
    work.workgroups = units;  // one each, in a round that is not full
    const double resident = sample_resources().workgroups_per_unit(gfx942());
    ASSERT_GT(resident, 1);
    EXPECT_DOUBLE_EQ(one_of(work, "fill_units"), 1);
    EXPECT_DOUBLE_EQ(one_of(work, "fill_rounds"), 1 / resident);
    EXPECT_DOUBLE_EQ(one_of(work, "fill_last"), 1 / resident);
    EXPECT_DOUBLE_EQ(one_of(work, "log_rounds"), 0);
    EXPECT_DOUBLE_EQ(one_of(work, "log_per_unit"), 0);
    EXPECT_DOUBLE_EQ(one_of(work, "resident"), resident);
    EXPECT_DOUBLE_EQ(one_of(work, "waves_per_simd"), 4.0 / arch::simds_per_unit(gfx942()));

    work.workgroups = 2 * units * resident;  // two whole rounds
    EXPECT_DOUBLE_EQ(one_of(work, "fill_rounds"), 1);
    EXPECT_DOUBLE_EQ(one_of(work, "fill_last"), 0);
    EXPECT_DOUBLE_EQ(one_of(work, "log_rounds"), std::log(2.0));
    EXPECT_DOUBLE_EQ(one_of(work, "log_per_unit"), std::log(2 * resident));
    EXPECT_DOUBLE_EQ(one_of(work, "waves_per_simd"), resident * 4.0 / arch::simds_per_unit(gfx942()));

    work.workgroups = 1;
    EXPECT_DOUBLE_EQ(one_of(work, "fill_units"), 1 / units);
}

TEST(Features, KnowTripsAndBytes) {
    Work work = sample_work();
    EXPECT_DOUBLE_EQ(one_of(work, "log_trips"), std::log(33.0));
    EXPECT_DOUBLE_EQ(one_of(work, "odd_trips"), 1);
    EXPECT_DOUBLE_EQ(one_of(work, "log_bytes_per_flop"), std::log(64e6 / (1000 * 33 * work.flops)));
    work.trips = 32, work.memory_bytes = 256 << 20;
    EXPECT_DOUBLE_EQ(one_of(work, "odd_trips"), 0);
    EXPECT_DOUBLE_EQ(one_of(work, "log_working_set"), 0);
}

TEST(Features, HaveTheDetailsOfAFamilyAtTheirEnd) {
    Work work = sample_work();
    for (std::size_t i = 0; i < work.details.size(); ++i) work.details[i] = double(i) + 0.5;
    const Features all = features(work);
    for (std::size_t i = 0; i < work.details.size(); ++i) EXPECT_EQ(all[kCommonFeatureCount + i], double(i) + 0.5);
}

}  // namespace
}  // namespace ckdispatch

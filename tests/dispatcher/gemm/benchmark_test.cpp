// SPDX-License-Identifier: MIT
// Benchmarks: how often a kernel is launched, on what, and how many times come back. How long they are is not for a
// test to say.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/dispatcher/support/on_device.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::GemmTensors;

class Benchmark : public test::OnDevice {
protected:
    static void SetUpTestSuite() {
        folder = new test::TemporaryFolder;
        // The simulator writes a line for each launch.
        ::setenv("GFXSIM_REPORT", folder->at("launches").c_str(), 1);
    }
    static void TearDownTestSuite() { delete folder; }

    static int launches() {
        std::ifstream report(folder->at("launches"));
        int lines = 0;
        for (std::string line; std::getline(report, line);) ++lines;
        return lines;
    }

    // Of a GPU nobody knows them.
    void expect_launches(int expected, int before) const {
        EXPECT_EQ(device->simulated() ? launches() - before : expected, expected);
    }

    BenchmarkResult timed(const BenchmarkOptions& options) {
        return dispatcher->benchmark(*plan(), tensors().addresses, options);
    }

    GemmDispatcher::PlanPtr plan() { return dispatcher->select(fp16(64, 64, 64).build()); }
    GemmTensors& tensors() {
        if (!tensors_) tensors_ = std::make_unique<GemmTensors>(device, fp16(64, 64, 64).build());
        return *tensors_;
    }

    static test::TemporaryFolder* folder;

private:
    std::unique_ptr<GemmTensors> tensors_;
};

test::TemporaryFolder* Benchmark::folder = nullptr;

TEST_F(Benchmark, GivesAsManyTimesAsItWasAskedFor) {
    for (const Timer timer : {Timer::gpu, Timer::cpu})
        for (const int repeat : {1, 5}) {
            BenchmarkOptions options;
            options.warmup = 0, options.repeat = repeat, options.timer = timer;
            const BenchmarkResult result = timed(options);
            EXPECT_EQ(result.milliseconds.size(), std::size_t(repeat));
            for (const double time : result.milliseconds) EXPECT_GE(time, 0);
            EXPECT_EQ(result.kernel, plan()->name());
            EXPECT_EQ(result.device, device->name());
            EXPECT_EQ(result.simulated, device->simulated());
        }
}

TEST_F(Benchmark, IsTenRunsAfterThreeUnlessToldOtherwise) {
    const int before = launches();
    EXPECT_EQ(timed({}).milliseconds.size(), 10u);
    expect_launches(13, before);
}

TEST_F(Benchmark, LaunchesForWarmingUpToo) {
    BenchmarkOptions options;
    options.warmup = 4, options.repeat = 2;
    const int before = launches();
    EXPECT_EQ(timed(options).milliseconds.size(), 2u);
    expect_launches(6, before);
}

TEST_F(Benchmark, LeavesTheProductAndTheOperands) {
    timed({});
    EXPECT_EQ(tensors().c.read(), tensors().expected());
    EXPECT_EQ(tensors().a.read(), tensors().a_numbers);
    EXPECT_EQ(tensors().b.read(), tensors().b_numbers);
}

TEST_F(Benchmark, TakesCopiesOfTheTensorsInTurn) {
    BenchmarkOptions options;
    options.warmup = 0, options.repeat = 5, options.rotating_buffers = 3;
    EXPECT_EQ(timed(options).milliseconds.size(), 5u);
    EXPECT_EQ(tensors().c.read(), tensors().expected());
    EXPECT_EQ(tensors().a.read(), tensors().a_numbers);
    // The first of five runs is the caller's, and the fourth.
    options.repeat = 1, options.rotating_buffers = 2, options.warmup = 2;
    EXPECT_EQ(timed(options).milliseconds.size(), 1u);
}

TEST_F(Benchmark, OverwritesTheCachesBetweenRuns) {
    for (const Timer timer : {Timer::gpu, Timer::cpu}) {
        BenchmarkOptions options;
        options.warmup = 0, options.repeat = 2, options.flush_cache = true, options.timer = timer;
        EXPECT_EQ(timed(options).milliseconds.size(), 2u);
        EXPECT_EQ(tensors().c.read(), tensors().expected());
    }
}

TEST_F(Benchmark, RunsOnTheStreamOfTheCaller) {
    for (const Timer timer : {Timer::gpu, Timer::cpu}) {
        BenchmarkOptions options;
        options.repeat = 2, options.timer = timer, options.stream = device->create_stream();
        EXPECT_EQ(timed(options).milliseconds.size(), 2u);
        device->destroy_stream(options.stream);
    }
}

TEST_F(Benchmark, LaunchesEachMatrixOfABatch) {
    const auto problem = fp16(64, 64, 64).batch(3).build();
    GemmTensors batch(device, problem);
    BenchmarkOptions options;
    options.warmup = 1, options.repeat = 2, options.rotating_buffers = 2;
    const int before = launches();
    EXPECT_EQ(dispatcher->benchmark(*dispatcher->select(problem), batch.addresses, options).milliseconds.size(), 2u);
    expect_launches(9, before);
    EXPECT_EQ(batch.c.read(), batch.expected());
}

TEST_F(Benchmark, ThatMakesNoSenseIsRefused) {
    const auto refused = [&](int warmup, int repeat, int rotating) {
        BenchmarkOptions options;
        options.warmup = warmup, options.repeat = repeat, options.rotating_buffers = rotating;
        EXPECT_REFUSED(ErrorCode::invalid_argument,
                       "A benchmark was asked for with warmup = " + std::to_string(warmup) + ", repeat = " +
                           std::to_string(repeat) + " and rotating_buffers = " + std::to_string(rotating) +
                           "; repeat is from 1 to 1000000, warmup from 0, and rotating_buffers from 1 to 1024.",
                       timed(options));
    };
    const int before = launches();
    refused(-1, 1, 1);
    refused(0, 0, 1);
    refused(0, 1, 0);
    refused(2000000000, 1, 1);
    refused(0, 2000000000, 1);
    refused(0, 1, 2000000000);
    EXPECT_EQ(launches(), before);
}

}  // namespace
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// A compute unit in time, with instructions and accesses that are written down here.
#include "gfxsim/timing/compute_unit.hpp"

#include <gtest/gtest.h>

#include "gfxsim/decode/decoder.hpp"
#include "gfxsim/timing/estimate.hpp"

namespace gfxsim::timing {
namespace {

const Facts& facts() { return *facts_of("gfx950"); }

Program program_of(const std::vector<std::string>& lines) {
    Program program;
    for (const std::string& line : lines) {
        Decoded decoded = decode_line(line, Isa::gfx9);
        EXPECT_EQ(decoded.problem, "") << line;
        program.instrs.push_back(decoded.instr);
    }
    return program;
}

// Every wave of one workgroup runs all instructions `trips` times.
GroupStream group_of(const Program& program, u32 waves, u32 trips) {
    GroupStream group;
    group.waves.resize(waves);
    for (auto& wave : group.waves)
        for (u32 trip = 0; trip < trips; ++trip)
            for (u32 i = 0; i < program.instrs.size(); ++i) wave.push_back({i, kNoTouch});
    return group;
}

UnitTime run(const Program& program, const std::vector<const GroupStream*>& groups, std::size_t resident = 0) {
    Shares shares;
    shares.l2 = 50, shares.mall = 10, shares.memory = 10;
    return run_unit(program, costs_of(program, facts()), facts(), 4, shares, groups, resident);
}

Program load_and_wait() { return program_of({"global_load_dwordx4 v[0:3], v[4:5], off", "s_waitcnt vmcnt(0)"}); }

// One wave that runs that program once, and loads eight lines of memory.
GroupStream wave_that_loads() {
    GroupStream group;
    group.waves.resize(1);
    group.lines = {1, 2, 3, 4, 5, 6, 7, 8};
    Touch touch;
    touch.lines = 8, touch.bytes = 1024;
    group.touches = {touch};
    group.waves[0] = {{0, 0}, {1, kNoTouch}};
    return group;
}

u64 cycles(const Program& program, u32 waves, u32 trips) {
    const GroupStream group = group_of(program, waves, trips);
    return run(program, {&group}).cycles;
}

TEST(ComputeUnit, AWaveBeginsAnInstructionEveryFourCycles) {
    const Program program = program_of({"v_add_u32_e32 v0, v1, v2", "s_add_u32 s0, s1, s2"});
    EXPECT_EQ(cycles(program, 1, 101) - cycles(program, 1, 1), 100u * 2 * 4);
}

TEST(ComputeUnit, WavesOfOneSimdShareItsVectorUnit) {
    const Program program = program_of({"v_add_u32_e32 v0, v1, v2"});
    // Four waves have a SIMD each, eight have to share.
    EXPECT_EQ(cycles(program, 4, 1000), cycles(program, 1, 1000));
    const double ratio = double(cycles(program, 8, 1000)) / double(cycles(program, 4, 1000));
    EXPECT_NEAR(ratio, 2.0, 0.2);
}

TEST(ComputeUnit, AWorkgroupBeginsWhereOneHasEnded) {
    const Program program = program_of({"v_add_u32_e32 v0, v1, v2"});
    const GroupStream brief = group_of(program, 1, 100), lengthy = group_of(program, 1, 1000);
    const auto one = [&](const GroupStream& group) { return run(program, {&group}).cycles; };
    const auto many = [&](std::vector<const GroupStream*> groups, std::size_t resident) {
        return run(program, groups, resident).cycles;
    };
    EXPECT_EQ(many({&brief, &brief, &brief}, 1), 3 * one(brief));
    // The places of the brief ones are taken one after another, while the lengthy one has a SIMD of its own.
    EXPECT_EQ(many({&lengthy, &brief, &brief, &brief}, 2), one(lengthy));
    EXPECT_EQ(many({&brief, &brief, &lengthy}, 2), one(brief) + one(lengthy));
}

TEST(ComputeUnit, WhatComesLaterHasMemoryOfItsOwn) {
    const Program program = load_and_wait();
    const GroupStream group = wave_that_loads();
    const u64 once = run(program, {&group}).cycles;
    EXPECT_EQ(run(program, {&group, &group}, 1).cycles, 2 * once);
}

TEST(ComputeUnit, IndependentProductsFollowEachOtherAsTheMatrixCoreIsFree) {
    const Program program = program_of({"v_mfma_f32_16x16x32_f16 a[0:3], v[0:3], v[4:7], a[0:3]",
                                        "v_mfma_f32_16x16x32_f16 a[4:7], v[0:3], v[4:7], a[4:7]"});
    EXPECT_EQ(cycles(program, 1, 201) - cycles(program, 1, 1), 200u * 2 * 16 + 0u);
}

TEST(ComputeUnit, AProductWaitsForTheOneWhoseResultItNeeds) {
    const Program program = program_of({"v_mfma_f32_16x16x32_f16 a[0:3], v[0:3], v[4:7], a[0:3]"});
    EXPECT_EQ(cycles(program, 1, 201) - cycles(program, 1, 1), 200u * u64(16 + facts().matrix_result_cycles));
}

TEST(ComputeUnit, AWaitLastsUntilTheLoadIsThere) {
    const Program program = load_and_wait();
    GroupStream group = wave_that_loads();
    const UnitTime time = run(program, {&group});
    EXPECT_GT(time.instructions[1].cycles, u64(facts().mall_latency));
    EXPECT_LT(time.instructions[1].cycles, u64(facts().mall_latency) + 200);
    // The second time the lines are in L1.
    group.waves[0] = {{0, 0}, {1, kNoTouch}, {0, 0}, {1, kNoTouch}};
    EXPECT_LT(run(program, {&group}).cycles, time.cycles + 2 * u64(facts().l1_latency));
}

TEST(ComputeUnit, WavesMeetAtABarrierAndOneThatEndsIsNotWaitedFor) {
    const Program program = program_of({"v_add_u32_e32 v0, v1, v2", "s_barrier"});
    GroupStream group;
    group.waves.resize(3);
    for (int i = 0; i < 1000; ++i) group.waves[0].push_back({0, kNoTouch});
    group.waves[0].push_back({1, kNoTouch});
    group.waves[1] = {{1, kNoTouch}};
    group.waves[2] = {{0, kNoTouch}};
    const UnitTime time = run(program, {&group});
    EXPECT_GE(time.instructions[1].cycles, 4000u);
    EXPECT_GE(time.causes[std::size_t(Cause::barrier)], 4000u - 100);
}

TEST(ComputeUnit, LdsServesItsBytesInTurnToAllWaves) {
    const Program program = program_of({"ds_read_b128 v[0:3], v4"});
    GroupStream group = group_of(program, 4, 500);
    Touch touch;
    touch.space = Space::lds, touch.lds_cycles = 4;
    group.touches = {touch};
    for (auto& wave : group.waves)
        for (Step& step : wave) step.touch = 0;
    const UnitTime time = run(program, {&group});
    EXPECT_EQ(time.lds_busy, 4u * 500 * 4);
    EXPECT_NEAR(double(time.cycles), 4 * 500 * 4, 500);
}

// Of a wave that writes `bytes` with each of `trips` instructions.
u64 write_cycles(const std::string& text, Space space, u32 bytes, u32 waves, u32 trips) {
    const Program program = program_of({text});
    GroupStream group = group_of(program, waves, trips);
    Touch touch;
    touch.space = space, touch.use = Use::write, touch.bytes = bytes, touch.lds_cycles = 1;
    group.touches = {touch};
    for (auto& wave : group.waves)
        for (Step& step : wave) step.touch = 0;
    return run(program, {&group}).cycles;
}

TEST(ComputeUnit, AWriteKeepsItsWaveUntilItsDataIsHandedOver) {
    const auto each = [](const std::string& text, Space space, u32 bytes) {
        return (write_cycles(text, space, bytes, 1, 11) - write_cycles(text, space, bytes, 1, 1)) / 10;
    };
    // As thread traces of gfx950 have them.
    EXPECT_EQ(each("ds_write_b64 v4, v[0:1]", Space::lds, 512), 12u);
    EXPECT_EQ(each("ds_write_b128 v4, v[0:3]", Space::lds, 1024), 20u);
    EXPECT_GE(each("global_store_dwordx4 v[4:5], v[0:3], off", Space::global, 1024), 20u);
}

TEST(ComputeUnit, WritesOfAllWavesShareLds) {
    const auto cycles = [](u32 trips) { return write_cycles("ds_write_b128 v4, v[0:3]", Space::lds, 1024, 4, trips); };
    const double each = double(cycles(200) - cycles(100)) / 100;
    EXPECT_GE(each, 4 * 1024 / facts().lds_write_bytes_per_cycle);
    // In thread traces of gfx950 it is 30 to 52 where four waves write.
    EXPECT_LE(each, 52);
}

TEST(Spread, VariantsInOneFunctionHaveTheRegistersOfTheLargest) {
    Kernel small, large;
    small.vgprs = 64, large.vgprs = 256;
    Launch launch;
    launch.kernel = &small, launch.gpu = find_gpu("gfx950");
    launch.grid[0] = 100'000, launch.block[0] = 256;
    EXPECT_EQ(spread_of(launch, 256).per_unit, 8u);
    EXPECT_EQ(spread_of(launch, 256, {&small, &large}).per_unit, 2u);
    launch.kernel = &large;
    EXPECT_EQ(spread_of(launch, 256, {&small, &large}).per_unit, 2u);
}

TEST(Costs, ProductsOfIntegersTakeAsLongAsSums) {
    const Program program = program_of(
        {"v_mul_lo_u32 v0, v1, v2", "v_mul_hi_u32 v0, v1, v2", "v_add_u32_e32 v0, v1, v2", "v_rcp_f32_e32 v0, v1"});
    const auto costs = costs_of(program, facts());
    EXPECT_EQ(costs[0].busy, costs[2].busy);
    EXPECT_EQ(costs[1].busy, costs[2].busy);
    EXPECT_EQ(costs[3].busy, 2 * costs[2].busy);
}

TEST(Costs, AMatrixInstructionThatNobodyKnowsIsRefusedByName) {
    Facts other = facts();
    other.gpu = "gfx000";
    const Program program = program_of({"v_mfma_f32_16x16x32_f16 a[0:3], v[0:3], v[4:7], a[0:3]"});
    try {
        costs_of(program, other);
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("v_mfma_f32_16x16x32_f16"), std::string::npos);
    }
}

}  // namespace
}  // namespace gfxsim::timing

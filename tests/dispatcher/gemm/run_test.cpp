// SPDX-License-Identifier: MIT
// Problems run on a device with kernels that were built: what is in C afterwards, and what is not touched.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/dispatcher/support/on_device.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::GemmTensors;
using test::GuardedTensor;
using test::Halves;

constexpr const char* kPadded = "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_32x32x16";
constexpr const char* kSplit =
    "gemm_fp16_rcr_compv4_cshuffle_intrawave_True_True_True_False_64x64x32_2x2x1_16x16x16_splitk";

class Run : public test::OnDevice {
protected:
    /// Runs the problem and expects the product, and nothing else, in C.
    GemmDispatcher::PlanPtr expect_product(const GemmProblem& problem, unsigned seed = 1) {
        GemmTensors tensors(device, problem, seed);
        auto plan = dispatcher->run(problem, tensors.addresses);
        expect_product_in(tensors, plan->name());
        return plan;
    }

    void expect_product_in(const GemmTensors& tensors, const std::string& kernel) {
        device->synchronize();
        EXPECT_EQ(tensors.c.read(), tensors.expected()) << tensors.problem.text() << " with " << kernel;
        EXPECT_EQ(tensors.a.read(), tensors.a_numbers);
        EXPECT_EQ(tensors.b.read(), tensors.b_numbers);
    }
};

TEST_F(Run, MultipliesWithEveryKernelThatFits) {
    for (const GemmProblem& problem : {fp16(256, 128, 192).build(), fp16(70, 136, 104).build()}) {
        const auto ranking = dispatcher->selector().rank(problem);
        EXPECT_GE(ranking.fit.size(), 4u);
        for (const auto& candidate : ranking.fit) {
            GemmTensors tensors(device, problem);
            dispatcher->run_explicit(candidate.kernel->key(), problem, tensors.addresses);
            expect_product_in(tensors, candidate.kernel->name());
        }
    }
}

TEST_F(Run, MultipliesSmallAndOddShapes) {
    expect_product(fp16(1, 8, 8).build());
    expect_product(fp16(1, 72, 200).build());
    expect_product(fp16(65, 8, 16).build());
    expect_product(fp16(129, 136, 72).build());
}

TEST_F(Run, MultipliesEveryLayout) {
    for (const char* layout : {"rcr", "rrr", "crr", "ccr", "rcc", "rrc", "crc", "ccc"}) {
        const auto plan = expect_product(fp16(128, 64, 96).layout(layout).build());
        EXPECT_EQ(plan->stages[0].kernel->key().layout.text()[2], 'r');
    }
}

TEST_F(Run, LeavesWhatIsBetweenRows) { expect_product(fp16(70, 72, 104).leading_dimensions(120, 136, 88).build()); }

TEST_F(Run, LeavesWhatIsBetweenColumnsOfATransposedOutput) {
    expect_product(fp16(72, 70, 104).layout("rcc").leading_dimensions(120, 136, 88).build());
}

TEST_F(Run, TakesFullStrides) {
    expect_product(fp16(64, 72, 104).strides_a(112, 1).strides_b(1, 120).strides_c(80, 1).build());
}

TEST_F(Run, MultipliesEachMatrixOfABatch) {
    const auto plan = expect_product(fp16(70, 72, 40).batch(3).build());
    EXPECT_EQ(plan->problem.batch, 3);
}

TEST_F(Run, LeavesWhatIsBetweenTheMatricesOfABatch) {
    expect_product(fp16(70, 72, 40).batch(3, 4000, 3200, 6000).build());
}

TEST_F(Run, SharesAnOperandOfABatch) {
    expect_product(fp16(70, 72, 40).batch(3, GemmProblemBuilder::kPacked, 0).build());
}

TEST_F(Run, MultipliesABatchOfTransposedOutputs) { expect_product(fp16(72, 64, 40).layout("rcc").batch(2, 0).build()); }

TEST_F(Run, AddsThePartsOfASplitK) {
    for (const std::int64_t parts : {2, 4}) {
        const auto plan = expect_product(fp16(70, 72, 512).split_k(parts).build());
        EXPECT_EQ(plan->name(), kSplit);
        EXPECT_EQ(plan->stages[0].way.k_batch, parts);
    }
}

TEST_F(Run, ClearsOnlyItsOwnElementsForASplitK) {
    expect_product(fp16(70, 72, 512).leading_dimensions(0, 0, 96).batch(2, 0, 0, 8000).split_k(2).build());
}

TEST_F(Run, ChoosesToSplitADeepK) {
    const auto plan = expect_product(fp16(64, 64, 2048).split_k(0).build());
    EXPECT_GT(plan->stages[0].way.k_batch, 1);
}

TEST_F(Run, GivesTheSameBitsEveryTimeWhereThatIsWanted) {
    const auto problem = fp16(64, 64, 2048).split_k(0).deterministic(true).build();
    for (int i = 0; i < 3; ++i) EXPECT_LE(expect_product(problem)->stages[0].way.k_batch, 2);
}

TEST_F(Run, TakesTheKernelThatWasAskedFor) {
    const auto problem = fp16(64, 64, 64).build();
    GemmTensors tensors(device, problem);
    EXPECT_EQ(dispatcher->run_explicit(kPadded, problem, tensors.addresses)->name(), kPadded);
    expect_product_in(tensors, kPadded);
    EXPECT_REFUSED(ErrorCode::not_found, "The kernel gemm_none was asked for, and the registry mine does not have it.",
                   dispatcher->run_explicit("gemm_none", problem, tensors.addresses));
}

TEST_F(Run, RunsAPlanAgainWithOtherTensors) {
    const auto problem = fp16(64, 72, 64).build();
    const auto plan = dispatcher->select(problem);
    for (unsigned seed : {1u, 10u, 20u}) {
        GemmTensors tensors(device, problem, seed);
        dispatcher->run_plan(*plan, tensors.addresses);
        expect_product_in(tensors, plan->name());
    }
}

TEST_F(Run, RunsOnTheStreamsOfTheCaller) {
    const auto problem = fp16(64, 72, 64).build();
    GemmTensors one(device, problem, 1), two(device, problem, 7);
    RunOptions first, second;
    first.stream = device->create_stream(), second.stream = device->create_stream();
    dispatcher->run(problem, one.addresses, first);
    dispatcher->run(problem, two.addresses, second);
    device->synchronize(first.stream);
    device->synchronize(second.stream);
    expect_product_in(one, "a stream");
    expect_product_in(two, "another stream");
    device->destroy_stream(first.stream);
    device->destroy_stream(second.stream);
}

TEST_F(Run, RunsFromManyThreads) {
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (unsigned i = 0; i < 3; ++i) expect_product(fp16(64 + 8 * t, 72, 64).build(), 10 * t + i);
        });
    for (std::thread& thread : threads) thread.join();
}

TEST_F(Run, SelectsForTheAlignmentThatTheAddressesHave) {
    const auto problem = fp16(64, 64, 64).build();
    const Halves a(64 * 64, 0), b(64 * 64, 0), c(64 * 64, test::kUntouched);
    const GuardedTensor aligned_a(device, a), shifted_a(device, a, 8), aligned_b(device, b), output(device, c);
    void* shifted[] = {shifted_a.address(), aligned_b.address(), output.address()};
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel,
                          " was asked for A at an address that is not a multiple of 16 bytes, its vector width.",
                          dispatcher->run(problem, shifted));
    EXPECT_EQ(output.read(), c);
    void* aligned[] = {aligned_a.address(), aligned_b.address(), output.address()};
    EXPECT_EQ(dispatcher->run(problem, aligned)->problem.alignment, 16);
    EXPECT_EQ(output.read(), Halves(64 * 64, 0));
}

TEST_F(Run, RefusesAPlanForAddressesThatAreNotAlignedAsItsProblemSays) {
    const auto problem = fp16(64, 64, 64).build();
    const auto plan = dispatcher->select(problem);
    const Halves zeros(64 * 64, 0);
    const GuardedTensor a(device, zeros, 8), b(device, zeros), c(device, zeros);
    void* tensors[] = {a.address(), b.address(), c.address()};
    EXPECT_REFUSED_SAYING(ErrorCode::unsupported,
                          " was asked for A at an address that is not a multiple of 16 bytes, its vector width.",
                          dispatcher->run_plan(*plan, tensors));
}

TEST_F(Run, LaunchesNothingOfABatchWhoseMatricesAreNotAligned) {
    // Its second matrix of A begins 8 bytes after a multiple of 16.
    const auto problem = fp16(64, 64, 64).batch(2, 64 * 64 + 4, 0).build();
    GemmTensors tensors(device, problem);
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, "address that is not a multiple of 16 bytes",
                          dispatcher->select(problem));
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, "address that is not a multiple of 16 bytes",
                          dispatcher->run(problem, tensors.addresses));
    EXPECT_EQ(tensors.c.read(), Halves(2 * 64 * 64, test::kUntouched));
}

TEST_F(Run, NeedsAnAddressForEachTensor) {
    const auto problem = fp16(64, 64, 64).build();
    for (std::size_t missing = 0; missing < 3; ++missing) {
        GemmTensors tensors(device, problem);
        tensors.addresses[missing] = nullptr;
        EXPECT_REFUSED(ErrorCode::invalid_argument,
                       std::string("A GEMM was to be run with no address for ") + "ABC"[missing] + ".",
                       dispatcher->run(problem, tensors.addresses));
        const auto plan = dispatcher->select(problem);
        EXPECT_REFUSED(ErrorCode::invalid_argument,
                       std::string("A GEMM was to be run with no address for ") + "ABC"[missing] + ".",
                       dispatcher->run_plan(*plan, tensors.addresses));
    }
}

TEST_F(Run, SaysWhatHappenedOnTheDevice) {
    if (!device->simulated()) GTEST_SKIP() << "A GPU would not survive it.";
    const auto problem = fp16(64, 64, 64).build();
    GemmTensors tensors(device, problem);
    std::vector<std::uint16_t> outside(64 * 64);
    tensors.addresses[0] = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(outside.data()) / 16 * 16);
    EXPECT_REFUSED_SAYING(ErrorCode::device_failed, " failed on gfx942: ", dispatcher->run(problem, tensors.addresses));
    expect_product(problem);
}

TEST_F(Run, RefusesADeviceThatItDoesNotSelectFor) {
    const auto selector = std::make_shared<GemmSelector>(registry, "gfx950");
    EXPECT_REFUSED(ErrorCode::wrong_gpu,
                   "The device " + device->name() + " is a gfx942, and the dispatcher selects for gfx950.",
                   GemmDispatcher(selector, device));
}

TEST_F(Run, TakesASelectorThatSelectedBefore) {
    const auto selector = std::make_shared<GemmSelector>(registry, "gfx942");
    const auto plan = selector->select(fp16(64, 64, 64).build());
    GemmDispatcher late(selector, device);
    GemmTensors tensors(device, plan->problem);
    EXPECT_EQ(late.run(plan->problem, tensors.addresses), plan);
    expect_product_in(tensors, plan->name());
}

}  // namespace
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// The comparison of a result with the CPU's reference.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/dispatcher/support/on_device.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::GemmTensors;
using test::GuardedTensor;
using test::Halves;

constexpr std::uint16_t kOne = 0x3c00, kInfinite = 0x7c00, kNan = 0x7e00, k300 = 0x5cb0;

class Validate : public test::OnDevice {
protected:
    void SetUp() override {
        OnDevice::SetUp();
        const auto one = registry->filtered(
            {}, {}, [](const Kernel<GemmKey>& kernel) { return kernel.name().find("64x64x64") != std::string::npos; });
        single = std::make_unique<GemmDispatcher>(one, device);
    }

    /// Of 64 x 64 x 64 with those numbers everywhere but at the first element of A.
    Validation validated(std::uint16_t first_of_a, std::uint16_t of_a, std::uint16_t of_b) {
        const auto problem = fp16(64, 64, 64).build();
        Halves a(64 * 64, of_a);
        a[0] = first_of_a;
        const GuardedTensor a_tensor(device, a), b_tensor(device, Halves(64 * 64, of_b)),
            c_tensor(device, Halves(64 * 64, 0));
        void* const tensors[] = {a_tensor.address(), b_tensor.address(), c_tensor.address()};
        return validate(*single, problem, tensors);
    }

    /// With one kernel alone, which computes 64 x 64 elements by one workgroup: it has read everything before it
    /// writes.
    std::unique_ptr<GemmDispatcher> single;
};

TEST_F(Validate, FindsARightResultRight) {
    for (const GemmProblem& problem :
         {fp16(70, 72, 104).build(), fp16(64, 128, 96).layout("ccr").build(), fp16(72, 64, 104).layout("rcc").build(),
          fp16(70, 72, 104).leading_dimensions(120, 136, 88).batch(2, 0).build(),
          fp16(70, 72, 512).split_k(2).build()}) {
        GemmTensors tensors(device, problem);
        const Validation result = validate(*dispatcher, problem, tensors.addresses);
        EXPECT_TRUE(result.ok()) << problem.text();
        EXPECT_EQ(result.checked, problem.m * problem.n * problem.batch);
        EXPECT_EQ(result.wrong, 0);
        EXPECT_EQ(result.max_abs, 0) << problem.text();
        EXPECT_EQ(result.device, device->name());
        EXPECT_FALSE(result.kernel.empty());
    }
}

TEST_F(Validate, AllowsForRounding) {
    // A third of a third, 64 times, is no number of fp16.
    const Validation result = validated(0x3555, 0x3555, 0x3555);
    EXPECT_TRUE(result.ok());
    EXPECT_GT(result.max_abs, 0);
    EXPECT_LE(result.max_over, 1);
}

TEST_F(Validate, ExpectsNoNumberWhereNoneGoesIn) {
    const Validation result = validated(kNan, kOne, kOne);
    EXPECT_TRUE(result.ok());
    EXPECT_EQ(result.checked, 64 * 64);
}

TEST_F(Validate, ExpectsInfinityWhereItGoesIn) { EXPECT_TRUE(validated(kInfinite, kOne, kOne).ok()); }

TEST_F(Validate, ExpectsInfinityWhereTheSumIsTooLarge) {
    const Validation result = validated(k300, k300, k300);
    EXPECT_TRUE(result.ok());
    EXPECT_EQ(result.max_abs, 0);
}

TEST_F(Validate, ChecksAPlanOfANamedKernel) {
    const auto problem = fp16(64, 128, 96).build();
    GemmTensors tensors(device, problem);
    for (const Candidate<GemmFamily>& one : dispatcher->selector().rank(problem).fit) {
        const auto plan = dispatcher->selector().select_explicit(one.kernel->name(), problem);
        const Validation result = validate(*dispatcher, *plan, tensors.addresses);
        EXPECT_TRUE(result.ok()) << one.kernel->name();
        EXPECT_EQ(result.checked, problem.m * problem.n);
        EXPECT_EQ(result.kernel, one.kernel->name());
    }
}

TEST_F(Validate, ChecksWhatAPaddedPlanComputes) {
    const auto problem = fp16(70, 71, 101).batch(2, 0).build();
    GemmTensors tensors(device, problem);
    const auto plan = dispatcher->selector().select_padded(problem);
    ASSERT_FALSE(plan->padded.empty());
    const Validation result = validate(*dispatcher, *plan, tensors.addresses);
    EXPECT_TRUE(result.ok());
    EXPECT_EQ(result.checked, problem.m * problem.n * problem.batch);
}

TEST_F(Validate, RefusesAProblemThatNoKernelComputes) {
    const auto problem = fp16(64, 64, 64).dtype("bf16").build();
    GemmTensors tensors(device, problem);
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, "No kernel of the registry mine computes ",
                          validate(*dispatcher, problem, tensors.addresses));
}

}  // namespace
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// Products that no kernel takes as they are, computed on copies.
#include <gtest/gtest.h>

#include "tests/dispatcher/support/on_device.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::GemmTensors;

class GemmPadded : public test::OnDevice {
protected:
    void expect_product(const GemmProblem& problem) {
        EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, "No kernel of the registry mine computes ",
                              dispatcher->select(problem));
        const GemmTensors tensors(device, problem);
        const auto plan = dispatcher->run_padded(problem, tensors.addresses);
        device->synchronize();
        EXPECT_NE(plan->padded, "") << problem.text();
        EXPECT_EQ(tensors.c.read(), tensors.expected()) << problem.text();
    }
};

TEST_F(GemmPadded, IsTheProductOfAnySizes) {
    for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{37, 29, 51}, {1, 1, 1}, {64, 64, 65}, {3, 100, 7}})
        expect_product(fp16(m, n, k).build());
}

TEST_F(GemmPadded, IsTheProductOfAnyLayoutAndLeadingDimensions) {
    expect_product(fp16(37, 29, 51).layout("rcc").build());
    expect_product(fp16(37, 29, 51).leading_dimensions(53, 57, 31).build());
    expect_product(fp16(40, 32, 64).leading_dimensions(65, 0, 0).build());
}

TEST_F(GemmPadded, IsTheProductsOfABatch) {
    expect_product(fp16(17, 21, 33).batch(3).build());
    expect_product(fp16(17, 21, 33).batch(3, GemmProblemBuilder::kPacked, 0).build());
    expect_product(fp16(17, 21, 33).batch(2, 600, 800, 400).build());
}

TEST_F(GemmPadded, IsTheSameOfASplitSum) { expect_product(fp16(20, 30, 500).split_k(2).build()); }

}  // namespace
}  // namespace ckdispatch

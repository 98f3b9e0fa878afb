// SPDX-License-Identifier: MIT
#include "ckdispatch/product/fused_ops.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

double value(const char* op, double product, const std::vector<double>& ds = {}) {
    return FusedOp::find(op, int(ds.size())).apply({product, 0}, ds).value;
}

TEST(FusedOps, HaveTheValuesOfTheirFunctions) {
    EXPECT_EQ(value("PassThrough", 3.5), 3.5);
    EXPECT_EQ(value("Relu", 3.5), 3.5);
    EXPECT_EQ(value("Relu", -3.5), 0);
    EXPECT_EQ(value("MultiDAdd", 3.5, {1, -2}), 2.5);
    EXPECT_EQ(value("MultiDMultiply", 3.5, {2, -2}), -14);
    EXPECT_EQ(value("MultiDAddRelu", 1, {-3}), 0);
    EXPECT_NEAR(value("Sigmoid", 1), 0.7310585786300049, 1e-15);
    EXPECT_NEAR(value("Silu", 1), 0.7310585786300049, 1e-15);
    EXPECT_NEAR(value("Tanh", 1), 0.7615941559557649, 1e-15);
    EXPECT_NEAR(value("Gelu", 1), 0.8413447460685429, 1e-8);
    EXPECT_NEAR(value("FastGelu", 1), 0.8411919906082768, 1e-4);
    EXPECT_NEAR(value("MultiDAddTanh", 0.25, {0.5, 0.25}), 0.7615941559557649, 1e-15);
}

TEST(FusedOps, ChangeNothingOnlyWhereTheyPassThrough) {
    EXPECT_TRUE(FusedOp::find("PassThrough", 0).changes_nothing());
    EXPECT_FALSE(FusedOp::find("Relu", 0).changes_nothing());
    EXPECT_FALSE(FusedOp::find("MultiDAdd", 1).changes_nothing());
}

// Evaluated in float32, each is within its bound.
TEST(FusedOps, BoundTheErrorOfFloat32) {
    for (float x = -30; x <= 30; x += 0.137f) {
        const float gelu = 0.5f * x * (1 + std::erf(0.70710678118f * x)), silu = x * (1 / (1 + std::exp(-x))),
                    tanh = std::tanh(x);
        const auto within = [&](const char* op, float got) {
            const Bounded expected = FusedOp::find(op, 0).apply({x, 0}, {});
            EXPECT_LE(std::fabs(double(got) - expected.value), expected.error + 1e-45) << op << " of " << x;
        };
        within("Gelu", gelu), within("Silu", silu), within("Tanh", tanh), within("Sigmoid", 1 / (1 + std::exp(-x))),
            within("Relu", x > 0 ? x : 0);
    }
}

TEST(FusedOps, PassOnTheErrorOfTheProduct) {
    for (const char* op : {"PassThrough", "Relu", "Gelu", "FastGelu", "Silu", "Sigmoid", "Tanh"})
        for (const double x : {-4.0, -1.0, -0.25, 0.0, 0.5, 1.25, 5.0}) {
            const FusedOp found = FusedOp::find(op, 0);
            const double moved = std::fabs(found.apply({x + 0x1p-7, 0}, {}).value - found.apply({x, 0}, {}).value);
            EXPECT_LE(moved, found.apply({x, 0x1p-7}, {}).error) << op << " of " << x;
        }
    EXPECT_GE(FusedOp::find("MultiDMultiply", 1).apply({1, 0.5}, {-4}).error, 2);
    EXPECT_GE(FusedOp::find("MultiDAdd", 1).apply({1, 0.5}, {-4}).error, 0.5);
}

TEST(FusedOps, OfAnotherCountOfDTensorsAreRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument, "A result of Relu with 1 D tensors was to be validated; it takes none.",
                   FusedOp::find("Relu", 1));
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A result of MultiDAddRelu with 0 D tensors was to be validated; it takes at least one.",
                   FusedOp::find("MultiDAddRelu", 0));
}

TEST(FusedOps, ThatNobodyKnowsAreRefused) {
    for (const char* op : {"Swish", "MultiDAddSwish", "PassThroughRelu", "relu"})
        EXPECT_REFUSED(
            ErrorCode::unsupported,
            std::string("A result of ") + op + " was to be validated; the reference does not know that operation.",
            FusedOp::find(op, 0));
}

}  // namespace
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// The reference against made-up kernels, which compute by the definition: every product added to where it belongs.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/dispatcher/support/convolutions.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::ConvTensors;

// The number of channels out for which the last element is off by one.
constexpr std::int64_t kWrong = 103;

class GroupedConvValidate : public test::MadeUpConvolutions {
protected:
    void expect_right(const GroupedConvProblem& problem) {
        ConvTensors tensors(device, problem);
        const Validation result = validate(*dispatcher, problem, tensors.addresses.data());
        EXPECT_TRUE(result.ok()) << problem.text();
        EXPECT_EQ(result.checked, problem.elements(problem.result())) << problem.text();
        EXPECT_EQ(result.max_abs, 0) << problem.text();
        EXPECT_TRUE(result.worst.empty());
        EXPECT_EQ(result.device, "sim:gfx942");
        EXPECT_EQ(result.kernel.rfind("conv_made_up", 0), 0u);
        // Something was computed: it is not all zeros, nor what was there before.
        const auto before = ConvTensors(device, problem).read(problem.result()), after = tensors.read(problem.result());
        EXPECT_NE(after, before);
        EXPECT_NE(after, std::vector<float>(after.size()));
    }
};

TEST_F(GroupedConvValidate, FindsRightResultsOfAllDirectionsAndDimensionsRight) {
    add({"forward", "forward_1d", "forward_3d", "data", "data_1d", "data_3d", "weight", "weight_1d", "weight_3d"});
    for (const char* direction : {"forward", "backward_data", "backward_weight"})
        for (int dims = 1; dims <= 3; ++dims) expect_right(fp32(direction, dims).build());
}

TEST_F(GroupedConvValidate, FindsRightResultsOfChannelsFirstRight) {
    add({"first", "first_1d", "first_3d"});
    for (int dims = 1; dims <= 3; ++dims) expect_right(first(dims).build());
    expect_right(first().filter({1, 1}).dilation({1, 1}).stride({3, 2}).pad({0, 0}).build());
    expect_right(first().sizes(1, 6, 1, 1).stride({1, 1}).build());
}

// The same numbers in both orders give the same numbers in both orders.
TEST_F(GroupedConvValidate, OfChannelsFirstIsOfTheSameConvolution) {
    add({"forward", "first"});
    const auto last = fp32().build(), other = first().build();
    ConvTensors of_last(device, last), of_other(device, other);
    const auto moved = [](const std::vector<float>& from, std::int64_t outer, std::int64_t inner,
                          std::int64_t channels) {
        std::vector<float> to(from.size());
        for (std::int64_t o = 0; o < outer; ++o)
            for (std::int64_t i = 0; i < inner; ++i)
                for (std::int64_t c = 0; c < channels; ++c)
                    to[std::size_t((o * channels + c) * inner + i)] = from[std::size_t((o * inner + i) * channels + c)];
        return to;
    };
    of_other.write(0, moved(of_last.read(0), last.n, last.inputs(), last.g * last.c));
    of_other.write(1, moved(of_last.read(1), last.g * last.k, last.filters(), last.c));
    EXPECT_TRUE(validate(*dispatcher, last, of_last.addresses.data()).ok());
    EXPECT_TRUE(validate(*dispatcher, other, of_other.addresses.data()).ok());
    EXPECT_EQ(of_other.read(2), moved(of_last.read(2), last.n, last.outputs(), last.g * last.k));
}

TEST_F(GroupedConvValidate, FindsRightResultsOfUnusualShapesRight) {
    add({"forward", "data", "weight"});
    for (const char* direction : {"forward", "backward_data", "backward_weight"}) {
        expect_right(fp32(direction).filter({1, 1}).dilation({1, 1}).stride({3, 2}).pad({0, 0}).build());
        expect_right(fp32(direction).sizes(1, 6, 1, 1).stride({1, 1}).build());
        expect_right(fp32(direction).filter({3, 3}).stride({4, 6}).dilation({2, 2}).pads({2, 3}, {2, 4}).build());
        expect_right(fp32(direction).filter({7, 6}).stride({1, 1}).dilation({1, 1}).pad({0, 0}).build());
        expect_right(fp32(direction).filter({2, 2}).stride({1, 1}).dilation({1, 1}).pads({3, 0}, {0, 4}).build());
    }
}

// The only output is computed from a pad: what is computed is zero.
TEST_F(GroupedConvValidate, FindsNothingRightWhereThereIsNothing) {
    add({"forward", "data", "weight"});
    for (const char* direction : {"forward", "backward_data", "backward_weight"}) {
        const auto problem =
            fp32(direction).input({1, 1}).filter({1, 1}).stride({4, 4}).dilation({1, 1}).pads({1, 1}, {0, 0}).build();
        ConvTensors tensors(device, problem);
        EXPECT_TRUE(validate(*dispatcher, problem, tensors.addresses.data()).ok()) << direction;
        const auto after = tensors.read(problem.result());
        EXPECT_EQ(after, std::vector<float>(after.size())) << direction;
    }
}

TEST_F(GroupedConvValidate, AddsABiasAndAppliesTheOperation) {
    add({"bias", "first_relu"});
    expect_right(fp32().fused("MultiDAddRelu", 1).build());
    expect_right(first().fused("MultiDAddRelu", 1).build());
}

TEST_F(GroupedConvValidate, KnowsThatPartsAreRounded) {
    add({"weight_atomic", "weight_split"});
    expect_right(fp32("backward_weight").split_k(2).build());
    expect_right(fp32("backward_weight").split_k(3).deterministic(true).build());
}

TEST_F(GroupedConvValidate, FindsAWrongElementAndItsPlace) {
    add({"forward", "data", "weight", "forward_1d", "weight_3d"});
    const struct {
        const char* direction;
        int dims;
        std::vector<std::int64_t> worst;
    } expected[] = {{"forward", 2, {1, 2, 6, 1, kWrong - 1}},
                    {"backward_data", 2, {1, 6, 5, 1, 2}},
                    {"backward_weight", 2, {1, kWrong - 1, 2, 1, 2}},
                    {"forward", 1, {1, 2, 1, kWrong - 1}},
                    {"backward_weight", 3, {1, kWrong - 1, 2, 1, 1, 2}}};
    for (const auto& [direction, dims, worst] : expected) {
        const auto problem = fp32(direction, dims).sizes(2, 2, 3, kWrong).build();
        ConvTensors tensors(device, problem);
        const Validation result = validate(*dispatcher, problem, tensors.addresses.data());
        EXPECT_FALSE(result.ok()) << direction;
        EXPECT_EQ(result.wrong, 1) << direction;
        EXPECT_EQ(result.worst, worst) << direction;
        EXPECT_EQ(result.max_abs, 1) << direction;
        EXPECT_GT(result.max_over, 1) << direction;
        EXPECT_EQ(result.actual, result.expected + 1) << direction;
        EXPECT_EQ(result.actual, tensors.read(problem.result()).back()) << direction;
    }
}

TEST_F(GroupedConvValidate, FindsTheWrongElementOfChannelsFirstInTheOrderOfTheLayout) {
    add({"first", "first_3d"});
    const std::vector<std::int64_t> expected[] = {{1, 1, kWrong - 1, 2, 6}, {1, 1, kWrong - 1, 2, 6, 2}};
    for (const int dims : {2, 3}) {
        const auto problem = first(dims).sizes(2, 2, 3, kWrong).build();
        ConvTensors tensors(device, problem);
        const Validation result = validate(*dispatcher, problem, tensors.addresses.data());
        EXPECT_EQ(result.wrong, 1) << dims;
        EXPECT_EQ(result.worst, expected[dims - 2]) << dims;
        EXPECT_EQ(result.actual, tensors.read(2).back()) << dims;
    }
}

TEST_F(GroupedConvValidate, ExpectsNoNumberWhereNoneGoesIn) {
    add({"forward"});
    const auto problem = fp32().build();
    ConvTensors tensors(device, problem);
    auto x = tensors.read(0);
    x[0] = std::numeric_limits<float>::quiet_NaN();
    tensors.write(0, x);
    EXPECT_TRUE(validate(*dispatcher, problem, tensors.addresses.data()).ok());
}

TEST_F(GroupedConvValidate, RefusesAnOperationThatItDoesNotKnowBeforeAnythingRuns) {
    add({"forward"});
    GroupedConvPlan plan = *dispatcher->select(fp32().build());
    plan.problem = fp32().fused("Swirl", 0).build();
    ConvTensors tensors(device, plan.problem);
    EXPECT_REFUSED(ErrorCode::unsupported,
                   "A result of Swirl was to be validated; the reference does not know that operation.",
                   validate(*dispatcher, plan, tensors.addresses.data()));
    EXPECT_EQ(take["conv_made_up"]().count, 0);
}

}  // namespace
}  // namespace ckdispatch

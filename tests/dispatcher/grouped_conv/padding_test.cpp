// SPDX-License-Identifier: MIT
// Channels that no kernel takes as they are: made-up kernels that want them by fours compute what those do that take
// any number.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/dispatcher/support/convolutions.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::ConvTensors;

class GroupedConvPadding : public test::MadeUpConvolutions {
protected:
    // With 3 channels in and 5 out, of which a kernel with vectors wants 4 and 8.
    void expect_the_same(const char* any, const char* vectors, const GroupedConvProblem& problem, std::int64_t k = 8) {
        add({vectors});
        ConvTensors padded(device, problem), plain(device, problem);
        const std::size_t result = problem.result();
        std::vector<float> poison(std::size_t(problem.elements(result)), -77.0f);
        padded.write(result, poison);
        const auto plan = dispatcher->run_padded(problem, padded.addresses.data());
        EXPECT_EQ(plan->name(), "conv_made_up_" + std::string(vectors));
        EXPECT_EQ(plan->stages[0].problem.c, 4);
        EXPECT_EQ(plan->stages[0].problem.k, k);
        EXPECT_EQ(plan->padded, plan->stages[0].problem.text());
        EXPECT_EQ(take[plan->name()]().count, 1);
        add({any});
        dispatcher->run(problem, plain.addresses.data());
        device->synchronize();
        for (std::size_t i = 0; i < GroupedConvFamily::tensor_count(problem); ++i)
            EXPECT_EQ(padded.read(i), plain.read(i)) << "tensor " << i;
    }
};

TEST_F(GroupedConvPadding, OfTheForwardDirection) { expect_the_same("forward", "vectors", fp32().build()); }

TEST_F(GroupedConvPadding, OfTheForwardDirectionWithABias) {
    expect_the_same("bias", "bias_vectors", fp32().fused("MultiDAddRelu", 1).build());
}

TEST_F(GroupedConvPadding, WithChannelsFirst) { expect_the_same("first", "first_vectors", first().build(), 5); }

TEST_F(GroupedConvPadding, OfTheGradientOfX) { expect_the_same("data", "data_vectors", fp32("backward_data").build()); }

TEST_F(GroupedConvPadding, OfTheGradientOfW) {
    expect_the_same("weight", "weight_vectors", fp32("backward_weight").build());
}

TEST_F(GroupedConvPadding, IsNotDoneWhereAKernelTakesTheChannels) {
    add({"forward", "vectors"});
    const auto problem = fp32().build();
    ConvTensors tensors(device, problem);
    const auto plan = dispatcher->run_padded(problem, tensors.addresses.data());
    EXPECT_EQ(plan->name(), "conv_made_up");
    EXPECT_EQ(plan->stages[0].problem.c, 3);
    EXPECT_EQ(plan->padded, "");
    EXPECT_EQ(take["conv_made_up"]().problem.x, tensors.addresses[0]);
}

TEST_F(GroupedConvPadding, GivesAlignedCopiesToAKernelThatWantsThem) {
    add({"vectors"});
    const auto problem = fp32().sizes(2, 2, 4, 4).build();
    ConvTensors tensors(device, problem);
    const DeviceBuffer larger(device, tensors.buffers[0].size() + 16);
    tensors.addresses[0] = static_cast<char*>(larger.address()) + 4;
    EXPECT_EQ(dispatcher->run_padded(problem, tensors.addresses.data())->stages[0].problem.c, 4);
    EXPECT_NE(take["conv_made_up_vectors"]().problem.x, tensors.addresses[0]);
}

TEST_F(GroupedConvPadding, DoesNotHelpWithAnythingElse) {
    add({"vectors"});
    const auto problem = fp32("backward_data").build();
    ConvTensors tensors(device, problem);
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, "conv_made_up_vectors computes forward, not backward_data.",
                          dispatcher->run_padded(problem, tensors.addresses.data()));
    EXPECT_EQ(take["conv_made_up_vectors"]().count, 0);
}

}  // namespace
}  // namespace ckdispatch

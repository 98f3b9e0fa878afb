// SPDX-License-Identifier: MIT
// Convolutions from end to end with made-up kernels: what a launch is given, and what it leaves.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/dispatcher/support/convolutions.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::ConvTensors;

class GroupedConvRun : public test::MadeUpConvolutions {};

// A filter of 1, 10, 100 and 1000 over 1 to 9: the digits are those of the image.
TEST_F(GroupedConvRun, GivesTheResultThatAPersonGets) {
    add({"forward", "data", "weight"});
    const auto problem = [](const char* direction) {
        return GroupedConvProblemBuilder()
            .direction(direction)
            .sizes(1, 1, 1, 1)
            .input({3, 3})
            .filter({2, 2})
            .stride({1, 1})
            .dtype("fp32")
            .build();
    };
    ConvTensors tensors(device, problem("forward"));
    tensors.write(0, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    tensors.write(1, {1, 10, 100, 1000});
    EXPECT_EQ(dispatcher->run(problem("forward"), tensors.addresses.data())->name(), "conv_made_up");
    device->synchronize();
    // Not flipped: the first of the filter goes with the upper left.
    EXPECT_EQ(tensors.read(2), (std::vector<float>{5421, 6532, 8754, 9865}));

    tensors.write(2, {1, 0, 0, 1});
    dispatcher->run(problem("backward_data"), tensors.addresses.data());
    device->synchronize();
    EXPECT_EQ(tensors.read(0), (std::vector<float>{1, 10, 0, 100, 1001, 10, 0, 100, 1000}));

    tensors.write(0, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    dispatcher->run(problem("backward_weight"), tensors.addresses.data());
    device->synchronize();
    EXPECT_EQ(tensors.read(1), (std::vector<float>{1 + 5, 2 + 6, 4 + 8, 5 + 9}));
}

TEST_F(GroupedConvRun, LaunchesOnceWithTheProblemAndItsTensors) {
    add({"bias"});
    const auto problem = fp32().fused("MultiDAddRelu", 1).build();
    ConvTensors tensors(device, problem);
    const auto plan = dispatcher->run(problem, tensors.addresses.data());
    EXPECT_EQ(plan->launches(), 1);
    const auto launched = take["conv_made_up_bias"]();
    EXPECT_EQ(launched.count, 1);
    EXPECT_EQ(launched.problem.x, tensors.addresses[0]);
    EXPECT_EQ(launched.problem.w, tensors.addresses[1]);
    EXPECT_EQ(launched.problem.y, tensors.addresses[2]);
    EXPECT_EQ(launched.problem.d[0], tensors.addresses[3]);
    EXPECT_EQ(launched.problem.axis[1].right_pad, 3);
    EXPECT_EQ(launched.problem.k_batch, 1);
    EXPECT_STREQ(launched.options.gpu, "gfx942");
    EXPECT_EQ(launched.options.timed, 0);
}

TEST_F(GroupedConvRun, GetsAWorkspaceForItsParts) {
    add({"weight_split"});
    const auto problem = fp32("backward_weight").split_k(2).build();
    ConvTensors tensors(device, problem);
    dispatcher->run(problem, tensors.addresses.data());
    const auto launched = take["conv_made_up_weight_split"]();
    EXPECT_EQ(launched.problem.k_batch, 2);
    ASSERT_NE(launched.options.workspace, nullptr);
    EXPECT_GE(launched.options.workspace_size, std::uint64_t(2 * problem.elements(1)) * sizeof(float));
}

TEST_F(GroupedConvRun, LooksAtTheAlignmentOfTheAddresses) {
    add({"forward", "vectors"});
    const auto problem = fp32().sizes(2, 2, 4, 4).build();
    ConvTensors tensors(device, problem), apart(device, problem);
    EXPECT_EQ(dispatcher->run(problem, tensors.addresses.data())->name(), "conv_made_up_vectors");
    // Four bytes in, and so one element less, of which there are plenty behind.
    const DeviceBuffer larger(device, apart.buffers[0].size() + 16);
    apart.addresses[0] = static_cast<char*>(larger.address()) + 4;
    EXPECT_EQ(dispatcher->run(problem, apart.addresses.data())->name(), "conv_made_up");
    apart.addresses[0] = nullptr;
    EXPECT_REFUSED(ErrorCode::invalid_argument, "A grouped convolution was to be run with no address for x.",
                   dispatcher->run(problem, apart.addresses.data()));
}

TEST_F(GroupedConvRun, LaunchesNothingOfWhatIsRefused) {
    add({"forward", "pointwise"});
    const auto problem = fp32().build();
    ConvTensors tensors(device, problem);
    const auto refused = [&](ErrorCode code, const auto& run) {
        try {
            run();
            ADD_FAILURE() << "it was not refused";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), code) << error.what();
        }
        EXPECT_EQ(take["conv_made_up"]().count, 0);
        EXPECT_EQ(take["conv_made_up_pointwise"]().count, 0);
    };
    refused(ErrorCode::no_kernel, [&] { dispatcher->run(fp32().dtype("fp16").build(), tensors.addresses.data()); });
    refused(ErrorCode::no_kernel, [&] { dispatcher->run(fp32("backward_data").build(), tensors.addresses.data()); });
    refused(ErrorCode::no_kernel, [&] { dispatcher->run(fp32().layout("ngchw").build(), tensors.addresses.data()); });
    refused(ErrorCode::unsupported, [&] {
        dispatcher->run_explicit(std::string("conv_made_up_pointwise"), problem, tensors.addresses.data());
    });
    tensors.addresses[2] = nullptr;
    refused(ErrorCode::invalid_argument, [&] { dispatcher->run(problem, tensors.addresses.data()); });
}

TEST_F(GroupedConvRun, IsTimedOnCopiesOfItsTensors) {
    add({"forward"});
    const auto problem = fp32().build();
    ConvTensors tensors(device, problem);
    BenchmarkOptions options;
    options.warmup = 1, options.repeat = 3, options.rotating_buffers = 2;
    const auto result = dispatcher->benchmark(*dispatcher->select(problem), tensors.addresses.data(), options);
    EXPECT_EQ(result.milliseconds.size(), 3u);
    const auto launched = take["conv_made_up"]();
    EXPECT_EQ(launched.count, 4);
    EXPECT_EQ(launched.problem.x, tensors.addresses[0]);
}

TEST_F(GroupedConvRun, IsOfTheKernelThatWasAskedFor) {
    add({"forward", "pointwise"});
    const auto problem = fp32().filter({1, 1}).stride({1, 1}).pad({0, 0}).build();
    ConvTensors tensors(device, problem);
    EXPECT_EQ(dispatcher->run(problem, tensors.addresses.data())->name(), "conv_made_up_pointwise");
    EXPECT_EQ(dispatcher->run_explicit(std::string("conv_made_up"), problem, tensors.addresses.data())->name(),
              "conv_made_up");
    EXPECT_EQ(
        dispatcher->run_explicit(registry->find_name("conv_made_up")->key(), problem, tensors.addresses.data())->name(),
        "conv_made_up");
}

}  // namespace
}  // namespace ckdispatch

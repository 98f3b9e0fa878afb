// SPDX-License-Identifier: MIT
// A kernel of each variant, run on a device and compared with the CPU's reference.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/dispatcher/support/on_device.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::GuardedTensor;
using test::Halves;

constexpr auto kRepeated = GemmProblemBuilder::kRepeated;

class RunVariants : public testing::Test {
protected:
    void SetUp() override {
        const char* wanted = std::getenv("CKDISPATCH_DEVICE");
        device = Device::open(wanted ? wanted : "sim:gfx942");
        if (device->gpu() != Name("gfx942"))
            GTEST_SKIP() << "The kernels of this test are for gfx942, and the device is a " << device->gpu().text()
                         << ".";
        registry->load_manifest(test::built_manifest("test_gemm_dispatch"));
    }

    static GemmProblemBuilder fp16(std::int64_t m, std::int64_t n, std::int64_t k) {
        return GemmProblemBuilder().sizes(m, n, k).dtype("fp16");
    }

    /// Kernels of that variant alone.
    void keep(const char* variant, const char* split_k = "") {
        FilterWords words{{"variant", variant}};
        if (*split_k) words["split_k"] = split_k;
        registry = registry->filtered(words);
    }

    static bool is_output(const GemmProblem& problem, std::size_t tensor) {
        return problem.groups.empty() ? tensor == 2 : tensor % 3 == 2;
    }

    /// Runs with small whole numbers in every input, and validates. Returns what every tensor holds afterwards.
    std::vector<Halves> expect_right(const GemmProblem& problem, const char* kernel, std::int64_t launches = 1) {
        GemmDispatcher dispatcher(registry, device);
        std::vector<std::unique_ptr<GuardedTensor>> tensors;
        std::vector<void*> addresses;
        std::vector<Halves> before, after;
        for (std::size_t i = 0; i < GemmFamily::tensor_count(problem); ++i) {
            const std::size_t count = GemmFamily::tensor_bytes(problem, i) / 2;
            before.push_back(is_output(problem, i) ? Halves(count, test::kUntouched)
                                                   : test::small_numbers(count, unsigned(i) + 1));
            tensors.push_back(std::make_unique<GuardedTensor>(device, before.back()));
            addresses.push_back(tensors.back()->address());
        }
        const auto plan = dispatcher.select(problem);
        EXPECT_NE(plan->name().find(kernel), std::string::npos) << problem.text() << " with " << plan->name();
        EXPECT_EQ(plan->launches(), launches) << problem.text();
        const Validation checked = validate(dispatcher, problem, addresses.data());
        EXPECT_TRUE(checked.ok()) << problem.text() << ": " << checked.wrong << " of " << checked.checked
                                  << " are wrong, such as " << checked.actual << " for " << checked.expected;
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            after.push_back(tensors[i]->read());
            if (!is_output(problem, i)) {
                EXPECT_EQ(after[i], before[i]) << problem.text() << ", tensor " << i;
            }
        }
        return after;
    }

    std::shared_ptr<Device> device;
    std::shared_ptr<GemmRegistry> registry = std::make_shared<GemmRegistry>("mine");
};

TEST_F(RunVariants, AddABiasAndApplyAnActivation) {
    const auto c = expect_right(fp16(70, 72, 104).fused("MultiDAddRelu", 1).d_leading_dimensions({kRepeated}).build(),
                                "MultiDAddRelu_d1")[2];
    for (const std::uint16_t half : c) EXPECT_EQ(half & 0x8000, 0) << "ReLU leaves nothing negative.";
}

TEST_F(RunVariants, AddTwoTensors) {
    expect_right(fp16(70, 72, 104).fused("MultiDAdd", 2).build(), "MultiDAdd_d2");
    expect_right(fp16(70, 72, 104).fused("MultiDAdd", 2).d_leading_dimensions({80, kRepeated}).build(), "MultiDAdd_d2");
}

// A residual: each lane reads D where it then writes C.
TEST_F(RunVariants, AddATensorInItsOwnPlace) {
    GemmDispatcher dispatcher(registry, device);
    for (const std::int64_t stride : {0, 80}) {
        const auto problem = fp16(200, 72, 104)
                                 .leading_dimensions(0, 0, stride)
                                 .fused("MultiDAddRelu", 1)
                                 .d_leading_dimensions({stride ? stride : 72})
                                 .build();
        const auto run = [&](bool in_place) {
            const Halves a = test::small_numbers(200 * 104, 1), b = test::small_numbers(72 * 104, 2),
                         d = test::small_numbers(GemmFamily::tensor_bytes(problem, 3) / 2, 3);
            const GuardedTensor a_tensor(device, a), b_tensor(device, b), d_tensor(device, d), c_tensor(device, d);
            void* const tensors[] = {a_tensor.address(), b_tensor.address(), c_tensor.address(),
                                     in_place ? c_tensor.address() : d_tensor.address()};
            const Validation result = validate(dispatcher, problem, tensors);
            EXPECT_TRUE(result.ok()) << in_place << " " << result.wrong;
            return c_tensor.read();
        };
        EXPECT_EQ(run(true), run(false)) << stride;
    }
}

TEST_F(RunVariants, RefuseATensorThatIsNotQuiteInItsOwnPlace) {
    GemmDispatcher dispatcher(registry, device);
    const GuardedTensor a(device, Halves(70 * 104)), b(device, Halves(72 * 104)), c(device, Halves(80 * 80));
    const std::string refusal =
        "A GEMM was to be run with C in the memory of D0; what is written must not overlap another tensor";
    const auto refused = [&](const GemmProblem& problem, std::size_t offset) {
        void* const tensors[] = {a.address(), b.address(), c.address(), static_cast<char*>(c.address()) + offset};
        EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument, refusal, dispatcher.run(problem, tensors));
    };
    refused(fp16(70, 72, 104).fused("MultiDAddRelu", 1).build(), 16);
    refused(fp16(70, 72, 104).fused("MultiDAddRelu", 1).d_leading_dimensions({80}).build(), 0);
    refused(fp16(70, 72, 104).fused("MultiDAddRelu", 1).d_leading_dimensions({kRepeated}).build(), 0);
    refused(fp16(72, 72, 104).fused("MultiDAdd", 1).d_tensors("", "c").build(), 0);
}

TEST_F(RunVariants, AddATensorOfColumns) {
    expect_right(fp16(72, 72, 104).fused("MultiDAdd", 1).d_tensors("", "c").build(), "rcrc");
    expect_right(fp16(70, 72, 104).fused("MultiDAdd", 1).d_tensors("", "c").d_leading_dimensions({kRepeated}).build(),
                 "rcrc");
}

TEST_F(RunVariants, TransposeDTensorsWithAnOutputOfColumns) {
    expect_right(fp16(72, 64, 104).layout("rcc").fused("MultiDAddRelu", 1).d_tensors("", "c").build(), "rcrr");
}

TEST_F(RunVariants, ApplyAnActivationAlone) { expect_right(fp16(70, 72, 104).fused("Gelu", 0).build(), "Gelu_d0"); }

TEST_F(RunVariants, GiveEachMatrixOfABatchItsOwnTensors) {
    expect_right(fp16(70, 72, 40).batch(3).fused("MultiDAddRelu", 1).build(), "MultiDAddRelu_d1", 3);
    expect_right(fp16(70, 72, 40).batch(3).fused("MultiDAddRelu", 1).d_batch_strides({0}).build(), "MultiDAddRelu_d1",
                 3);
}

TEST_F(RunVariants, ComputeABatchAtOnce) {
    expect_right(fp16(70, 72, 40).batch(3).build(), "_batched");
    expect_right(fp16(70, 72, 40).batch(3, 4000, 0, 6000).build(), "_batched");
    expect_right(fp16(72, 64, 40).layout("rcc").batch(2, 0).build(), "_batched");
}

TEST_F(RunVariants, ComputeGroupsAtOnceOrOneByOne) {
    const auto problem =
        GemmProblemBuilder().dtype("fp16").group(70, 72, 104).group(8, 16, 32).group(64, 64, 40, 48, 56, 80).build();
    const auto at_once = expect_right(problem, "_grouped");
    keep("batched");
    EXPECT_EQ(expect_right(problem, "_batched", 3), at_once);
}

TEST_F(RunVariants, ReadPreshuffledWeights) {
    expect_right(fp16(70, 128, 256).preshuffled(16, 8).build(), "_preshuffle");
}

TEST_F(RunVariants, AddPartsInAWorkspaceTheSameEveryTime) {
    keep("standard", "workspace");
    for (const std::int64_t parts : {2, 4}) {
        const auto problem = fp16(70, 72, 512).split_k(parts).deterministic(true).build();
        EXPECT_EQ(expect_right(problem, "_splitkws"), expect_right(problem, "_splitkws"));
    }
}

TEST_F(RunVariants, ShareTheTilesByStreamK) {
    const auto all = registry;
    for (const char* split_k : {"atomic", "workspace"}) {
        registry = all;
        keep("stream_k", split_k);
        expect_right(fp16(70, 72, 512).build(), "_streamk");
        expect_right(fp16(200, 200, 96).leading_dimensions(0, 0, 208).build(), "_streamk");
    }
}

TEST_F(RunVariants, RefuseToValidateWhatTheReferenceDoesNotKnow) {
    GemmDispatcher dispatcher(registry, device);
    GemmPlan plan = *dispatcher.select(fp16(8, 8, 8).build());
    plan.problem = fp16(8, 8, 8).fused("Swish", 0).build();
    void* const tensors[] = {this, this, this};
    EXPECT_REFUSED(ErrorCode::unsupported,
                   "A result of Swish was to be validated; the reference does not know that operation.",
                   validate(dispatcher, plan, tensors));
}

}  // namespace
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// Plans of several stages, with memory of their own between them, and tensors that may be left out.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/dispatcher/made_up/launches.h"
#include "tests/dispatcher/support/on_device.hpp"
#include "tests/dispatcher/support/refusal.hpp"
#include "tests/dispatcher/support/symbols.hpp"

namespace ckdispatch {
namespace {

// The sizes that the library answers to.
constexpr std::int64_t kFine = 16, kUnsupported = 2;

/// A product that no kernel computes is two: of A and B into a temporary, which is cleared before, and of that and B
/// into C. The last D tensor is optional.
struct TwoProducts : GemmFamily {
    static Division<GemmProblem> divide(const GemmProblem& problem) {
        if (problem.n != kUnsupported) return {};
        const GemmProblem first = GemmProblemBuilder().sizes(problem.m, kFine, problem.k).dtype("fp16").build();
        const GemmProblem second = GemmProblemBuilder().sizes(problem.m, kFine, kFine).dtype("fp16").build();
        const std::uint64_t bytes = std::uint64_t(problem.m * kFine * 2);
        Argument half = Argument::temporary(0);
        half.offset = bytes / 2;
        Division<GemmProblem> division;
        division.temporaries.push_back({bytes});
        division.pieces.push_back({first,
                                   {Argument::tensor(0), Argument::tensor(1), Argument::temporary(0)},
                                   {clearing(half, bytes / 2)},
                                   {}});
        division.pieces.push_back({second, {Argument::temporary(0), Argument::tensor(1), Argument::tensor(2)}, {}, {}});
        return division;
    }
    static std::vector<Division<GemmProblem>> alternatives(const GemmProblem& problem, const arch::GpuSpec& gpu) {
        return FamilyDefaults<TwoProducts, GemmProblem>::alternatives(problem, gpu);
    }
    static bool optional(const GemmProblem& problem, std::size_t tensor) {
        return problem.d_count && tensor == tensor_count(problem) - 1;
    }
    static bool reads_where_it_writes(const Stage<TwoProducts>&, std::size_t) { return false; }
    static GemmProblem aligned(const GemmProblem& problem, Tensors tensors) {
        return FamilyDefaults<TwoProducts, GemmProblem>::aligned(problem, tensors);
    }
};

class Stages : public testing::Test {
protected:
    void SetUp() override {
        device = Device::open("sim:gfx942");
        dispatcher = std::make_unique<Dispatcher<TwoProducts>>(registry, device);
    }

    void add(const char* kind) {
        const auto kernel = registry->add_library({test::built_file("made_up_gemm_" + std::string(kind) + ".so"), ""});
        take = test::symbol_of<made_up_launches (*)()>(kernel->library(), "made_up_take_launches");
        (void)take();
    }

    static GemmProblemBuilder fp16(std::int64_t m, std::int64_t n) {
        return GemmProblemBuilder().sizes(m, n, 64).dtype("fp16");
    }
    /// At which nothing looks.
    static char* address(std::size_t tensor) { return reinterpret_cast<char*>((tensor + 1) << 30); }

    std::shared_ptr<GemmRegistry> registry = std::make_shared<GemmRegistry>("mine");
    std::shared_ptr<Device> device;
    std::unique_ptr<Dispatcher<TwoProducts>> dispatcher;
    made_up_launches (*take)() = nullptr;
    void* tensors[5] = {address(0), address(1), address(2), address(3), address(4)};
};

TEST_F(Stages, HaveMemoryBetweenThem) {
    add("plain");
    const auto plan = dispatcher->select(fp16(100, kUnsupported).build());
    ASSERT_EQ(plan->stages.size(), 2u);
    // The temporary, and a workspace of 100 bytes for each of the launches, which share theirs.
    ASSERT_EQ(plan->temporaries.size(), 3u);
    EXPECT_EQ(plan->workspace_bytes, 3328u + 100);
    EXPECT_EQ(plan->temporaries[1].offset, plan->temporaries[2].offset);
    EXPECT_FALSE(plan->stages[0].in_order_from);

    const DeviceBuffer workspace(device, plan->workspace_bytes);
    device->fill(workspace.address(), 0x77, workspace.size());
    RunOptions options;
    options.workspace = workspace.address(), options.workspace_size = workspace.size();
    dispatcher->run_plan(*plan, tensors, options);
    const auto launched = take();
    char* const base = static_cast<char*>(workspace.address());
    EXPECT_EQ(launched.count, 2);
    EXPECT_EQ(launched.problem.a, base + plan->temporaries[0].offset);
    EXPECT_EQ(launched.problem.b, address(1));
    EXPECT_EQ(launched.problem.c, address(2));
    EXPECT_EQ(launched.options.workspace, base + plan->temporaries[2].offset);
    EXPECT_EQ(launched.options.workspace_size, 100u);
    // Half of the temporary was cleared, and nothing else.
    std::vector<char> left(workspace.size()), expected(workspace.size(), 0x77);
    device->copy_to_host(left.data(), workspace.address(), left.size());
    std::fill_n(expected.begin() + std::ptrdiff_t(plan->temporaries[0].offset) + 1600, 1600, 0);
    EXPECT_EQ(left, expected);
}

TEST_F(Stages, TakeTheDispatchersMemoryWhereNoneIsGiven) {
    add("plain");
    dispatcher->run(fp16(100, kUnsupported).build(), tensors);
    EXPECT_EQ(take().count, 2);
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, "needs a workspace of 3428 bytes, and the limit is 3427.",
                          dispatcher->select(fp16(100, kUnsupported).workspace_limit(3427).build()));
}

TEST_F(Stages, AreCheckedForOverlapsOfTheCallersTensors) {
    add("plain");
    tensors[2] = tensors[1];
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument, "C in the memory of B",
                          dispatcher->run(fp16(100, kUnsupported).build(), tensors));
    EXPECT_EQ(take().count, 0);
}

TEST_F(Stages, AreGivenNothingForATensorThatIsLeftOut) {
    add("multi_d");
    tensors[4] = nullptr;
    const auto problem = fp16(100, kFine).fused("MultiDAdd", 2).build();
    dispatcher->run(problem, tensors);
    const auto launched = take();
    EXPECT_EQ(launched.problem.d[0], address(3));
    EXPECT_EQ(launched.problem.d[1], nullptr);
    tensors[3] = nullptr;
    EXPECT_REFUSED(ErrorCode::invalid_argument, "A GEMM was to be run with no address for D0.",
                   dispatcher->run(problem, tensors));
}

TEST_F(Stages, ArePhasesOfAKernelThatHasSeveral) {
    add("split");
    const auto plan = dispatcher->select(fp16(100, kFine).split_k(2).build());
    ASSERT_EQ(plan->stages.size(), 2u);
    EXPECT_EQ(plan->stages[0].phases, CK_PHASE_COMPUTE);
    EXPECT_EQ(plan->stages[1].phases, CK_PHASE_COMBINE);
    // What the first leaves there the second reads.
    ASSERT_EQ(plan->temporaries.size(), 1u);
    EXPECT_EQ(plan->temporaries[0].first, 0u);
    EXPECT_EQ(plan->temporaries[0].last, 1u);
    EXPECT_EQ(plan->workspace_bytes, 100u);
    EXPECT_EQ(plan->launches(), 1);
    dispatcher->run_plan(*plan, tensors);
    const auto launched = take();
    EXPECT_EQ(launched.count, 2);
    EXPECT_EQ(launched.options.phases, std::uint32_t(CK_PHASE_COMBINE));
    EXPECT_EQ(launched.options.workspace_size, 100u);
}

TEST_F(Stages, AreNoPhasesWhereTheMatricesOfABatchTakeTurnsInOneWorkspace) {
    add("split");
    const auto plan = dispatcher->select(fp16(100, kFine).split_k(2).batch(3).build());
    ASSERT_EQ(plan->stages.size(), 1u);
    EXPECT_EQ(plan->stages[0].phases, 0u);
    dispatcher->run_plan(*plan, tensors);
    EXPECT_EQ(take().count, 3);
}

}  // namespace
}  // namespace ckdispatch

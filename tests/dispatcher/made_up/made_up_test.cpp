// SPDX-License-Identifier: MIT
// What the runtime makes of a library's answers that no kernel of today gives: every status, and workspaces.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/dispatcher/made_up/launches.h"
#include "tests/dispatcher/support/on_device.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

// The sizes that the library answers to.
enum : std::int64_t { fine = 1, unsupported, invalid, wrong_gpu, device_failed, unknown, talkative, no_workspace, second_launch_fails };

class MadeUp : public testing::Test {
protected:
    void SetUp() override {
        const std::string path = test::built_library("made_up_gemm_plain");
        registry->add_library({path, ""});
        void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
        ASSERT_NE(library, nullptr);
        take_launches = reinterpret_cast<decltype(take_launches)>(::dlsym(library, "made_up_take_launches"));
        ASSERT_NE(take_launches, nullptr);
        (void)take_launches();
    }

    static GemmProblemBuilder problem(std::int64_t answer, std::int64_t workspace = 1) { return GemmProblemBuilder().sizes(workspace, answer, 8).dtype("fp16"); }

    /// With the memory of the caller, at which nothing looks.
    GemmDispatcher::PlanPtr run(GemmDispatcher& dispatcher, const GemmProblem& wanted, const RunOptions& options = {}) {
        void* const tensors[] = {memory, memory, memory};
        return dispatcher.run(wanted, tensors, options);
    }

    std::shared_ptr<GemmRegistry> registry = std::make_shared<GemmRegistry>("mine");
    GemmSelector selector{registry, "gfx942"};
    made_up_launches (*take_launches)() = nullptr;
    alignas(16) char memory[16]         = {};
};

TEST_F(MadeUp, LibraryHoldsCodeForBothOfItsGpus) {
    const auto kernel = registry->find_name("gemm_made_up");
    ASSERT_NE(kernel, nullptr);
    ASSERT_NE(kernel->resources_on("gfx942"), nullptr);
    ASSERT_NE(kernel->resources_on("gfx1100"), nullptr);
    EXPECT_EQ(kernel->resources_on("gfx942")->wave_size, 64);
    EXPECT_EQ(kernel->resources_on("gfx1100")->wave_size, 32);
    EXPECT_EQ(kernel->resources_on("gfx950"), nullptr);
    EXPECT_EQ(GemmSelector(registry, "gfx1100").rank(problem(fine).build()).fit.size(), 1u);
    EXPECT_EQ(GemmSelector(registry, "gfx950").rank(problem(fine).build()).fit.size(), 0u);
    EXPECT_EQ(registry->filtered(GemmFilter{}, "gfx1100")->size(), 1u);
}

TEST_F(MadeUp, AnswersBecomeErrorsWithItsSentences) {
    const struct {
        std::int64_t answer;
        ErrorCode code;
        const char* sentence;
    } expected[] = {{unsupported, ErrorCode::unsupported, "gemm_made_up does not want to."},
                    {invalid, ErrorCode::invalid_argument, "gemm_made_up finds that absurd."},
                    {wrong_gpu, ErrorCode::wrong_gpu, "gemm_made_up wants another GPU."},
                    {device_failed, ErrorCode::device_failed, "gemm_made_up lost its device."},
                    {unknown, ErrorCode::internal, "gemm_made_up says what nobody knows."},
                    {no_workspace, ErrorCode::unsupported, "gemm_made_up cannot say how much it needs."}};
    for (const auto& one : expected) {
        EXPECT_REFUSED(one.code, one.sentence, selector.select_explicit("gemm_made_up", problem(one.answer).build()));
        const auto ranking = selector.rank(problem(one.answer).build());
        ASSERT_EQ(ranking.refused.size(), 1u);
        EXPECT_EQ(ranking.refused[0].code, one.code);
        EXPECT_EQ(ranking.refused[0].reason, one.sentence);
        EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, std::string("(1 refuse). The nearest: ") + one.sentence, selector.select(problem(one.answer).build()));
    }
}

TEST_F(MadeUp, AnswerThatIsTooLongIsCut) {
    const auto ranking = selector.rank(problem(talkative).build());
    ASSERT_EQ(ranking.refused.size(), 1u);
    EXPECT_EQ(ranking.refused[0].reason, std::string(511, 'x'));
}

TEST_F(MadeUp, WorkspaceIsInThePlan) {
    EXPECT_EQ(selector.select(problem(fine, 1000).build())->workspace_bytes, 1000u);
    EXPECT_EQ(selector.select(problem(fine, 1000).build())->stages[0].workspace_bytes, 1000u);
}

TEST_F(MadeUp, WorkspaceAboveTheLimitIsRefused) {
    EXPECT_EQ(selector.select(problem(fine, 1000).workspace_limit(1000).build())->workspace_bytes, 1000u);
    const std::string why = "gemm_made_up needs a workspace of 1000 bytes, and the limit is 999.";
    EXPECT_REFUSED(ErrorCode::unsupported, why, selector.select_explicit("gemm_made_up", problem(fine, 1000).workspace_limit(999).build()));
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, why, selector.select(problem(fine, 1000).workspace_limit(999).build()));
}

class MadeUpRun : public MadeUp {
protected:
    void SetUp() override {
        MadeUp::SetUp();
        device     = Device::open("sim:gfx942");
        dispatcher = std::make_unique<GemmDispatcher>(registry, device);
    }
    std::shared_ptr<Device> device;
    std::unique_ptr<GemmDispatcher> dispatcher;
};

TEST_F(MadeUpRun, GetsAWorkspaceOfItsOwn) {
    run(*dispatcher, problem(fine, 1000).build());
    const auto first = take_launches();
    EXPECT_EQ(first.count, 1);
    ASSERT_NE(first.options.workspace, nullptr);
    EXPECT_GE(first.options.workspace_size, 1000u);
    // It can be written to, and stays as long as it is large enough.
    device->fill(first.options.workspace, 1, 1000);
    run(*dispatcher, problem(fine, 500).build());
    EXPECT_EQ(take_launches().options.workspace, first.options.workspace);
    run(*dispatcher, problem(fine, 100000).build());
    const auto larger = take_launches();
    EXPECT_GE(larger.options.workspace_size, 100000u);
    device->fill(larger.options.workspace, 1, 100000);
}

TEST_F(MadeUpRun, GetsAWorkspaceForEachStream) {
    RunOptions one, other;
    one.stream = device->create_stream(), other.stream = device->create_stream();
    run(*dispatcher, problem(fine, 1000).build(), one);
    const auto first = take_launches();
    run(*dispatcher, problem(fine, 1000).build(), other);
    const auto second = take_launches();
    EXPECT_EQ(first.options.stream, one.stream);
    EXPECT_EQ(second.options.stream, other.stream);
    EXPECT_NE(first.options.workspace, second.options.workspace);
    device->destroy_stream(one.stream);
    device->destroy_stream(other.stream);
}

TEST_F(MadeUpRun, GetsTheWorkspaceOfTheCaller) {
    const DeviceBuffer workspace(device, 1000);
    RunOptions options;
    options.workspace = workspace.address(), options.workspace_size = 1000;
    run(*dispatcher, problem(fine, 1000).build(), options);
    const auto launched = take_launches();
    EXPECT_EQ(launched.options.workspace, workspace.address());
    EXPECT_EQ(launched.options.workspace_size, 1000u);
}

TEST_F(MadeUpRun, DoesNotHappenWithTooSmallAWorkspace) {
    const DeviceBuffer workspace(device, 1000);
    RunOptions options;
    options.workspace = workspace.address(), options.workspace_size = 999;
    EXPECT_REFUSED(ErrorCode::invalid_argument, "A workspace of 999 bytes was given, and the plan needs 1000.", run(*dispatcher, problem(fine, 1000).build(), options));
    EXPECT_EQ(take_launches().count, 0);
}

TEST_F(MadeUpRun, LaunchesOnceWithoutTiming) {
    run(*dispatcher, problem(fine).build());
    const auto launched = take_launches();
    EXPECT_EQ(launched.options.struct_size, sizeof(ck_launch_options));
    EXPECT_EQ(launched.options.repeat, 1);
    EXPECT_EQ(launched.options.warmup, 0);
    EXPECT_EQ(launched.options.timed, 0);
    EXPECT_STREQ(launched.options.gpu, "gfx942");
    EXPECT_EQ(launched.options.stream, nullptr);
    EXPECT_EQ(launched.problem.a, memory);
}

TEST_F(MadeUpRun, LaunchesOnceForEachMatrixOfABatch) {
    run(*dispatcher, problem(fine).batch(5, 8, 8, 8).build());
    const auto launched = take_launches();
    EXPECT_EQ(launched.count, 5);
    EXPECT_EQ(launched.problem.a, memory + 4 * 8 * 2);
}

TEST_F(MadeUpRun, EndsWithTheFirstLaunchThatFails) {
    EXPECT_REFUSED_SAYING(ErrorCode::device_failed, "gemm_made_up fell over.", run(*dispatcher, problem(second_launch_fails).batch(5, 16, 80, 16).build()));
    EXPECT_EQ(take_launches().count, 2);
}

TEST_F(MadeUpRun, IsTimedRunByRun) {
    BenchmarkOptions options;
    options.warmup = 2, options.repeat = 3;
    void* const tensors[] = {memory, memory, memory};
    EXPECT_EQ(dispatcher->benchmark(*dispatcher->select(problem(fine).build()), tensors, options).milliseconds.size(), 3u);
    EXPECT_EQ(take_launches().count, 5);
}

}  // namespace
}  // namespace ckdispatch

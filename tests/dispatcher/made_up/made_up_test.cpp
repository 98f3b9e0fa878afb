// SPDX-License-Identifier: MIT
// What the runtime makes of a library's answers that no kernel of today gives: every status, and workspaces.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>

#include "tests/dispatcher/made_up/launches.h"
#include "tests/dispatcher/support/on_device.hpp"
#include "tests/dispatcher/support/refusal.hpp"
#include "tests/dispatcher/support/symbols.hpp"

namespace ckdispatch {
namespace {

// The sizes that the library answers to.
enum : std::int64_t {
    fine = 1,
    unsupported,
    invalid,
    wrong_gpu,
    device_failed,
    unknown,
    talkative,
    no_workspace,
    second_launch_fails
};

class MadeUp : public testing::Test {
protected:
    void SetUp() override {
        const std::string path = test::built_library("made_up_gemm_plain");
        take_launches = test::symbol_of<decltype(take_launches)>(registry->add_library({path, ""})->library(),
                                                                 "made_up_take_launches");
        (void)take_launches();
    }

    static GemmProblemBuilder problem(std::int64_t answer, std::int64_t workspace = 1) {
        return GemmProblemBuilder().sizes(workspace, answer, 8).dtype("fp16");
    }

    /// With addresses at which nothing looks, a gigabyte from one to the next.
    static char* address(std::size_t tensor) { return reinterpret_cast<char*>((tensor + 1) << 30); }
    GemmDispatcher::PlanPtr run(GemmDispatcher& dispatcher, const GemmProblem& wanted, const RunOptions& options = {}) {
        return dispatcher.run(wanted, tensors, options);
    }

    std::shared_ptr<GemmRegistry> registry = std::make_shared<GemmRegistry>("mine");
    GemmSelector selector{registry, "gfx942"};
    made_up_launches (*take_launches)() = nullptr;
    void* const tensors[3] = {address(0), address(1), address(2)};
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
    EXPECT_EQ(registry->filtered({}, "gfx1100")->size(), 1u);
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
        EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, std::string("(1 refuse). The nearest: ") + one.sentence,
                              selector.select(problem(one.answer).build()));
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
    EXPECT_REFUSED(ErrorCode::unsupported, why,
                   selector.select_explicit("gemm_made_up", problem(fine, 1000).workspace_limit(999).build()));
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, why, selector.select(problem(fine, 1000).workspace_limit(999).build()));
}

class MadeUpRun : public MadeUp {
protected:
    void SetUp() override {
        MadeUp::SetUp();
        device = Device::open("sim:gfx942");
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
    EXPECT_REFUSED(ErrorCode::invalid_argument, "A workspace of 999 bytes was given, and the plan needs 1000.",
                   run(*dispatcher, problem(fine, 1000).build(), options));
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
    EXPECT_EQ(launched.problem.a, address(0));
}

TEST_F(MadeUpRun, LaunchesOnceForEachMatrixOfABatch) {
    run(*dispatcher, problem(fine).batch(5, 8, 8, 8).build());
    const auto launched = take_launches();
    EXPECT_EQ(launched.count, 5);
    EXPECT_EQ(launched.problem.a, address(0) + 4 * 8 * 2);
}

TEST_F(MadeUpRun, EndsWithTheFirstLaunchThatFails) {
    EXPECT_REFUSED_SAYING(ErrorCode::device_failed, "gemm_made_up fell over.",
                          run(*dispatcher, problem(second_launch_fails).batch(5, 16, 80, 16).build()));
    EXPECT_EQ(take_launches().count, 2);
}

TEST_F(MadeUpRun, IsTimedRunByRun) {
    BenchmarkOptions options;
    options.warmup = 2, options.repeat = 3;
    EXPECT_EQ(dispatcher->benchmark(*dispatcher->select(problem(fine).build()), tensors, options).milliseconds.size(),
              3u);
    EXPECT_EQ(take_launches().count, 5);
}

TEST_F(MadeUpRun, DoesNotHappenWithAnOutputOnAnInput) {
    const auto asked = problem(fine, 64).build();
    for (const std::size_t other : {0, 1}) {
        void* const shared[] = {address(0), address(1), address(other)};
        EXPECT_REFUSED(ErrorCode::invalid_argument,
                       std::string("A GEMM was to be run with C in the memory of ") + "AB"[other] +
                           "; what is written must not overlap another tensor.",
                       dispatcher->run(asked, shared));
        EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument, "must not overlap",
                              dispatcher->run_plan(*dispatcher->select(asked), shared));
    }
    // By a single element, and by none.
    void* const by_one[] = {address(0), address(1), address(0) + 2 * (64 * 8 - 1)};
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument, "C in the memory of A",
                          dispatcher->run_plan(*dispatcher->select(asked), by_one));
    void* const by_none[] = {address(0), address(1), address(0) + 2 * 64 * 8};
    EXPECT_EQ(take_launches().count, 0);
    dispatcher->run_plan(*dispatcher->select(asked), by_none);
    // What is only read may be shared.
    void* const same_inputs[] = {address(0), address(0), address(2)};
    dispatcher->run(asked, same_inputs);
    EXPECT_EQ(take_launches().count, 2);
}

TEST_F(MadeUpRun, DoesNotHappenWithAWorkspaceOnATensor) {
    const auto asked = problem(fine, 1000).build();
    RunOptions options;
    options.workspace_size = 2000;
    for (const std::size_t tensor : {0, 1, 2}) {
        options.workspace = address(tensor);
        EXPECT_REFUSED(
            ErrorCode::invalid_argument,
            std::string("A workspace was given that overlaps ") + "ABC"[tensor] + "; it must be memory of its own.",
            run(*dispatcher, asked, options));
    }
    // It reaches into A with more than the plan needs.
    options.workspace = address(0) - 1008;
    run(*dispatcher, asked, options);
    EXPECT_EQ(take_launches().count, 1);
}

TEST_F(MadeUpRun, KeepsFewWorkspacesHoweverManyStreamsThereAre) {
    std::set<void*> seen;
    for (int i = 0; i < 200; ++i) {
        RunOptions options;
        options.stream = device->create_stream();
        run(*dispatcher, problem(fine, 1000).build(), options);
        seen.insert(take_launches().options.workspace);
        // Every second one is left, so that not all have the same handle.
        if (i % 2) device->destroy_stream(options.stream);
    }
    EXPECT_LE(seen.size(), 32u);
}

// One handle that is another stream in each thread: hipStreamPerThread.
TEST_F(MadeUpRun, GetsAWorkspaceForEachThreadsOwnStream) {
    RunOptions options;
    options.stream = reinterpret_cast<void*>(std::uintptr_t(2));
    run(*dispatcher, problem(fine, 1000).build(), options);
    void* const mine = take_launches().options.workspace;
    void* others = nullptr;
    std::thread([&] {
        run(*dispatcher, problem(fine, 1000).build(), options);
        others = take_launches().options.workspace;
    }).join();
    EXPECT_NE(others, mine);
    run(*dispatcher, problem(fine, 1000).build(), options);
    EXPECT_EQ(take_launches().options.workspace, mine);
}

// The library launches nothing, so that C stays as it was.
class MadeUpResult : public MadeUpRun {
protected:
    using Halves = test::Halves;
    static constexpr std::uint16_t kOne = 0x3c00, k300 = 0x5cb0;

    Validation validated(const GemmProblem& asked, const Halves& a, const Halves& b, const Halves& c) {
        const test::GuardedTensor a_tensor(device, a), b_tensor(device, b), c_tensor(device, c);
        void* const all[] = {a_tensor.address(), b_tensor.address(), c_tensor.address()};
        return validate(*dispatcher, asked, all);
    }
};

TEST_F(MadeUpResult, ThatIsWrongIsFoundWrong) {
    const Validation result = validated(GemmProblemBuilder().sizes(64, 64, 64).dtype("fp16").build(),
                                        Halves(64 * 64, kOne), Halves(64 * 64, kOne), Halves(64 * 64, kOne));
    EXPECT_FALSE(result.ok());
    EXPECT_EQ(result.wrong, 64 * 64);
    EXPECT_EQ(result.actual, 1);
    EXPECT_EQ(result.expected, 64);
    EXPECT_EQ(result.max_abs, 63);
    EXPECT_GT(result.max_over, 1);
}

TEST_F(MadeUpResult, NamesItsWorstPlace) {
    Halves c(2 * 64 * 64, 0);
    c[64 * 64 + 5 * 64 + 7] = k300;
    const Validation result = validated(GemmProblemBuilder().sizes(64, 64, 64).batch(2).dtype("fp16").build(),
                                        Halves(2 * 64 * 64, 0), Halves(2 * 64 * 64, 0), c);
    EXPECT_EQ(result.wrong, 1);
    EXPECT_EQ(result.worst, (std::vector<std::int64_t>{1, 5, 7}));
    EXPECT_EQ(result.actual, 300);
    EXPECT_EQ(result.expected, 0);
}

}  // namespace
}  // namespace ckdispatch

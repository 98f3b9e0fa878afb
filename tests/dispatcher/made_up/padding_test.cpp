// SPDX-License-Identifier: MIT
// Products that no kernel takes as they are: what a made-up kernel, which computes nothing, is given in their place,
// byte by byte.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "tests/dispatcher/made_up/launches.h"
#include "tests/dispatcher/support/on_device.hpp"
#include "tests/dispatcher/support/refusal.hpp"
#include "tests/dispatcher/support/symbols.hpp"

namespace ckdispatch {
namespace {

using Bytes = std::vector<unsigned char>;

constexpr unsigned char kWorkspace = 0x77, kOutput = 0x11;

class GemmPadding : public testing::Test {
protected:
    void SetUp() override {
        device = Device::open("sim:gfx942");
        dispatcher = std::make_unique<GemmDispatcher>(registry, device);
    }

    void add(const char* kind) {
        const auto kernel = registry->add_library({test::built_file("made_up_gemm_" + std::string(kind) + ".so"), ""});
        take[kernel->name()] = test::symbol_of<made_up_launches (*)()>(kernel->library(), "made_up_take_launches");
        (void)take[kernel->name()]();
    }

    static GemmProblemBuilder product(std::int64_t m, std::int64_t n, std::int64_t k, const char* a = "fp16",
                                      const char* b = "fp16") {
        return GemmProblemBuilder().sizes(m, n, k).dtypes(a, b);
    }

    Bytes read(const void* address, std::size_t bytes) const {
        Bytes content(bytes);
        device->copy_to_host(content.data(), address, bytes);
        return content;
    }

    /// Runs with other bytes in each input, and C and the workspace each full of one.
    made_up_launches run(const GemmProblem& problem) {
        plan = dispatcher->selector().select_padded(problem);
        tensors.clear(), addresses.clear(), given.clear();
        for (std::size_t i = 0; i < GemmFamily::tensor_count(problem); ++i) {
            given.emplace_back(GemmFamily::tensor_bytes(problem, i));
            for (std::size_t j = 0; j < given[i].size(); ++j)
                given[i][j] = i == 2 ? kOutput : static_cast<unsigned char>(1 + (j * 7 + i * 50) % 250);
            tensors.emplace_back(device, given[i].size());
            device->copy_to_device(tensors[i].address(), given[i].data(), given[i].size());
            addresses.push_back(tensors[i].address());
        }
        workspace = DeviceBuffer(device, plan->workspace_bytes);
        device->fill(workspace.address(), kWorkspace, workspace.size());
        RunOptions options;
        options.workspace = workspace.address(), options.workspace_size = workspace.size();
        dispatcher->run_plan(*plan, addresses.data(), options);
        device->synchronize();
        return take[plan->name()]();
    }

    /// Lines of so many bytes, each followed by zeros, and then lines of zeros.
    static Bytes spread(const Bytes& from, std::size_t lines, std::size_t width, std::size_t pitch,
                        std::size_t all_lines, std::size_t all_width) {
        Bytes all(all_lines * all_width);
        for (std::size_t i = 0; i < lines; ++i) std::memcpy(&all[i * all_width], &from[i * pitch], width);
        return all;
    }

    std::shared_ptr<GemmRegistry> registry = std::make_shared<GemmRegistry>("mine");
    std::shared_ptr<Device> device;
    std::unique_ptr<GemmDispatcher> dispatcher;
    std::map<std::string, made_up_launches (*)()> take;
    GemmDispatcher::PlanPtr plan;
    std::vector<Bytes> given;
    std::vector<DeviceBuffer> tensors;
    std::vector<void*> addresses;
    DeviceBuffer workspace;
};

TEST_F(GemmPadding, IsNotDoneWhereAKernelTakesTheProblem) {
    add("vectors");
    const auto problem = product(5, 16, 8).build();
    EXPECT_EQ(dispatcher->selector().select_padded(problem), dispatcher->select(problem));
    EXPECT_EQ(dispatcher->select(problem)->padded, "");
}

TEST_F(GemmPadding, FillsUpVectorsWithZerosAndBringsTheResultBack) {
    add("vectors");
    const auto launched = run(product(5, 13, 20).leading_dimensions(22, 0, 15).build());
    EXPECT_EQ(plan->padded, "gemm 5x16x24 fp16 rcr");
    EXPECT_EQ(launched.count, 1);
    // Rows of A are no vectors' width, so their number stays.
    EXPECT_EQ(launched.problem.m, 5);
    EXPECT_EQ(launched.problem.n, 16);
    EXPECT_EQ(launched.problem.k, 24);
    EXPECT_EQ(read(launched.problem.a, 5 * 48), spread(given[0], 5, 40, 44, 5, 48));
    EXPECT_EQ(read(launched.problem.b, 16 * 48), spread(given[1], 13, 40, 40, 16, 48));
    // What lay in the copy of C is in C, and its gaps are as they were.
    Bytes expected = given[2];
    for (std::size_t i = 0; i < 5; ++i) std::memset(&expected[i * 30], kWorkspace, 26);
    EXPECT_EQ(read(addresses[2], expected.size()), expected);
}

TEST_F(GemmPadding, CopiesOnlyWhatIsNotAsTheKernelWantsIt) {
    add("vectors");
    // C's width alone: A and its leading dimension suit the kernel.
    const auto launched = run(product(5, 13, 24).leading_dimensions(32, 0, 0).build());
    EXPECT_EQ(launched.problem.a, addresses[0]);
    EXPECT_EQ(launched.problem.stride_a, 32);
    EXPECT_NE(launched.problem.b, addresses[1]);
    EXPECT_EQ(plan->temporaries.size(), 3u);  // of B, of C, and the kernel's own
}

TEST_F(GemmPadding, OfMixedDtypesWithCInColumnsExchangesTheOperands) {
    add("mixed"), add("vectors");
    // The kernel multiplies fp8 by bf8: the transposed product is that.
    const auto launched = run(product(13, 7, 20, "bf8", "fp8").layout("rcc").build());
    EXPECT_EQ(plan->name(), "gemm_made_up_mixed");
    EXPECT_EQ(plan->padded, "gemm 16x7x32 bf8*fp8->fp16 rcc");
    EXPECT_EQ(launched.problem.m, 7);
    EXPECT_EQ(launched.problem.n, 16);
    EXPECT_EQ(launched.problem.k, 32);
    EXPECT_EQ(read(launched.problem.a, 7 * 32), spread(given[1], 7, 20, 20, 7, 32));
    EXPECT_EQ(read(launched.problem.b, 16 * 32), spread(given[0], 13, 20, 20, 16, 32));
    EXPECT_EQ(read(addresses[2], given[2].size()), Bytes(given[2].size(), kWorkspace));
}

TEST_F(GemmPadding, OfPackedElementsCopiesTheirBytes) {
    add("packed");
    const auto launched = run(product(3, 9, 34, "pk_fp4", "pk_fp4").build());
    EXPECT_EQ(plan->padded, "gemm 3x16x64 pk_fp4->fp16 rcr");
    // The kernel counts bytes.
    EXPECT_EQ(launched.problem.k, 32);
    EXPECT_EQ(read(launched.problem.a, 3 * 32), spread(given[0], 3, 17, 17, 3, 32));
    EXPECT_EQ(read(launched.problem.b, 16 * 32), spread(given[1], 9, 17, 17, 16, 32));
}

TEST_F(GemmPadding, KeepsAMatrixThatABatchSharesOne) {
    add("vectors");
    const auto launched = run(product(5, 13, 20).batch(3, GemmProblemBuilder::kPacked, 0).build());
    EXPECT_EQ(launched.count, 3);
    EXPECT_EQ(read(launched.problem.b, 16 * 48), spread(given[1], 13, 40, 40, 16, 48));
    // The last matrix of A.
    EXPECT_EQ(read(launched.problem.a, 5 * 48),
              spread(Bytes(given[0].begin() + 2 * 200, given[0].end()), 5, 40, 40, 5, 48));
    EXPECT_EQ(plan->temporaries[1].bytes, 16u * 48);
    EXPECT_EQ(read(addresses[2], given[2].size()), Bytes(given[2].size(), kWorkspace));
}

TEST_F(GemmPadding, KeepsALineOfADTensorThatIsRepeatedOne) {
    add("d_vectors");
    const auto launched =
        run(product(5, 13, 24).fused("MultiDAdd", 2).d_leading_dimensions({GemmProblemBuilder::kRepeated}).build());
    EXPECT_EQ(launched.problem.stride_d[0], 0);
    EXPECT_EQ(launched.problem.stride_d[1], 16);
    EXPECT_EQ(read(launched.problem.d[0], 32), spread(given[3], 1, 26, 26, 1, 32));
    EXPECT_EQ(read(launched.problem.d[1], 5 * 32), spread(given[4], 5, 26, 26, 5, 32));
}

TEST_F(GemmPadding, LeavesPreshuffledWeightsAsTheyAre) {
    add("preshuffle_vectors");
    // Rows of C with a gap that does not suit the kernel.
    const auto launched = run(product(5, 32, 64).leading_dimensions(0, 0, 33).preshuffled(32, 8).build());
    EXPECT_EQ(launched.problem.b, addresses[1]);
    EXPECT_NE(launched.problem.c, addresses[2]);
    const auto odd = GemmFamily::enlarged(registry->kernels()[0]->key(), product(5, 4, 4).preshuffled(4, 4).build());
    EXPECT_FALSE(odd);
}

TEST_F(GemmPadding, OfGroupsIsDoneForEachByItself) {
    add("vectors");
    const auto launched =
        run(GemmProblemBuilder().dtype("fp16").group(5, 13, 20).group(4, 16, 8).group(3, 11, 8).build());
    EXPECT_EQ(launched.count, 3);
    ASSERT_EQ(plan->stages.size(), 3u);
    EXPECT_EQ(plan->padded, "gemm 5x16x24 fp16 rcr, …");
    EXPECT_EQ(plan->stages[1].in_order_from, std::optional<std::size_t>(3));
    EXPECT_EQ(launched.problem.a, addresses[6]);
    EXPECT_EQ(read(addresses[5], given[5].size()), given[5]);
    // The last one's result is what lies in its copy.
    const Bytes result = read(launched.problem.c, 3 * 32), c = read(addresses[8], given[8].size());
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(Bytes(&c[i * 22], &c[i * 22] + 22), Bytes(&result[i * 32], &result[i * 32] + 22)) << i;
    // Stages share their memory, as they do not need it at the same time.
    EXPECT_LT(plan->workspace_bytes, 5u * 48 + 16 * 48 + 5 * 32 + 16 * 16 + 3 * 32 + 4 * 256 + 300);
}

TEST_F(GemmPadding, GivesAlignedCopiesOfAddressesThatAreNot) {
    add("vectors");
    const auto problem = product(8, 16, 8).build();
    const DeviceBuffer buffer(device, 4096);
    char* const base = static_cast<char*>(buffer.address());
    void* const addresses[] = {base + 2, base + 1024, base + 2048};
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, "gemm_made_up_vectors moves several elements at a time.",
                          dispatcher->run(problem, addresses));
    const auto ran = dispatcher->run_padded(problem, addresses);
    EXPECT_EQ(ran->padded, problem.text());
    EXPECT_NE(take["gemm_made_up_vectors"]().problem.a, addresses[0]);
    // Nothing was added, so nothing was cleared.
    for (const Transfer& one : ran->stages[0].before) EXPECT_NE(one.from.kind, Argument::Kind::nothing);
}

TEST_F(GemmPadding, KeepsToTheLimitAndTheAlignmentOfAWorkspace) {
    add("vectors");
    const auto needed = dispatcher->selector().select_padded(product(5, 13, 20).build())->workspace_bytes;
    EXPECT_EQ(dispatcher->selector().select_padded(product(5, 13, 20).workspace_limit(needed).build())->workspace_bytes,
              needed);
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, "No kernel of the registry mine computes gemm 5x13x20 fp16 rcr",
                          dispatcher->selector().select_padded(product(5, 13, 20).workspace_limit(needed - 1).build()));
    (void)run(product(5, 13, 20).build());
    RunOptions options;
    options.workspace = static_cast<char*>(workspace.address()) + 8, options.workspace_size = workspace.size();
    EXPECT_REFUSED(ErrorCode::invalid_argument, "A workspace was given that is not aligned to 16 bytes.",
                   dispatcher->run_plan(*plan, addresses.data(), options));
}

TEST_F(GemmPadding, NeedsAllTensorsOfTheCallers) {
    add("vectors");
    (void)run(product(5, 13, 20).build());
    for (std::size_t missing = 0; missing < 3; ++missing) {
        std::vector<void*> some = addresses;
        some[missing] = nullptr;
        EXPECT_REFUSED(ErrorCode::invalid_argument,
                       std::string("A GEMM was to be run with no address for ") + "ABC"[missing] + ".",
                       dispatcher->run_plan(*plan, some.data()));
    }
    EXPECT_EQ(take[plan->name()]().count, 0);
}

TEST_F(GemmPadding, TakesRowsOfABatchThatOverlap) {
    add("vectors");
    const auto launched = run(product(1, 16, 20).batch(4, 5, 0, 16).build());
    EXPECT_EQ(launched.count, 4);
    // The last matrix of A begins 15 elements after the first.
    EXPECT_EQ(read(launched.problem.a, 48), spread(Bytes(given[0].begin() + 30, given[0].end()), 1, 40, 40, 1, 48));
}

TEST_F(GemmPadding, ChecksTheCallersTensorsForOverlaps) {
    add("vectors");
    (void)run(product(5, 13, 20).build());
    addresses[2] = addresses[0];
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument, "C in the memory of A",
                          dispatcher->run_padded(product(5, 13, 20).build(), addresses.data()));
}

TEST_F(GemmPadding, DoesNotHelpWithAnythingElse) {
    add("vectors");
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel,
                          "No kernel of the registry mine computes gemm 5x13x20 bf16 rcr on gfx942 (1 refuse). The "
                          "nearest: gemm_made_up_vectors computes A in fp16, not bf16.",
                          dispatcher->selector().select_padded(product(5, 13, 20, "bf16", "bf16").build()));
    // However large it is.
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, "No kernel of the registry mine computes gemm 5x2x8 bf16 rcr",
                          dispatcher->selector().select_padded(product(5, 2, 8, "bf16", "bf16").build()));
}

TEST_F(GemmPadding, IsRememberedUntilTheRegistryChanges) {
    add("vectors");
    const auto problem = product(5, 13, 20).build();
    const auto first = dispatcher->selector().select_padded(problem);
    EXPECT_EQ(dispatcher->selector().select_padded(problem), first);
    add("plain");
    EXPECT_EQ(dispatcher->selector().select_padded(problem)->name(), "gemm_made_up");
}

}  // namespace
}  // namespace ckdispatch

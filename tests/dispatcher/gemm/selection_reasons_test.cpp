// SPDX-License-Identifier: MIT
// Why a kernel is not chosen, kernels that are asked for, and what is remembered.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "ckdispatch/gemm/family.hpp"
#include "tests/dispatcher/support/built.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::built_library;
using test::built_manifest;

constexpr const char *kUnpadded = "gemm_fp16_rcr_compv4_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1_32x32x16",
                     *kPadded   = "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_32x32x16",
                     *kSplit    = "gemm_fp16_rcr_compv4_cshuffle_intrawave_True_True_True_False_64x64x32_2x2x1_16x16x16_splitk",
                     *kOtherGpu = "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x128x32_2x4x1_16x16x16";

GemmProblemBuilder fp16(std::int64_t m, std::int64_t n, std::int64_t k) { return GemmProblemBuilder().sizes(m, n, k).dtype("fp16"); }

class Reasons : public testing::Test {
protected:
    void add(const std::string& name) { registry->add_library({built_library("lib" + name), ""}); }

    /// The code and the reason with which the registry's only kernel is refused.
    std::pair<ErrorCode, std::string> refusal(const GemmProblem& problem) const {
        const auto ranking = GemmSelector(registry, "gfx942").rank(problem);
        EXPECT_TRUE(ranking.fit.empty());
        EXPECT_EQ(ranking.refused.size(), 1u);
        return {ranking.refused.at(0).code, ranking.refused.at(0).reason};
    }

    std::shared_ptr<GemmRegistry> registry = std::make_shared<GemmRegistry>("mine");
};

TEST_F(Reasons, AreThoseOfTheSignature) {
    add(kPadded);
    EXPECT_EQ(refusal(fp16(64, 64, 64).layout("rrr").build()), std::pair(ErrorCode::unsupported, std::string(kPadded) + " computes the layout rcr, not rrr."));
    EXPECT_EQ(refusal(fp16(64, 64, 64).dtype("bf16").build()), std::pair(ErrorCode::unsupported, std::string(kPadded) + " computes A in fp16, not bf16."));
    EXPECT_EQ(refusal(fp16(64, 64, 64).split_k(2).build()), std::pair(ErrorCode::unsupported, std::string(kPadded) + " computes K whole, not in 2 parts."));
}

TEST_F(Reasons, AreThoseOfTheLibrary) {
    add(kUnpadded);
    EXPECT_EQ(refusal(fp16(128, 128, 40).build()), std::pair(ErrorCode::unsupported, std::string(kUnpadded) + " was asked for K = 40 and needs a multiple of 32, because it does not pad K."));
}

TEST_F(Reasons, IncludeAddressesThatAreNotAlignedEnough) {
    add(kPadded);
    EXPECT_EQ(refusal(fp16(64, 64, 64).alignment(8).build()),
              std::pair(ErrorCode::unsupported, std::string(kPadded) + " was asked for A at an address that is not a multiple of 16 bytes, its vector width."));
}

TEST_F(Reasons, IncludeAnotherGpu) {
    add(kOtherGpu);
    EXPECT_EQ(refusal(fp16(64, 64, 64).build()), std::pair(ErrorCode::wrong_gpu, std::string(kOtherGpu) + " holds no code for gfx942."));
    EXPECT_EQ(GemmSelector(registry, "gfx1100").rank(fp16(64, 64, 64).build()).fit.size(), 1u);
}

TEST_F(Reasons, IncludeAProblemWithoutParts) {
    add(kSplit);
    EXPECT_EQ(refusal(fp16(64, 64, 40).split_k(0).build()), std::pair(ErrorCode::unsupported, std::string(kSplit) + " has no way to compute this problem."));
}

TEST_F(Reasons, IncludeALibraryThatIsGone) {
    test::TemporaryFolder files;
    const auto content = test::read_bytes(built_library(kPadded));
    const auto whole   = KernelLibrary::open({built_library(kPadded), ""});
    GemmRegistry source("source");
    const auto kernel = source.add_library({built_library(kPadded), ""});
    registry->add(std::make_shared<Kernel<GemmKey>>(kernel->key(), kernel->name(), LibraryFile{files.at("gone.so"), ""}, kernel->resources(), 0));
    EXPECT_EQ(refusal(fp16(64, 64, 64).build()), std::pair(ErrorCode::not_found, "The library " + files.at("gone.so") + " cannot be read: No such file or directory."));
}

TEST_F(Reasons, OfANearMissAreInTheSentenceThatRefusesTheProblem) {
    add(kUnpadded);
    add(kOtherGpu);
    GemmSelector selector(registry, "gfx942");
    EXPECT_REFUSED(ErrorCode::no_kernel,
                   "No kernel of the registry mine computes gemm 128x128x40 fp16 rcr on gfx942 (2 refuse). The nearest: " + std::string(kUnpadded) +
                       " was asked for K = 40 and needs a multiple of 32, because it does not pad K.",
                   selector.select(fp16(128, 128, 40).build()));
}

TEST_F(Reasons, OfAnEmptyRegistryAreThatItHasNone) {
    GemmSelector selector(registry, "gfx942");
    EXPECT_REFUSED(ErrorCode::no_kernel, "No kernel of the registry mine computes gemm 1x2x3 fp16 rcr on gfx942: it has none.", selector.select(fp16(1, 2, 3).build()));
    EXPECT_TRUE(selector.rank(fp16(1, 2, 3).build()).fit.empty());
}

TEST_F(Reasons, AreGivenForEveryKernelThatDoesNotFit) {
    registry->load_manifest(built_manifest("gemm_fp16_rcr_essential"));
    registry->load_manifest(built_manifest("test_gemm_variants"));
    const auto ranking = GemmSelector(registry, "gfx942").rank(fp16(250, 256, 248).build());
    EXPECT_EQ(ranking.fit.size() + ranking.refused.size(), registry->size());
    EXPECT_FALSE(ranking.fit.empty());
    for (const auto& refused : ranking.refused) {
        EXPECT_NE(refused.code, ErrorCode::ok);
        EXPECT_EQ(refused.reason.rfind(refused.kernel->name() + " ", 0), 0u) << refused.reason;
        EXPECT_EQ(refused.reason.back(), '.');
    }
}

TEST_F(Reasons, RankTheBestFirst) {
    registry->load_manifest(built_manifest("gemm_fp16_rcr_essential"));
    const auto ranking = GemmSelector(registry, "gfx942").rank(fp16(1000, 1000, 1000).build());
    EXPECT_TRUE(std::is_sorted(ranking.fit.begin(), ranking.fit.end(), [](const auto& a, const auto& b) { return a.microseconds < b.microseconds; }));
}

TEST_F(Reasons, DoNotIncludeAWorkspaceThatIsNotNeeded) {
    add(kPadded);
    EXPECT_EQ(GemmSelector(registry, "gfx942").rank(fp16(64, 64, 64).workspace_limit(0).build()).fit.size(), 1u);
}

class Explicit : public Reasons {
protected:
    void SetUp() override {
        add(kUnpadded);
        add(kPadded);
        add(kSplit);
    }
    GemmSelector selector{registry, "gfx942"};
};

TEST_F(Explicit, TakesTheKernelOfThatNameWhateverIsBetter) {
    for (const char* name : {kUnpadded, kPadded}) EXPECT_EQ(selector.select_explicit(name, fp16(8192, 8192, 8192).build())->name(), name);
}

TEST_F(Explicit, TakesTheKernelOfThatKey) {
    const GemmKey key = registry->find_name(kPadded)->key();
    EXPECT_EQ(selector.select_explicit(key, fp16(64, 64, 64).build())->name(), kPadded);
    EXPECT_EQ(selector.select_explicit(from_text<GemmKey>(to_text(key)), fp16(64, 64, 64).build())->name(), kPadded);
}

TEST_F(Explicit, RefusesWhatTheRegistryDoesNotHave) {
    EXPECT_REFUSED(ErrorCode::not_found, "The kernel gemm_none was asked for, and the registry mine does not have it.", selector.select_explicit("gemm_none", fp16(64, 64, 64).build()));
    GemmKey key = registry->find_name(kPadded)->key();
    key.tile    = {1, 1, 1};
    EXPECT_REFUSED(ErrorCode::not_found, "The kernel " + to_text(key) + " was asked for, and the registry mine does not have it.", selector.select_explicit(key, fp16(64, 64, 64).build()));
}

TEST_F(Explicit, RefusesWhatTheKernelDoesNotComputeWithItsReason) {
    EXPECT_REFUSED(ErrorCode::unsupported, std::string(kUnpadded) + " was asked for K = 40 and needs a multiple of 32, because it does not pad K.",
                   selector.select_explicit(kUnpadded, fp16(128, 128, 40).build()));
    EXPECT_REFUSED(ErrorCode::unsupported, std::string(kUnpadded) + " computes the layout rcr, not rrr.", selector.select_explicit(kUnpadded, fp16(128, 128, 64).layout("rrr").build()));
    add(kOtherGpu);
    EXPECT_REFUSED(ErrorCode::wrong_gpu, std::string(kOtherGpu) + " holds no code for gfx942.", selector.select_explicit(kOtherGpu, fp16(128, 128, 64).build()));
}

TEST_F(Explicit, ChoosesThePartsOfASplitKWhereItMay) {
    const auto plan = selector.select_explicit(kSplit, fp16(64, 64, 65536).split_k(0).build());
    EXPECT_EQ(plan->stages[0].way.k_batch, 32);
    EXPECT_EQ(selector.select_explicit(kSplit, fp16(64, 64, 65536).split_k(0).deterministic(true).build())->stages[0].way.k_batch, 2);
    EXPECT_EQ(selector.select_explicit(kSplit, fp16(64, 64, 65536).split_k(4).build())->stages[0].way.k_batch, 4);
}

TEST_F(Explicit, LeavesTheCacheAlone) {
    selector.select_explicit(kPadded, fp16(64, 64, 64).build());
    EXPECT_EQ(selector.cached(), 0u);
}

TEST_F(Explicit, SplitsADeepKOnItsOwnOnlyWhereItMay) {
    const auto deep = [] { return fp16(64, 64, 65536); };
    EXPECT_EQ(selector.select(deep().build())->stages[0].way.k_batch, 1);
    EXPECT_EQ(selector.select(deep().split_k(0).build())->name(), kSplit);
    EXPECT_GT(selector.select(deep().split_k(0).build())->stages[0].way.k_batch, 2);
    EXPECT_EQ(selector.select(deep().split_k(0).deterministic(true).build())->stages[0].way.k_batch, 2);
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, "adds its parts in any order, and the result was to be the same every time.", selector.select(deep().split_k(4).deterministic(true).build()));
}

class Cache : public Reasons {
protected:
    void SetUp() override { registry->load_manifest(built_manifest("gemm_fp16_rcr_essential")); }
    GemmSelector selector{registry, "gfx942"};
};

TEST_F(Cache, GivesTheSamePlanForTheSameProblem) {
    const auto plan = selector.select(fp16(256, 256, 256).build());
    EXPECT_EQ(selector.select(fp16(256, 256, 256).build()), plan);
    EXPECT_EQ(selector.cached(), 1u);
    EXPECT_NE(selector.select(fp16(256, 256, 512).build()), plan);
    EXPECT_EQ(selector.cached(), 2u);
}

TEST_F(Cache, ForgetsWhenTheRegistryChanges) {
    const auto plan = selector.select(fp16(8192, 8192, 8192).build());
    registry->remove(plan->name());
    const auto other = selector.select(fp16(8192, 8192, 8192).build());
    EXPECT_NE(other->name(), plan->name());
    EXPECT_EQ(registry->find_name(plan->name()), nullptr);
    EXPECT_EQ(selector.cached(), 1u);
}

TEST_F(Cache, ForgetsWhenABetterKernelComes) {
    const auto plan = selector.select(fp16(64, 64, 64).layout("rcr").build());
    registry->add_library({built_library("16x64x128"), ""}, Duplicates::replace, 9);
    EXPECT_EQ(selector.select(fp16(64, 64, 64).layout("rcr").build())->stages[0].kernel->priority(), 9);
}

TEST_F(Cache, ForgetsWhenTheStrategyChanges) {
    const auto by_rules = selector.select(fp16(8192, 8192, 8192).build());
    selector.use(Strategy::first_fit);
    EXPECT_EQ(selector.cached(), 0u);
    EXPECT_NE(selector.select(fp16(8192, 8192, 8192).build())->name(), by_rules->name());
}

TEST_F(Cache, RemembersNoFailure) {
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, "No kernel", selector.select(fp16(64, 64, 64).layout("rrr").build()));
    EXPECT_EQ(selector.cached(), 0u);
    registry->load_manifest(built_manifest("test_gemm_variants"));
    EXPECT_EQ(selector.select(fp16(64, 64, 64).layout("rrr").build())->stages[0].kernel->key().layout.text(), "rrr");
}

TEST_F(Cache, KeepsPlansThatAreInUseWhenTheirKernelIsRemoved) {
    const auto plan = selector.select(fp16(256, 256, 256).build());
    registry->remove(plan->name());
    EXPECT_FALSE(plan->stages[0].kernel->library().name().empty());
}

TEST_F(Cache, AnswersManyThreadsTheSame) {
    std::vector<std::vector<std::string>> chosen(4);
    std::vector<std::thread> threads;
    for (auto& own : chosen)
        threads.emplace_back([&] {
            for (std::int64_t round = 0; round < 5; ++round)
                for (std::int64_t size = 64; size <= 1024; size += 64) own.push_back(selector.select(fp16(size, 256, 256).build())->name());
        });
    for (std::thread& thread : threads) thread.join();
    for (const auto& own : chosen) EXPECT_EQ(own, chosen.front());
    EXPECT_EQ(selector.cached(), 16u);
}

}  // namespace
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// Kernels that are asked for by name or by key, and parts of K.
#include <gtest/gtest.h>

#include <string>

#include "ckdispatch/gemm/family.hpp"
#include "tests/dispatcher/support/built.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::built_library;

constexpr const char *kUnpadded =
                         "gemm_fp16_rcr_compv4_cshuffle_intrawave_False_False_False_False_128x128x32_2x2x1_32x32x16",
                     *kPadded = "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_32x32x16",
                     *kSplit =
                         "gemm_fp16_rcr_compv4_cshuffle_intrawave_True_True_True_False_64x64x32_2x2x1_16x16x16_splitk",
                     *kOtherGpu =
                         "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x128x32_2x4x1_16x16x16";

GemmProblemBuilder fp16(std::int64_t m, std::int64_t n, std::int64_t k) {
    return GemmProblemBuilder().sizes(m, n, k).dtype("fp16");
}

class Explicit : public testing::Test {
protected:
    void SetUp() override {
        add(kUnpadded);
        add(kPadded);
        add(kSplit);
    }

    void add(const std::string& name) { registry->add_library({built_library("lib" + name), ""}); }

    std::shared_ptr<GemmRegistry> registry = std::make_shared<GemmRegistry>("mine");
    GemmSelector selector{registry, "gfx942"};
};

TEST_F(Explicit, TakesTheKernelOfThatNameWhateverIsBetter) {
    for (const char* name : {kUnpadded, kPadded})
        EXPECT_EQ(selector.select_explicit(name, fp16(8192, 8192, 8192).build())->name(), name);
}

TEST_F(Explicit, TakesTheKernelOfThatKey) {
    const GemmKey key = registry->find_name(kPadded)->key();
    EXPECT_EQ(selector.select_explicit(key, fp16(64, 64, 64).build())->name(), kPadded);
    EXPECT_EQ(selector.select_explicit(from_text<GemmKey>(to_text(key)), fp16(64, 64, 64).build())->name(), kPadded);
}

TEST_F(Explicit, RefusesWhatTheRegistryDoesNotHave) {
    EXPECT_REFUSED(ErrorCode::not_found, "The kernel gemm_none was asked for, and the registry mine does not have it.",
                   selector.select_explicit("gemm_none", fp16(64, 64, 64).build()));
    GemmKey key = registry->find_name(kPadded)->key();
    key.tile = {1, 1, 1};
    EXPECT_REFUSED(ErrorCode::not_found,
                   "The kernel " + to_text(key) + " was asked for, and the registry mine does not have it.",
                   selector.select_explicit(key, fp16(64, 64, 64).build()));
}

TEST_F(Explicit, RefusesWhatTheKernelDoesNotComputeWithItsReason) {
    EXPECT_REFUSED(
        ErrorCode::unsupported,
        std::string(kUnpadded) + " was asked for K = 40 and needs a multiple of 32, because it does not pad K.",
        selector.select_explicit(kUnpadded, fp16(128, 128, 40).build()));
    EXPECT_REFUSED(ErrorCode::unsupported, std::string(kUnpadded) + " computes the layout rcr, not rrr.",
                   selector.select_explicit(kUnpadded, fp16(128, 128, 64).layout("rrr").build()));
    add(kOtherGpu);
    EXPECT_REFUSED(ErrorCode::wrong_gpu, std::string(kOtherGpu) + " holds no code for gfx942.",
                   selector.select_explicit(kOtherGpu, fp16(128, 128, 64).build()));
}

TEST_F(Explicit, ChoosesThePartsOfASplitKWhereItMay) {
    const auto plan = selector.select_explicit(kSplit, fp16(64, 64, 65536).split_k(0).build());
    EXPECT_EQ(plan->stages[0].way.k_batch, 32);
    EXPECT_EQ(selector.select_explicit(kSplit, fp16(64, 64, 65536).split_k(0).deterministic(true).build())
                  ->stages[0]
                  .way.k_batch,
              2);
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
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel,
                          "adds its parts in any order, and the result was to be the same every time.",
                          selector.select(deep().split_k(4).deterministic(true).build()));
}

}  // namespace
}  // namespace ckdispatch

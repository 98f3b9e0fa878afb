// SPDX-License-Identifier: MIT
// Why a kernel is not chosen.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ckdispatch/gemm/family.hpp"
#include "tests/dispatcher/support/built.hpp"
#include "tests/dispatcher/support/keys.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::built_library;
using test::built_manifest;

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
    EXPECT_EQ(refusal(fp16(64, 64, 64).layout("rrr").build()),
              std::pair(ErrorCode::unsupported, std::string(kPadded) + " computes the layout rcr, not rrr."));
    EXPECT_EQ(refusal(fp16(64, 64, 64).dtype("bf16").build()),
              std::pair(ErrorCode::unsupported, std::string(kPadded) + " computes A in fp16, not bf16."));
    EXPECT_EQ(refusal(fp16(64, 64, 64).split_k(2).build()),
              std::pair(ErrorCode::unsupported, std::string(kPadded) + " computes K whole, not in 2 parts."));
}

TEST_F(Reasons, AreThoseOfTheLibrary) {
    add(kUnpadded);
    EXPECT_EQ(refusal(fp16(128, 128, 40).build()),
              std::pair(ErrorCode::unsupported,
                        std::string(kUnpadded) +
                            " was asked for K = 40 and needs a multiple of 32, because it does not pad K."));
}

TEST_F(Reasons, IncludeAddressesThatAreNotAlignedEnough) {
    add(kPadded);
    EXPECT_EQ(refusal(fp16(64, 64, 64).alignment(8).build()),
              std::pair(ErrorCode::unsupported,
                        std::string(kPadded) +
                            " was asked for A at an address that is not a multiple of 16 bytes, its vector width."));
}

TEST_F(Reasons, IncludeAnotherGpu) {
    add(kOtherGpu);
    EXPECT_EQ(refusal(fp16(64, 64, 64).build()),
              std::pair(ErrorCode::wrong_gpu, std::string(kOtherGpu) + " holds no code for gfx942."));
    EXPECT_EQ(GemmSelector(registry, "gfx1100").rank(fp16(64, 64, 64).build()).fit.size(), 1u);
}

TEST_F(Reasons, IncludeAProblemWithoutParts) {
    add(kSplit);
    EXPECT_EQ(refusal(fp16(64, 64, 40).split_k(0).build()),
              std::pair(ErrorCode::unsupported, std::string(kSplit) + " has no way to compute this problem."));
}

TEST_F(Reasons, IncludeALibraryThatIsGone) {
    const test::TemporaryFolder files;
    GemmRegistry source("source");
    const auto kernel = source.add_library({built_library(kPadded), ""});
    registry->add(std::make_shared<Kernel<GemmKey>>(kernel->key(), kernel->name(), LibraryFile{files.at("gone.so"), ""},
                                                    kernel->resources(), 0));
    EXPECT_EQ(refusal(fp16(64, 64, 64).build()),
              std::pair(ErrorCode::not_found,
                        "The library " + files.at("gone.so") + " cannot be read: No such file or directory."));
}

TEST_F(Reasons, OfANearMissAreInTheSentenceThatRefusesTheProblem) {
    add(kUnpadded);
    add(kOtherGpu);
    GemmSelector selector(registry, "gfx942");
    EXPECT_REFUSED(
        ErrorCode::no_kernel,
        "No kernel of the registry mine computes gemm 128x128x40 fp16 rcr on gfx942 (2 refuse). The nearest: " +
            std::string(kUnpadded) + " was asked for K = 40 and needs a multiple of 32, because it does not pad K.",
        selector.select(fp16(128, 128, 40).build()));
}

// In the order of the keys a batched kernel of other dtypes would come first.
TEST_F(Reasons, OfTheNearestAreInTheSentenceThoughNoLibraryIsAsked) {
    GemmKey batched = test::sample_key(), rows = test::sample_key(), relu = test::sample_key();
    batched.variant = "batched", batched.dtype_a = "bf16";
    rows.layout = "rrr";
    relu.fused_op = "Relu";
    for (const GemmKey& key : {batched, rows}) registry->add(test::unopened_kernel(key));
    GemmSelector selector(registry, "gfx942");
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel,
                          "(2 refuse). The nearest: " + test::name_for(rows) + " computes the layout rrr, not rcr.",
                          selector.select(fp16(64, 64, 64).build()));
    registry->add(test::unopened_kernel(relu));
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel,
                          "(3 refuse). The nearest: " + test::name_for(relu) + " computes Relu, not the product alone.",
                          selector.select(fp16(64, 64, 64).build()));
}

TEST_F(Reasons, OfAnEmptyRegistryAreThatItHasNone) {
    GemmSelector selector(registry, "gfx942");
    EXPECT_REFUSED(ErrorCode::no_kernel,
                   "No kernel of the registry mine computes gemm 1x2x3 fp16 rcr on gfx942: it has none.",
                   selector.select(fp16(1, 2, 3).build()));
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
    EXPECT_TRUE(std::is_sorted(ranking.fit.begin(), ranking.fit.end(),
                               [](const auto& a, const auto& b) { return a.microseconds < b.microseconds; }));
}

TEST_F(Reasons, DoNotIncludeAWorkspaceThatIsNotNeeded) {
    add(kPadded);
    EXPECT_EQ(GemmSelector(registry, "gfx942").rank(fp16(64, 64, 64).workspace_limit(0).build()).fit.size(), 1u);
}

}  // namespace
}  // namespace ckdispatch

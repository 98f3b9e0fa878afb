// SPDX-License-Identifier: MIT
// Attentions in stages, each computed by the CPU, against the definition of the whole.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/dispatcher/support/attentions.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::Builder;
using test::FmhaTensors;
using Kernels = std::vector<std::string>;

class FmhaForward : public test::MadeUpAttentions {};

TEST_F(FmhaForward, IsOneKernelWhereOneSuffices) {
    add({"fwd"});
    const auto problem = fp32(2, 4, 2, 33, 70).with(CK_FMHA_LSE).build();
    const auto plan = dispatcher->select(problem);
    EXPECT_EQ(kernels(*plan), (Kernels{"fwd"}));
    EXPECT_EQ(plan->workspace_bytes, 0u);
    expect_right(problem);
}

TEST_F(FmhaForward, HasMasksOfBothCornersAndWindows) {
    add({"fwd"});
    for (const auto from : {Builder::Mask::top_left, Builder::Mask::bottom_right})
        for (const auto& [left, right] : {std::pair{-1, 0}, std::pair{5, 0}, std::pair{3, 7}, std::pair{0, -1}})
            for (const auto& [rows, keys] : {std::pair{20, 30}, std::pair{30, 20}})
                expect_right(fp32(1, 2, 1, rows, keys).mask(from, left, right).with(CK_FMHA_LSE).build());
}

TEST_F(FmhaForward, WithoutLseHasMemoryForAKernelThatWritesIt) {
    add({"fwd"});
    const auto problem = fp32(2, 4, 4, 33, 70).mask(Builder::Mask::top_left, -1, 0).build();
    EXPECT_EQ(dispatcher->select(problem)->workspace_bytes, 2u * 4 * 33 * 4);
    expect_right(problem);
}

TEST_F(FmhaForward, WithoutLseHasNoneForAKernelThatDoesNot) {
    add({"fwd", "fwd_plain"});
    const auto problem = fp32(2, 4, 4, 64, 128, 64).build();
    const auto plan = dispatcher->select(problem);
    EXPECT_EQ(kernels(*plan), (Kernels{"plain"}));
    EXPECT_EQ(plan->workspace_bytes, 0u);
    expect_right(problem);
}

TEST_F(FmhaForward, TakesAPaddedKernelForOtherLengths) {
    add({"fwd", "fwd_plain"});
    EXPECT_EQ(selected(fp32(2, 4, 4, 63, 128, 64).build()), (Kernels{"fwd"}));
    EXPECT_EQ(selected(fp32(2, 4, 4, 64, 127, 64).build()), (Kernels{"fwd"}));
    EXPECT_EQ(selected(fp32(2, 4, 4, 64, 128, 56).build()), (Kernels{"fwd"}));
}

TEST_F(FmhaForward, HasBiasesSlopesAndSoftCaps) {
    add({"fwd", "fwd_bias", "fwd_alibi", "fwd_capped"});
    expect_right(fp32(2, 4, 2, 20, 30).bias("elementwise").build());
    expect_right(fp32(2, 4, 2, 20, 30).bias("alibi").with(CK_FMHA_LSE).build());
    expect_right(
        fp32(2, 4, 2, 20, 30).bias("alibi").mask(Builder::Mask::bottom_right, -1, 0).with(CK_FMHA_LSE).build());
    expect_right(fp32(2, 4, 2, 20, 30).soft_cap(0.5f).build());
}

TEST_F(FmhaForward, OfOtherOrdersIsTheSame) {
    add({"fwd"});
    expect_right(fp32(2, 4, 2, 20, 30).layout(Builder::Layout::bhsd).build());
    // q, k and v as parts of one tensor.
    const auto problem = fp32(2, 2, 2, 20, 20)
                             .layout(Builder::Layout::strides)
                             .strides(CK_FMHA_Q, 96, 16, 1920)
                             .strides(CK_FMHA_K, 96, 16, 1920)
                             .strides(CK_FMHA_V, 96, 16, 1920)
                             .strides(CK_FMHA_O, 40, 20, 800)
                             .build();
    expect_right(problem);
}

TEST_F(FmhaForward, OfPackedSequencesLeavesOutEmptyOnes) {
    add({"fwd_group"});
    const auto problem =
        fp32(3, 2, 1, 12, 20).group(22, 33).mask(Builder::Mask::bottom_right, -1, 0).with(CK_FMHA_LSE).build();
    FmhaTensors tensors(device, problem);
    tensors.set(CK_FMHA_SEQSTART_Q, std::vector<std::int32_t>{0, 12, 12, 22});
    tensors.set(CK_FMHA_SEQSTART_K, std::vector<std::int32_t>{0, 20, 25, 33});
    expect_right(problem, tensors);
}

TEST_F(FmhaForward, OfSequencesWithLengthsOfTheirOwn) {
    add({"fwd"});
    const auto problem = fp32(3, 2, 1, 12, 20).with(CK_FMHA_SEQLEN_Q).with(CK_FMHA_SEQLEN_K).build();
    FmhaTensors tensors(device, problem);
    tensors.set(CK_FMHA_SEQLEN_Q, std::vector<std::int32_t>{12, 1, 5});
    tensors.set(CK_FMHA_SEQLEN_K, std::vector<std::int32_t>{3, 20, 0});
    expect_right(problem, tensors);
}

TEST_F(FmhaForward, InPartsIsCombined) {
    add({"splitkv", "combine", "combine_many"});
    for (const std::int64_t parts : {2, 3, 8}) {
        const auto problem =
            fp32(2, 4, 2, 5, 300).split_kv(parts).with(CK_FMHA_LSE).mask(Builder::Mask::bottom_right, -1, 0).build();
        const auto plan = dispatcher->select(problem);
        EXPECT_EQ(kernels(*plan), (Kernels{"splitkv", "combine"}));
        EXPECT_EQ(plan->stages[0].problem.parts, parts);
        expect_right(problem);
    }
    EXPECT_EQ(selected(fp32(2, 4, 2, 5, 3000).split_kv(9).build()), (Kernels{"splitkv", "combine_many"}));
    expect_right(fp32(2, 4, 2, 5, 300).split_kv(9).build());
}

TEST_F(FmhaForward, InPartsLeavesRowsThatDoNotCount) {
    add({"splitkv", "combine"});
    const auto problem = fp32(2, 2, 2, 6, 100).split_kv(3).with(CK_FMHA_SEQLEN_Q).build();
    FmhaTensors tensors(device, problem);
    tensors.set(CK_FMHA_SEQLEN_Q, std::vector<std::int32_t>{2, 6});
    expect_right(problem, tensors);
    const auto o = tensors.read(CK_FMHA_O);
    for (std::size_t i = 2 * 32; i < 6 * 32; ++i) EXPECT_EQ(o[i], -77);
}

TEST_F(FmhaForward, OfPackedSequencesInPagesNeedsLengthsAlone) {
    add({"splitkv_group_paged", "combine_group"});
    const auto problem = fp32(2, 2, 1, 12, 128).group(22, 0).pages(64, 5, 2).with(CK_FMHA_SEQLEN_K).build();
    FmhaTensors tensors(device, problem);
    tensors.set(CK_FMHA_SEQSTART_Q, std::vector<std::int32_t>{0, 12, 22});
    tensors.set(CK_FMHA_SEQLEN_K, std::vector<std::int32_t>{100, 30});
    tensors.set(CK_FMHA_BLOCK_TABLE, std::vector<std::int32_t>{4, 0, 1, 3});
    EXPECT_TRUE(dispatcher->select(problem)->stages[0].problem.has(CK_FMHA_SEQSTART_K));
    expect_right(problem, tensors);
}

TEST_F(FmhaForward, InPartsOfPackedSequencesIsCombined) {
    add({"splitkv_group", "combine_group"});
    const auto problem = fp32(3, 2, 1, 12, 20).group(22, 33).split_kv(4).build();
    FmhaTensors tensors(device, problem);
    tensors.set(CK_FMHA_SEQSTART_Q, std::vector<std::int32_t>{0, 12, 12, 22});
    tensors.set(CK_FMHA_SEQSTART_K, std::vector<std::int32_t>{0, 20, 25, 33});
    expect_right(problem, tensors);
}

TEST_F(FmhaForward, OfOneRowAndManyKeysIsDividedUnlessThereIsMuchToDo) {
    add({"fwd", "splitkv", "combine", "combine_many"});
    const auto decode = dispatcher->select(fp32(1, 2, 2, 1, 32768, 64).build());
    ASSERT_EQ(decode->stages.size(), 2u);
    EXPECT_GT(decode->stages[0].problem.parts, 8);
    EXPECT_EQ(selected(fp32(8, 32, 32, 2048, 2048, 64).build()), (Kernels{"fwd"}));
    EXPECT_EQ(selected(fp32(1, 2, 2, 1, 32768, 64).split_kv(1).build()), (Kernels{"fwd"}));
}

TEST_F(FmhaForward, OfOneRowTakesTheHeadsOfAGroupTogether) {
    add({"splitkv", "splitkv_merged", "combine"});
    const auto problem =
        fp32(2, 8, 2, 1, 300).split_kv(4).mask(Builder::Mask::bottom_right, -1, 0).with(CK_FMHA_LSE).build();
    EXPECT_FALSE(problem.masked());
    const auto plan = dispatcher->select(problem);
    const auto& first = plan->stages[0];
    EXPECT_TRUE(first.kernel->key().merged || first.problem.heads_q == 2) << first.problem.text();
    expect_right(problem);
    expect_right(fp32(2, 8, 2, 1, 300).split_kv(4).with(CK_FMHA_LSE).layout(Builder::Layout::bhsd).build());
}

TEST_F(FmhaForward, OfPagesIsOneKernelOrParts) {
    const auto build = [](Builder builder) {
        return builder.pages(64, 7, 3)
            .with(CK_FMHA_SEQLEN_K)
            .with(CK_FMHA_LSE)
            .mask(Builder::Mask::bottom_right, -1, 0)
            .build();
    };
    const auto run = [&](const FmhaProblem& problem) {
        FmhaTensors tensors(device, problem);
        tensors.set(CK_FMHA_BLOCK_TABLE, std::vector<std::int32_t>{6, 0, 2, 1, 5, 3});
        tensors.set(CK_FMHA_SEQLEN_K, std::vector<std::int32_t>{150, 64});
        expect_right(problem, tensors);
    };
    add({"splitkv_paged", "combine"});
    const auto problem = build(fp32(2, 4, 2, 9, 192));
    run(problem);
    run(build(fp32(2, 4, 2, 9, 192).split_kv(3)));
    add({"pagedkv"});
    EXPECT_EQ(selected(build(fp32(2, 4, 2, 9, 192).split_kv(1))), (Kernels{"pagedkv"}));
    run(build(fp32(2, 4, 2, 9, 192).split_kv(1)));
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, "takes pages of multiples of 64 rows, not of 48.",
                          dispatcher->select(fp32(2, 4, 2, 9, 96).pages(48, 7, 2).build()));
}

TEST_F(FmhaForward, OfAListOfPagesIsAPrefill) {
    add({"prefill", "fwd", "splitkv"});
    const auto problem = fp32(2, 4, 2, 9, 20).page_list(1, 50, 35).mask(Builder::Mask::bottom_right, -1, 0).build();
    EXPECT_EQ(selected(problem), (Kernels{"prefill"}));
    FmhaTensors tensors(device, problem);
    std::vector<std::int32_t> list;
    for (std::int32_t i = 0; i < 35; ++i) list.push_back(i * 7 % 50);
    tensors.set(CK_FMHA_KV_INDPTR, std::vector<std::int32_t>{0, 20, 35});
    tensors.set(CK_FMHA_KV_PAGES, list);
    expect_right(problem, tensors);
}

TEST_F(FmhaForward, OfACacheTakesTheSequencesThatAreMeant) {
    add({"splitkv", "combine", "fwd"});
    const auto problem = fp32(2, 2, 2, 4, 40).with(CK_FMHA_CACHE_INDEX).cache(5).build();
    FmhaTensors tensors(device, problem);
    tensors.set(CK_FMHA_CACHE_INDEX, std::vector<std::int32_t>{4, 1});
    expect_right(problem, tensors);
}

TEST_F(FmhaForward, HasSinksAfterIt) {
    add({"fwd", "splitkv", "combine", "sink", "fwd_group"});
    const auto problem = fp32(2, 4, 2, 20, 30).with(CK_FMHA_SINK).build();
    const auto plan = dispatcher->select(problem);
    EXPECT_EQ(kernels(*plan).back(), "sink");
    EXPECT_EQ(plan->workspace_bytes, 2u * 4 * 20 * 4);
    expect_right(problem);
    expect_right(fp32(2, 4, 2, 20, 30).with(CK_FMHA_SINK).with(CK_FMHA_LSE).split_kv(2).build());
    expect_right(fp32(2, 4, 2, 1, 30).with(CK_FMHA_SINK).split_kv(2).build());
    const auto packed = fp32(2, 2, 1, 12, 20).group(22, 33).with(CK_FMHA_SINK).build();
    FmhaTensors tensors(device, packed);
    tensors.set(CK_FMHA_SEQSTART_Q, std::vector<std::int32_t>{0, 12, 22});
    tensors.set(CK_FMHA_SEQSTART_K, std::vector<std::int32_t>{0, 20, 33});
    expect_right(packed, tensors);
}

TEST_F(FmhaForward, KeepsTheFirstKeysOfAWindow) {
    add({"fwd", "splitkv", "combine"});
    for (const auto from : {Builder::Mask::top_left, Builder::Mask::bottom_right})
        for (const auto& [rows, keys] : {std::pair{30, 50}, std::pair{50, 30}, std::pair{1, 40}})
            for (const std::int64_t first : {1, 4, 12, 100}) {
                const auto problem =
                    fp32(1, 2, 1, rows, keys).mask(from, 6, 0).sink_tokens(first).with(CK_FMHA_LSE).build();
                expect_right(problem);
            }
}

TEST_F(FmhaForward, OfSmallerHeadsRunsOnCopies) {
    add({"fwd"});
    const auto problem = fp32(2, 4, 2, 20, 30, 41).build();
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, "wants heads of a multiple of 8.", dispatcher->select(problem));
    FmhaTensors tensors(device, problem), same(device, problem);
    const auto plan = dispatcher->run_padded(problem, tensors.addresses.data());
    EXPECT_NE(plan->padded.find("x48"), std::string::npos) << plan->padded;
    // Against heads of 48 with zeros behind 41.
    const auto larger = fp32(2, 4, 2, 20, 30, 48).scale(problem.scale).build();
    FmhaTensors zeros(device, larger);
    for (const auto slot : {CK_FMHA_Q, CK_FMHA_K, CK_FMHA_V}) {
        const auto narrow = tensors.read(slot);
        std::vector<float> wide(narrow.size() / 41 * 48, 0);
        for (std::size_t i = 0; i < narrow.size(); ++i) wide[i / 41 * 48 + i % 41] = narrow[i];
        zeros.set(slot, wide);
    }
    dispatcher->run(larger, zeros.addresses.data());
    const auto wide = zeros.read(CK_FMHA_O), narrow = tensors.read(CK_FMHA_O);
    for (std::size_t i = 0; i < narrow.size(); ++i) ASSERT_EQ(narrow[i], wide[i / 41 * 48 + i % 41]) << i;
}

class FmhaAppend : public FmhaForward {
protected:
    /// Against the same attention over the cache as it is afterwards.
    void expect_appended(const FmhaProblem& problem, const FmhaProblem& afterwards,
                         const std::vector<std::int32_t>& table = {}) {
        FmhaTensors tensors(device, problem), other(device, afterwards);
        tensors.set(CK_FMHA_SEQLEN_K, std::vector<std::int32_t>{10, 25});
        if (!table.empty()) tensors.set(CK_FMHA_BLOCK_TABLE, table);
        dispatcher->run(problem, tensors.addresses.data());
        device->synchronize();
        for (const auto slot : {CK_FMHA_Q, CK_FMHA_K, CK_FMHA_V}) other.set(slot, tensors.read(slot));
        other.set(CK_FMHA_SEQLEN_K, std::vector<std::int32_t>{10 + 3, 25 + 3});
        if (!table.empty()) other.set(CK_FMHA_BLOCK_TABLE, table);
        expect_right(afterwards, other);
        EXPECT_EQ(tensors.read(CK_FMHA_O), other.read(CK_FMHA_O));
    }
};

TEST_F(FmhaAppend, PutsNewRowsBehindTheOld) {
    add({"append", "fwd"});
    const auto start = fp32(2, 4, 2, 3, 40).mask(Builder::Mask::bottom_right, -1, 0).with(CK_FMHA_SEQLEN_K);
    const auto problem = Builder(start).append(3).build();
    EXPECT_EQ(selected(problem), (Kernels{"append", "fwd"}));
    FmhaTensors tensors(device, problem);
    const auto cache = tensors.read(CK_FMHA_K), added = tensors.read(CK_FMHA_K_NEW);
    tensors.set(CK_FMHA_SEQLEN_K, std::vector<std::int32_t>{10, 25});
    dispatcher->run(problem, tensors.addresses.data());
    auto expected = cache;
    std::copy_n(added.begin(), 96, expected.begin() + 10 * 32);
    std::copy_n(added.begin() + 96, 96, expected.begin() + (40 + 25) * 32);
    EXPECT_EQ(tensors.read(CK_FMHA_K), expected);
    expect_appended(problem, Builder(start).build());
}

TEST_F(FmhaAppend, RotatesThemAndTheQueries) {
    add({"append_half", "append_paged", "fwd", "pagedkv"});
    const auto start = fp32(2, 4, 2, 3, 40).mask(Builder::Mask::bottom_right, -1, 0).with(CK_FMHA_SEQLEN_K);
    expect_appended(Builder(start).append(3).rotary("half", 16, 64).build(), Builder(start).build());
    const auto paged = fp32(2, 4, 2, 3, 128)
                           .mask(Builder::Mask::bottom_right, -1, 0)
                           .with(CK_FMHA_SEQLEN_K)
                           .pages(64, 5, 2)
                           .split_kv(1);
    expect_appended(Builder(paged).append(3).rotary("interleaved", 16, 128).build(), Builder(paged).build(),
                    {4, 0, 1, 3});
}

}  // namespace
}  // namespace ckdispatch

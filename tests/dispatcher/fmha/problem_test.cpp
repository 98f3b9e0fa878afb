// SPDX-License-Identifier: MIT
// What a problem says of its tensors, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "ckdispatch/fmha/family.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using Builder = FmhaProblemBuilder;

Builder fp16() { return Builder().dtype("fp16").sizes(2, 8, 2).lengths(100, 300).head_sizes(64); }

void expect_refused(const Builder& builder, const std::string& sentence) {
    EXPECT_REFUSED(ErrorCode::invalid_argument, "An attention " + sentence, builder.build());
}

TEST(FmhaProblem, IsShownByWhatItComputes) {
    EXPECT_EQ(fp16().build().text(), "fmha forward fp16 2x8/2x100x300x64");
    EXPECT_EQ(fp16().mask(Builder::Mask::bottom_right, -1, 0).with(CK_FMHA_LSE).build().text(),
              "fmha forward fp16 2x8/2x100x300x64 causal from the bottom right lse");
    EXPECT_EQ(
        fp16().backward().mask(Builder::Mask::top_left, 5, 3).head_sizes(64, 32).deterministic(true).build().text(),
        "fmha backward fp16 2x8/2x100x300x64/32 window 5,3 from the top left lse deterministic");
}

TEST(FmhaProblem, HasTheStridesOfItsLayout) {
    const auto bshd = fp16().head_sizes(64, 32).with(CK_FMHA_LSE).build(),
               bhsd = fp16().head_sizes(64, 32).layout(Builder::Layout::bhsd).build();
    EXPECT_TRUE((bshd.strides[CK_FMHA_Q] == FmhaStrides{512, 64, 51200, 0}));
    EXPECT_TRUE((bshd.strides[CK_FMHA_K] == FmhaStrides{128, 64, 38400, 0}));
    EXPECT_TRUE((bshd.strides[CK_FMHA_V] == FmhaStrides{64, 32, 19200, 0}));
    EXPECT_TRUE((bshd.strides[CK_FMHA_O] == FmhaStrides{256, 32, 25600, 0}));
    EXPECT_TRUE((bshd.strides[CK_FMHA_LSE] == FmhaStrides{1, 100, 800, 0}));
    EXPECT_TRUE((bhsd.strides[CK_FMHA_Q] == FmhaStrides{64, 6400, 51200, 0}));
    EXPECT_TRUE((bhsd.strides[CK_FMHA_V] == FmhaStrides{32, 9600, 19200, 0}));
    const auto packed = fp16().group(150, 400).with(CK_FMHA_LSE).build();
    EXPECT_TRUE((packed.strides[CK_FMHA_Q] == FmhaStrides{512, 64, 0, 0}));
    EXPECT_TRUE((packed.strides[CK_FMHA_LSE] == FmhaStrides{1, 150, 0, 0}));
    const auto paged = fp16().pages(64, 20, 5).build();
    EXPECT_TRUE((paged.strides[CK_FMHA_K] == FmhaStrides{128, 64, 8192, 0}));
}

TEST(FmhaProblem, DropsAMaskThatLeavesNothingOut) {
    EXPECT_FALSE(fp16().lengths(1, 300).mask(Builder::Mask::bottom_right, -1, 0).build().masked());
    EXPECT_FALSE(fp16().mask(Builder::Mask::bottom_right, 299, 99).build().masked());
    EXPECT_FALSE(fp16().mask(Builder::Mask::top_left, 99, 299).build().masked());
    EXPECT_TRUE(fp16().mask(Builder::Mask::bottom_right, 298, 99).build().masked());
    EXPECT_TRUE(fp16().mask(Builder::Mask::top_left, 99, 298).build().masked());
    EXPECT_EQ(fp16().mask(Builder::Mask::top_left, 99, 0).build().window_left, -1);
    // Which keys slopes are counted from is up to the mask.
    EXPECT_TRUE(fp16().lengths(1, 300).mask(Builder::Mask::bottom_right, -1, 0).bias("alibi").build().masked());
}

TEST(FmhaProblem, TellsDecodesFromPrefills) {
    const auto mixed = [] { return fp16().sizes(32, 8, 2).lengths(2048, 4096).group(2048 + 31, 131072); };
    EXPECT_EQ(mixed().decode_rows(1).build().prefills(), 1);
    EXPECT_EQ(mixed().build().prefills(), 32);
    EXPECT_FALSE(mixed().decode_rows(1).build() == mixed().build());
    // Where all are decodes there is none to be told apart.
    EXPECT_TRUE(mixed().decode_rows(2048).build() == mixed().build());
}

TEST(FmhaProblem, IsComparedAndHashedByAllOfIt) {
    const auto one = fp16().build();
    EXPECT_TRUE(one == fp16().build());
    EXPECT_EQ(one.hash(), fp16().build().hash());
    for (const auto& other :
         {fp16().lengths(101, 300).build(), fp16().scale(0.5f).build(), fp16().with(CK_FMHA_LSE).build(),
          fp16().layout(Builder::Layout::bhsd).build(), fp16().dtype("bf16").build(), fp16().alignment(8).build(),
          fp16().split_kv(2).build(), fp16().mask(Builder::Mask::top_left, -1, 0).build()}) {
        EXPECT_FALSE(one == other) << other.text();
        EXPECT_NE(one.hash(), other.hash()) << other.text();
    }
}

TEST(FmhaProblem, SaysWhereItsTensorsAre) {
    const auto problem = fp16().with(CK_FMHA_LSE).build();
    const auto region = [&](const FmhaProblem& of, std::size_t slot) {
        return FmhaFamily::region(of, FmhaFamily::tensor_of(slot));
    };
    EXPECT_EQ(region(problem, CK_FMHA_Q).reach, 2u * 2 * 100 * 8 * 64);
    EXPECT_EQ(region(problem, CK_FMHA_Q).width, region(problem, CK_FMHA_Q).reach);
    EXPECT_FALSE(region(problem, CK_FMHA_Q).written);
    EXPECT_TRUE(region(problem, CK_FMHA_O).written);
    EXPECT_EQ(region(problem, CK_FMHA_LSE).reach, 4u * 2 * 100 * 8);
    EXPECT_EQ(region(problem, CK_FMHA_BIAS).reach, 0u);
    // Parts of one tensor: rows of all heads, which go on from sequence to sequence.
    auto parts = fp16()
                     .sizes(2, 8, 8)
                     .lengths(100, 100)
                     .backward()
                     .layout(Builder::Layout::strides)
                     .strides(CK_FMHA_LSE, 1, 100, 800);
    for (const auto slot : {CK_FMHA_Q, CK_FMHA_K, CK_FMHA_V, CK_FMHA_DQ, CK_FMHA_DK, CK_FMHA_DV})
        parts.strides(slot, 1536, 64, 153600);
    for (const auto slot : {CK_FMHA_O, CK_FMHA_D_O}) parts.strides(slot, 512, 64, 51200);
    const Region third = region(parts.build(), CK_FMHA_DK);
    EXPECT_EQ(third.width, 1024u);
    EXPECT_EQ(third.lines, 200u);
    EXPECT_EQ(third.pitch, 3072u);
    EXPECT_EQ(third.matrices * third.sets, 1u);
    // Of each page the rows of one head are far apart.
    const Region cache = region(fp16()
                                    .append(1)
                                    .with(CK_FMHA_SEQLEN_K)
                                    .pages(64, 20, 5)
                                    .layout(Builder::Layout::strides)
                                    .strides(CK_FMHA_Q, 512, 64, 51200)
                                    .strides(CK_FMHA_O, 512, 64, 51200)
                                    .strides(CK_FMHA_K_NEW, 128, 64, 128)
                                    .strides(CK_FMHA_V_NEW, 128, 64, 128)
                                    .strides(CK_FMHA_K, 200, 100, 20000)
                                    .strides(CK_FMHA_V, 128, 64, 8192)
                                    .build(),
                                CK_FMHA_K);
    EXPECT_TRUE(cache.written);
    EXPECT_EQ(cache.width, 128u);
    EXPECT_EQ(cache.lines, 128u);
    EXPECT_EQ(cache.matrices, 20u);
    EXPECT_EQ(cache.reach, 2u * (19 * 20000 + 127 * 100 + 64));
}

TEST(FmhaProblem, CountsWhatAMaskLeaves) {
    const auto square = Builder().dtype("fp16").sizes(1, 1).lengths(1024, 1024).head_sizes(64);
    EXPECT_EQ(Builder(square).build().flops(), 4.0 * 1024 * 1024 * 64);
    EXPECT_NEAR(Builder(square).mask(Builder::Mask::top_left, -1, 0).build().flops(), 2.0 * 1024 * 1025 * 64, 1e4);
    EXPECT_EQ(Builder(square).backward().build().flops(), 10.0 * 1024 * 1024 * 64);
}

TEST(FmhaProblem, OfOtherSizesIsRefused) {
    expect_refused(fp16().dtype("int8"),
                   "of the dtype 'int8' was asked for; its dtype is fp16, bf16, fp32, fp8, fp8bf16 or fp8fp32.");
    expect_refused(fp16().sizes(0, 8), "of 0 sequences was asked for; there are from 1 to 2^31-1.");
    expect_refused(
        fp16().sizes(1, 8, 3),
        "with 8 heads of q and 3 of k was asked for; each head of k serves equally many of q, at least one.");
    expect_refused(fp16().head_sizes(0), "with heads of the sizes 0 and 0 was asked for; they are from 1 to 1024.");
    expect_refused(fp16().head_sizes(64, 2000),
                   "with heads of the sizes 64 and 2000 was asked for; they are from 1 to 1024.");
    expect_refused(fp16().lengths(1, std::int64_t(1) << 31),
                   "of 1 rows and 2147483648 keys was asked for; there are from 0 to 2^31-1 of each.");
    expect_refused(fp16().lengths(-1, 5), "of -1 rows and 5 keys was asked for; there are from 0 to 2^31-1 of each.");
    expect_refused(fp16().group(-1, 5),
                   "of sequences in -1 and 5 rows was asked for; there are from 0 to 2^31-1 of q and of k.");
    expect_refused(fp16().group(100, 300).decode_rows(-1),
                   "with decodes of up to -1 rows was asked for; there are from 0 to 2^31-1.");
    expect_refused(fp16().decode_rows(1),
                   "with decodes of up to 1 rows in sequences of a batch was asked for; packed ones have lengths by "
                   "which decodes can be told from prefills.");
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "An attention with addresses aligned to 3 bytes was asked for; an alignment is 1, 2, 4, 8 or 16.",
                   fp16().alignment(3).build());
}

TEST(FmhaProblem, OfOtherScoresIsRefused) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    expect_refused(
        fp16().scale(nan),
        "with a scale that is no finite number was asked for; 1 / sqrt(hdim_q) is usual, and 0 stands for it.");
    expect_refused(fp16().soft_cap(-1),
                   "with a soft cap of -1.0 was asked for; it is a positive number, or 0 for none.");
    EXPECT_THROW(fp16().soft_cap(nan).build(), Error);
    expect_refused(fp16().bias("some"),
                   "with a bias of the kind 'some' was asked for; it is none, elementwise or alibi.");
    expect_refused(fp16().bias("alibi").soft_cap(1),
                   "with a soft cap and a bias was asked for; kernels have one or the other.");
    expect_refused(fp16().fp8_scales(1, 1), "of fp16 with scales of p and o was asked for; only fp8 has them.");
    expect_refused(
        fp16().dtype("fp8").fp8_scales(1, 0),
        "with the scales 1.0 of p and 0.0 of o was asked for; both are positive numbers, or both are 0 for none.");
    expect_refused(fp16().dtype("fp8").soft_cap(1), "of fp8 with a soft cap was asked for; fp8 has none.");
    expect_refused(
        fp16().mask(Builder::Mask(3)),
        "with a mask of the kind 3 was asked for; it is 0 for none, 1 from the top left, or 2 from the bottom right.");
    expect_refused(fp16().mask(Builder::Mask::top_left, -2, 0),
                   "with a window of -2 keys before and 0 behind a row's own was asked for; they are from 0 to 2^31-1, "
                   "or -1 for all.");
    expect_refused(fp16().sink_tokens(4),
                   "that keeps the first 4 keys was asked for; it has a mask with a window that ends to the left.");
    const auto kept = fp16().mask(Builder::Mask::top_left, 5, 0).sink_tokens(4);
    for (const auto& builder : {Builder(kept).with(CK_FMHA_SEQLEN_K), Builder(kept).with(CK_FMHA_SEQLEN_Q),
                                Builder(kept).group(150, 450), Builder(kept).page_list(1, 4, 40)})
        expect_refused(builder,
                       "that keeps the first 4 keys of sequences with lengths of their own was asked for; where the "
                       "first keys end before a window "
                       "depends on the length, and kernels have one window for all sequences.");
    EXPECT_NO_THROW(Builder(kept).pages(64, 20, 5).build());
}

TEST(FmhaProblem, OfOtherDropoutOrPartsIsRefused) {
    expect_refused(fp16().dropout(1, 0, 0), "with a dropout of 1.0 was asked for; it is from 0 to less than 1.");
    EXPECT_THROW(fp16().dropout(-0.1f, 0, 0).build(), Error);
    EXPECT_THROW(fp16().dropout(std::numeric_limits<float>::quiet_NaN(), 0, 0).build(), Error);
    expect_refused(fp16().with(CK_FMHA_RANDVAL),
                   "with random values or their seed, and no dropout was asked for; they are those of a dropout.");
    expect_refused(fp16().dropout(0.1f, 1, 2).split_kv(2),
                   "with a dropout over pages, a cache, parts of the keys, sink tokens or fp8 was asked for; kernels "
                   "with a dropout have none of them.");
    expect_refused(
        fp16().split_kv(129),
        "with its keys in 129 parts was asked for; there are from 1 to 128, or 0 for the dispatcher to choose.");
}

TEST(FmhaProblem, OfOtherGradientsIsRefused) {
    expect_refused(fp16().with(CK_FMHA_DBIAS),
                   "with the gradient of a bias was asked for; it is one of the gradients of an attention with an "
                   "elementwise bias.");
    expect_refused(fp16().backward().dtype("fp8"),
                   "for its gradients in fp8 was asked for; they are computed in fp16, bf16 and fp32.");
    expect_refused(fp16().backward().soft_cap(1),
                   "for its gradients with a soft cap was asked for; no kernel computes them.");
    expect_refused(fp16().backward().dropout(0.1f, 1, 2).with(CK_FMHA_RANDVAL),
                   "for its gradients with random values was asked for; they are those of the forward pass, and are "
                   "not stored again.");
    for (const auto& builder : {fp16().split_kv(2), fp16().group(150, 450).decode_rows(1)})
        expect_refused(
            Builder(builder).backward(),
            "for its gradients over pages, a cache, new rows, parts of the keys, sink tokens or decodes was asked for; "
            "gradients are those of plain keys.");
}

TEST(FmhaProblem, OfOtherPagesIsRefused) {
    expect_refused(fp16().pages(0, 4, 5), "with a table of pages of no rows was asked for; a page has at least one.");
    expect_refused(fp16().pages(64, 0, 5),
                   "over pages of which there are none was asked for; k and v have at least one.");
    expect_refused(fp16().pages(64, 4, 0),
                   "over pages with neither a block table nor a list was asked for; they are found by one of them.");
    expect_refused(fp16().pages(64, 4, 4),
                   "over 300 keys in pages of 64, of which block_table has 4 for a sequence was asked for; these do "
                   "not hold them.");
    expect_refused(fp16().page_list(16, 4, 40),
                   "over a list of pages of 16 rows was asked for; lists have a row of k for each key: give pages of 1 "
                   "row, or a block table.");
    expect_refused(fp16().page_list(1, 4, 40).with(CK_FMHA_SEQLEN_K),
                   "over a list of pages with lengths of k, a cache index or new rows was asked for; kv_indptr says "
                   "how many keys a sequence has.");
    expect_refused(fp16().group(100, 300).with(CK_FMHA_CACHE_INDEX),
                   "of packed sequences with a cache index was asked for; it is for sequences of a batch.");
}

TEST(FmhaProblem, OfOtherNewRowsIsRefused) {
    expect_refused(fp16().append(301), "that appends 301 rows was asked for; they are among its 300 keys.");
    expect_refused(fp16().append(1).group(100, 300),
                   "of packed sequences that appends rows was asked for; rows are appended to sequences of a batch.");
    expect_refused(fp16().append(1),
                   "that appends rows without seqlen_k was asked for; it says how many rows were there before.");
    const auto added = fp16().append(1).with(CK_FMHA_SEQLEN_K);
    expect_refused(Builder(added).rotary("some", 16, 300),
                   "with a rotation of the kind 'some' was asked for; it is none, interleaved or half.");
    expect_refused(fp16().rotary("half", 16, 300),
                   "with a rotation and no new rows was asked for; rows are rotated when they are appended.");
    expect_refused(Builder(added).dtype("fp8").rotary("half", 16, 300),
                   "of fp8 with a rotation was asked for; rows are rotated in fp16, bf16 and fp32.");
    expect_refused(Builder(added).rotary("half", 24, 300),
                   "with a rotation of 24 of 64 elements was asked for; it is of a multiple of 16, up to all of them.");
    expect_refused(Builder(added).rotary("half", 80, 300),
                   "with a rotation of 80 of 64 elements was asked for; it is of a multiple of 16, up to all of them.");
    expect_refused(Builder(added).rotary("half", 16, 299),
                   "over 300 keys with a rotation for 299 positions was asked for; there is one for each key.");
}

TEST(FmhaProblem, OfOtherStridesIsRefused) {
    auto builder = fp16()
                       .layout(Builder::Layout::strides)
                       .strides(CK_FMHA_Q, 512, 64, 51200)
                       .strides(CK_FMHA_K, 128, 64, 38400)
                       .strides(CK_FMHA_V, 128, 64, 38400);
    expect_refused(Builder(builder).strides(CK_FMHA_O, 512, 63, 51200),
                   "with o of the strides 512 by row, 63 by head and 51200 by sequence was asked for; elements of what "
                   "is written have places of their own.");
    expect_refused(Builder(builder).strides(CK_FMHA_O, 512, 64, 51200).strides(CK_FMHA_K, -1, 64, 0),
                   "with k of the strides -1 by row, 64 by head and 0 by sequence was asked for; strides are from 0, "
                   "and less than 2^31 within a sequence.");
    EXPECT_NO_THROW(Builder(builder).strides(CK_FMHA_O, 512, 64, 51200).strides(CK_FMHA_K, 0, 0, 0).build());
    // Of no keys there is nothing that could overlap.
    EXPECT_NO_THROW(fp16().backward().lengths(100, 0).build());
}

}  // namespace
}  // namespace ckdispatch

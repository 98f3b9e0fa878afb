// SPDX-License-Identifier: MIT
// What an attention kernel would silently get wrong it refuses, with a sentence; what is next to that it takes.
#include "ck_kernel/host/fmha/append.hpp"
#include "ck_kernel/host/fmha/combine.hpp"
#include "ck_kernel/host/fmha/forward.hpp"

#include "fmha_refusals.hpp"

#include <gtest/gtest.h>

namespace ck_kernel::fmha {
namespace {

TEST(FmhaSupports, SizesHeadsAndAlignment) {
    check_cases<Forward>(
        config(Variant::fwd), problem(),
        {
            {[](Config&, Problem& p) { p.heads_q = 3; }, "a multiple of the second"},
            {[](Config&, Problem& p) { p.batch = 0; }, "from 1 to 2^31-1"},
            {[](Config&, Problem& p) { p.seqlen_q = 0; }, "from 1 to 2^30 rows"},
            {[](Config&, Problem& p) { p.seqlen_k = -1; }, "from 0 to 2^30 keys"},
            {[](Config&, Problem& p) { p.seqlen_k = 0; }, ""},
            {[](Config&, Problem& p) { p.hdim_q = 56; }, "exactly 64"},
            {[](Config&, Problem& p) { p.hdim_v = 72; }, "exactly 64"},
            {[](Config& c, Problem& p) { c.pads.hdim_q = 1, p.hdim_q = 51; }, ""},
            {[](Config& c, Problem& p) { c.pads.hdim_q = 1, p.hdim_q = 65; }, "up to 64"},
            {[](Config& c, Problem& p) { c.pipeline = Pipeline::qr_async, c.pads = {1, 1, 1, 1}, p.hdim_q = 56; },
             "beyond smaller heads"},
            {[](Config& c, Problem& p) { c.pipeline = Pipeline::qr_async, c.pads = {1, 1, 1, 1}, p.hdim_v = 52; },
             "8 elements at a time"},
            {[](Config& c, Problem& p) { c.pipeline = Pipeline::qr_async, c.pads = {1, 1, 1, 1}, p.hdim_v = 56; }, ""},
            {[](Config&, Problem& p) { p.strides[CK_FMHA_K].row = 132; }, "k whose stride by row is 132"},
            {[](Config&, Problem& p) { p.strides[CK_FMHA_V].head = 68; }, "v whose stride by head is 68"},
            {[](Config&, Problem& p) { p.strides[CK_FMHA_O].batch = 25604; }, "o whose stride by sequence"},
            {[](Config& c, Problem& p) { c.pads.hdim_q = 1, p.strides[CK_FMHA_K].row = 133; }, ""},
            {[](Config&, Problem& p) { p.strides[CK_FMHA_K].head = 0; }, ""},
            {[](Config&, Problem& p) { p.strides[CK_FMHA_O].head = 0; }, "a place of its own"},
            {[](Config&, Problem& p) { p.strides[CK_FMHA_O].row = 32; }, "rows of 64 elements are 32 apart"},
            {[](Config&, Problem& p) { p.strides[CK_FMHA_Q].batch = 2 * kGiB; }, "from 0 to 2^31-1"},
            {[](Config&, Problem& p) { p.strides[CK_FMHA_K].row = kGiB; }, "2 GiB or more for one head"},
            {[](Config&, Problem& p) { p.tensors[CK_FMHA_Q] = kUneven; }, "multiple of 16 bytes"},
            {[](Config&, Problem& p) { p.tensors[CK_FMHA_Q] = kAddress; }, ""},
            {[](Config&, Problem& p) { p.batch = 70000; }, "the most are"},
        });
}

TEST(FmhaSupports, LengthsAndPads) {
    check_cases<Forward>(
        config(Variant::fwd), problem(),
        {
            {[](Config& c, Problem&) { c.pads.q = 0; }, "100 rows and needs a multiple of 128"},
            {[](Config& c, Problem&) { c.pads.k = 0; }, "150 keys and needs a multiple of 64"},
            {[](Config& c, Problem& p) { c.pads.k = 0, p.seqlen_k = 128; }, ""},
            {[](Config& c, Problem& p) { c.pads.k = 0, p.seqlen_k = 0; }, ""},
            {[](Config& c, Problem& p) { c.pads.k = 0, c.mask = false, p.seqlen_k = 0; }, "no keys at all"},
            {[](Config& c, Problem& p) { c.pads.k = 0, p.seqlen_k = 128, p.tensors[CK_FMHA_SEQLEN_K] = kAddress; },
             "given seqlen_k and does not pad"},
            {[](Config& c, Problem& p) { c.pads.q = 0, p.seqlen_q = 128, p.tensors[CK_FMHA_SEQLEN_Q] = kAddress; },
             "given seqlen_q and does not pad"},
            {[](Config&, Problem& p) { p.tensors[CK_FMHA_SEQSTART_Q] = kAddress; }, "packed sequences"},
            {[](Config& c, Problem& p) { c.group = true, p.tensors[CK_FMHA_SEQSTART_Q] = kAddress; }, ""},
            {[](Config& c, Problem& p) { c.group = true, p.tensors[CK_FMHA_CACHE_INDEX] = kAddress; },
             "cache_index, which it does not know"},
            {[](Config&, Problem& p) { p.tensors[CK_FMHA_CACHE_INDEX] = kAddress; }, ""},
            {[](Config&, Problem& p) { p.page_rows = 64; }, "pages of 64"},
        });
}

TEST(FmhaSupports, Features) {
    check_cases<Forward>(
        config(Variant::fwd), problem(),
        {
            {[](Config&, Problem& p) { p.mask = 3; }, "mask 3"},
            {[](Config&, Problem& p) { p.mask = CK_FMHA_MASK_TOP_LEFT; }, ""},
            {[](Config& c, Problem& p) { c.mask = false, p.mask = CK_FMHA_MASK_TOP_LEFT; }, "a mask and has none"},
            {[](Config&, Problem& p) { p.soft_cap = 30; }, "does not cap"},
            {[](Config& c, Problem&) { c.soft_cap = true; }, "all would be zero"},
            {[](Config& c, Problem& p) { c.soft_cap = true, p.soft_cap = 30; }, ""},
            {[](Config&, Problem& p) { p.soft_cap = -1; }, "not negative"},
            {[](Config&, Problem& p) { p.scale = std::stof("inf"); }, "finite"},
            {[](Config&, Problem& p) { p.p_drop = 0.5f; }, "drops nothing"},
            {[](Config& c, Problem& p) { c.dropout = true, p.p_drop = 0.5f; }, ""},
            {[](Config& c, Problem&) { c.dropout = true; }, ""},
            {[](Config& c, Problem& p) { c.dropout = true, p.p_drop = 1; }, "less than 1"},
            {[](Config& c, Problem& p) { c.dropout = true, p.p_drop = std::stof("nan"); }, "less than 1"},
            {[](Config&, Problem& p) { p.scale_p = 2; }, "static scales"},
            {[](Config&, Problem& p) { p.min_seqlen_q = 1; }, "skips none"},
            {[](Config&, Problem& p) { p.tensors[CK_FMHA_BIAS] = kAddress; }, "a bias and adds none"},
            {[](Config& c, Problem& p) { c.lse = false, p.tensors[CK_FMHA_LSE] = kAddress; }, "stores none"},
            {[](Config&, Problem& p) { p.tensors[CK_FMHA_RANDVAL] = kAddress; }, "makes none"},
            {[](Config& c, Problem&) { c.bias = Bias::elementwise; }, ""},
            {[](Config& c, Problem& p) { c.bias = Bias::elementwise, p.strides[CK_FMHA_BIAS] = {0, 0, 0, 0}; }, ""},
            {[](Config& c, Problem& p) { c.bias = Bias::alibi, p.seqlen_k = 65536; }, ""},
            {[](Config& c, Problem& p) { c.bias = Bias::alibi, p.seqlen_k = 65537; }, "16 bits"},
        });
}

TEST(FmhaSupports, ScalesOfScores) {
    check_cases<Forward>(config(Variant::fwd), problem(),
                         {
                             {[](Config&, Problem& p) { p.scale = 0; }, "the scale must be positive"},
                             {[](Config&, Problem& p) { p.scale = -1; }, "the scale must be positive"},
                             {[](Config& c, Problem& p) { c.bias = Bias::elementwise, p.scale = -1; }, ""},
                             {[](Config& c, Problem& p) { c.soft_cap = true, p.soft_cap = 30, p.scale = -1; }, ""},
                         });
}

TEST(FmhaSupports, V3HasNoLimitToTheLeft) {
    const auto masked = [](std::int32_t mask, std::int64_t left) {
        return [=](Config&, Problem& p) { p.mask = mask, p.window_left = left, p.window_right = 0; };
    };
    check_cases<Forward>(config(Variant::fwd, Pipeline::v3), problem(),
                         {
                             {masked(CK_FMHA_MASK_TOP_LEFT, -1), ""},
                             {masked(CK_FMHA_MASK_TOP_LEFT, 98), "a window of 98 to the left"},
                             {masked(CK_FMHA_MASK_TOP_LEFT, 99), ""},
                             {masked(CK_FMHA_MASK_BOTTOM_RIGHT, 148), "a window of 148 to the left"},
                             {masked(CK_FMHA_MASK_BOTTOM_RIGHT, 149), ""},
                         });
    check_cases<Forward>(config(Variant::fwd), problem(), {{masked(CK_FMHA_MASK_TOP_LEFT, 3), ""}});
}

TEST(FmhaSupports, WindowsWithoutAMaskAreUnlimited) {
    Problem p = problem();
    p.window_left = 3, p.window_right = 0;
    EXPECT_LT(window_of(p).left, 0);
    EXPECT_LT(window_of(p).right, 0);
    p.mask = CK_FMHA_MASK_BOTTOM_RIGHT, p.window_left = INT64_C(1) << 40;
    EXPECT_EQ(window_of(p).left, 150);
    EXPECT_EQ(window_of(p).right, 0);
}

TEST(FmhaSupports, SplitsAndPages) {
    Config c = config(Variant::splitkv);
    Problem p = problem();
    check_cases<SplitKv>(c, p,
                         {
                             {[](Config&, Problem& q) { q.parts = 128; }, ""},
                             {[](Config&, Problem& q) { q.parts = 129; }, "from 1 to 128"},
                             {[](Config&, Problem& q) { q.parts = 0; }, "from 1 to 128"},
                             {[](Config&, Problem& q) { q.strides[CK_FMHA_O_ACC].part = kGiB / 2; }, "2 GiB or more"},
                             {[](Config&, Problem& q) { q.strides[CK_FMHA_O_ACC].row = 65; }, "4 elements at a time"},
                             {[](Config& d, Problem& q) { d.bias = Bias::alibi, q.seqlen_k = 100000; }, ""},
                             {[](Config& d, Problem& q) { d.group = true, q.tensors[CK_FMHA_SEQLEN_Q] = kAddress; },
                              "seqlen_q, which it does not know"},
                         });
    c.paged = true;
    p.page_rows = 128, p.pages = 9, p.strides[CK_FMHA_BLOCK_TABLE].batch = 2;
    p.strides[CK_FMHA_K] = p.strides[CK_FMHA_V] = {128, 64, 128 * 128, 0};
    const std::vector<Case> paged = {
        {[](Config&, Problem& q) { q.page_rows = 96; }, "pages of 96 keys and takes 64 at a time"},
        {[](Config&, Problem& q) { q.page_rows = 0; }, "pages of 0"},
        {[](Config&, Problem& q) { q.seqlen_k = 257; }, "a row of the block table has 2 pages of 128"},
        {[](Config&, Problem& q) { q.pages = 0; }, "32 bits"},
        {[](Config&, Problem& q) { q.strides[CK_FMHA_BLOCK_TABLE].batch = kGiB; }, "32 bits"},
    };
    check_cases<SplitKv>(c, p, paged);
    c.variant = Variant::pagedkv;
    check_cases<PagedKv>(c, p, paged);
}

TEST(FmhaSupports, MergedHeadsAreRowsOfOneView) {
    Config c = config(Variant::splitkv);
    c.merged = true, c.mask = false;
    check_cases<SplitKv>(c, problem(),
                         {{[](Config&, Problem& p) { p.strides[CK_FMHA_Q].head = kGiB; }, "heads that share keys"}});
    EXPECT_EQ(SplitKv::grid(c, problem(), 64).y, 2);
}

TEST(FmhaSupports, Combining) {
    Config c = config(Variant::combine, Pipeline::none);
    c.max_splits = 8;
    c.tile[0] = 32;
    check_cases<Combine>(
        c, problem(),
        {
            {[](Config&, Problem& p) { p.parts = 9; }, "takes from 1 to 8"},
            {[](Config&, Problem& p) { p.hdim_v = 32; }, "exactly 64"},
            {[](Config& d, Problem& p) { d.lse = false, p.tensors[CK_FMHA_LSE] = kAddress; }, "stores none"},
        });
    EXPECT_EQ(Combine::grid(c, problem(), 64).x, 13 * 2);
    EXPECT_EQ(Combine::grid(c, problem(), 32).x, 25 * 2);
}

TEST(FmhaSupports, Appending) {
    Config c = config(Variant::appendkv, Pipeline::none);
    c.rotary = Rotary::half;
    c.tile[0] = c.tile[1] = 64;
    Problem p = problem();
    p.seqlen_new = 5, p.rotary_dim = 32;
    check_cases<AppendKv>(
        c, p,
        {
            {[](Config&, Problem& q) { q.rotary_dim = 24; }, "multiples of 16"},
            {[](Config&, Problem& q) { q.rotary_dim = 80; }, "up to the whole head"},
            {[](Config&, Problem& q) { q.rotary_dim = 0; }, "multiples of 16"},
            {[](Config&, Problem& q) { q.seqlen_new = 0; }, ""},
            {[](Config& d, Problem&) { d.rotary = Rotary::none; }, "rotates none"},
            {[](Config& d, Problem& q) { d.rotary = Rotary::none, q.rotary_dim = 0; }, ""},
            {[](Config& d, Problem& q) { d.rotary = Rotary::none, q.rotary_dim = 0, q.seqlen_new = 0; },
             "from 1 to 2^30"},
            {[](Config& d, Problem&) { d.pads.k = 0; }, "5 new rows and needs a multiple of 64"},
            {[](Config&, Problem& q) { q.tensors[CK_FMHA_ROTARY_SIN] = kUneven; }, "rotary_sin at an address"},
            {[](Config& d, Problem& q) { d.paged = true, q.page_rows = 32, q.pages = 4; },
             "pages of 32 keys and takes 64"},
        });
}

TEST(FmhaSupports, ListsOfKeys) {
    Config c = config(Variant::batch_prefill, Pipeline::qr_async);
    c.group = true;
    c.paged = true;
    c.pads = {1, 1, 1, 1};
    Problem p = problem();
    p.page_rows = 1, p.pages = 1000;
    check_cases<BatchPrefill>(
        c, p,
        {
            {[](Config&, Problem& q) { q.page_rows = 16; }, "lists of single keys"},
            {[](Config&, Problem& q) { q.pages = kGiB; }, "2 GiB or more"},
            {[](Config&, Problem& q) { q.tensors[CK_FMHA_SEQLEN_K] = kAddress; }, "seqlen_k, which it does not know"},
        });
}

}  // namespace
}  // namespace ck_kernel::fmha

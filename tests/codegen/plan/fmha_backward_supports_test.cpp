// SPDX-License-Identifier: MIT
// What a kernel of the gradients, of a sum or of sinks would silently get wrong it refuses, with a sentence; what is
// next to that it takes.
#include "ck_kernel/host/fmha/backward.hpp"
#include "ck_kernel/host/fmha/sink.hpp"
#include "ck_kernel/host/fmha/sum.hpp"

#include "fmha_refusals.hpp"

#include <gtest/gtest.h>

namespace ck_kernel::fmha {
namespace {

// Tiles of 32 rows and 128 keys, and head sizes in multiples of 8.
Config gradients(bool deterministic = false) {
    Config c = config(Variant::dq_dk_dv, Pipeline::kr);
    c.lse = false;
    c.deterministic = deterministic;
    c.tile[0] = 32, c.tile[1] = 128;
    c.pads = {1, 1, 8, 8};
    return c;
}

// Of 64 rows.
Config by_rows(Variant variant, int keys) {
    Config c = config(variant, Pipeline::none);
    c.deterministic = keys > 0;
    c.tile[0] = 64, c.tile[1] = keys;
    c.lanes = 64;
    c.pads = {1, 0, 0, 0};
    return c;
}

Problem backward(std::int64_t parts = 1) {
    Problem p = problem();
    p.parts = parts;
    pack(p, CK_FMHA_D_O, 100, 4, 64), pack(p, CK_FMHA_DQ, 100, 4, 64);
    pack(p, CK_FMHA_DK, 150, 4, 64), pack(p, CK_FMHA_DV, 150, 4, 64);
    p.strides[CK_FMHA_D] = p.strides[CK_FMHA_LSE];
    p.strides[CK_FMHA_DBIAS] = p.strides[CK_FMHA_BIAS];
    p.strides[CK_FMHA_DQ_ACC] = {64, 6400 * parts, 25600 * parts, 6400};
    return p;
}

TEST(FmhaBackwardSupports, Gradients) {
    check_cases<Gradients>(
        gradients(), backward(),
        {
            {[](Config&, Problem& p) { p.seqlen_k = 0; }, "all gradients are zero"},
            {[](Config&, Problem& p) { p.seqlen_q = 0; }, "from 1 to 2^30 rows"},
            {[](Config&, Problem& p) { p.soft_cap = 30; }, "does not cap"},
            {[](Config&, Problem& p) { p.scale = 0; }, "must be positive"},
            {[](Config& c, Problem& p) { c.bias = Bias::alibi, p.strides[CK_FMHA_BIAS] = {0, 1, 4, 0}, p.scale = -1; },
             ""},
            {[](Config&, Problem& p) { p.hdim_q = 56; }, ""},
            {[](Config&, Problem& p) { p.hdim_q = 52; }, "8 elements at a time"},
            {[](Config& c, Problem& p) { c.pads.hdim_q = 1, p.hdim_q = 51; }, ""},
            {[](Config& c, Problem& p) { c.pads.hdim_v = 0, p.hdim_v = 56; }, "exactly 64"},
            {[](Config&, Problem& p) { p.strides[CK_FMHA_DK].head = 0; }, "a place of its own"},
            {[](Config&, Problem& p) { p.strides[CK_FMHA_DV].row = 132; }, "dv whose stride by row is 132"},
            {[](Config&, Problem& p) { p.strides[CK_FMHA_DQ_ACC].row = 65, p.strides[CK_FMHA_DQ_ACC].head = 6501; },
             ""},
            {[](Config&, Problem& p) { p.strides[CK_FMHA_D].head = 101; }, "lse and d whose strides"},
            {[](Config&, Problem& p) { p.strides[CK_FMHA_LSE].row = 4; }, "next to each other"},
            {[](Config&, Problem& p) { p.tensors[CK_FMHA_LSE] = kAddress; }, ""},
            {[](Config&, Problem& p) { p.tensors[CK_FMHA_RANDVAL] = kAddress; }, "random bytes"},
            {[](Config& c, Problem& p) { c.dropout = true, p.p_drop = 0.5f, p.tensors[CK_FMHA_RANDVAL] = kAddress; },
             "stores none"},
            {[](Config&, Problem& p) { p.tensors[CK_FMHA_DBIAS] = kAddress; }, "the gradient of a bias"},
            {[](Config&, Problem& p) { p.tensors[CK_FMHA_SEQLEN_K] = kAddress; }, ""},
            {[](Config&, Problem& p) { p.tensors[CK_FMHA_SEQSTART_Q] = kAddress; }, "packed sequences"},
            {[](Config&, Problem& p) { p.page_rows = 128; }, "pages"},
            {[](Config&, Problem& p) { p.parts = 2; }, "2 parts, and has 1"},
        });
}

TEST(FmhaBackwardSupports, Biases) {
    const auto one_for_all_rows = [](Config& c, Problem& p) {
        c.bias = Bias::elementwise, p.strides[CK_FMHA_BIAS].row = 0;
    };
    check_cases<Gradients>(
        gradients(), backward(),
        {
            {one_for_all_rows, ""},
            {[=](Config& c, Problem& p) { one_for_all_rows(c, p), c.mask = false; }, "one bias for all of 100 rows"},
            {[=](Config& c, Problem& p) { one_for_all_rows(c, p), c.mask = false, p.seqlen_q = 96; }, ""},
            {[=](Config& c, Problem& p) { one_for_all_rows(c, p), c.mask = false, p.seqlen_q = 96, c.group = true; },
             "one bias"},
            {[](Config& c, Problem& p) {
                 c.bias = Bias::elementwise, c.bias_grad = true, p.strides[CK_FMHA_DBIAS].head = 0;
             },
             "dbias whose stride by head is 0"},
            {[](Config& c, Problem& p) { c.bias = Bias::alibi, p.strides[CK_FMHA_BIAS] = {0, 2, 8, 0}; },
             "slopes that are 2"},
            {[](Config& c, Problem& p) { c.bias = Bias::alibi, p.strides[CK_FMHA_BIAS] = {0, 1, 0, 0}; }, ""},
        });
}

TEST(FmhaBackwardSupports, PartsOfDq) {
    const std::vector<Case> cases{
        {[](Config&, Problem& p) { p.parts = 3; }, "3 parts, and has 2 for 150 keys"},
        {[](Config&, Problem& p) { p.strides[CK_FMHA_DQ_ACC].part = 6336; }, "from 6400"},
        {[](Config&, Problem& p) { p.strides[CK_FMHA_DQ_ACC].part = 0; }, "from 6400"},
    };
    check_cases<Gradients>(gradients(true), backward(2), cases);
    check_cases<Convert>(by_rows(Variant::convert_dq, 128), backward(2), {cases[0], cases[1]});
    check_cases<Convert>(by_rows(Variant::convert_dq, 128), backward(2),
                         {{[](Config&, Problem& p) { p.strides[CK_FMHA_DQ_ACC].part = kGiB; }, "2 GiB or more"},
                          {[](Config& c, Problem& p) { c.tile[1] = 64, p.parts = 3; }, ""}});
}

TEST(FmhaBackwardSupports, Rows) {
    const std::vector<Case> cases{
        {[](Config& c, Problem&) { c.pads.q = 0; }, "100 rows and needs a multiple of 64"},
        {[](Config& c, Problem& p) { c.pads.q = 0, p.seqlen_q = 64; }, ""},
        {[](Config& c, Problem& p) { c.pads.q = 0, p.seqlen_q = 64, p.tensors[CK_FMHA_SEQLEN_Q] = kAddress; },
         "different lengths"},
        {[](Config& c, Problem& p) { c.pads.q = 0, p.seqlen_q = 64, c.group = true; }, "different lengths"},
        {[](Config& c, Problem&) { c.group = true; }, ""},
    };
    check_cases<Dot>(by_rows(Variant::dot_do_o, 0), backward(), cases);
    check_cases<Convert>(by_rows(Variant::convert_dq, 0), backward(), cases);
    check_cases<Dot>(by_rows(Variant::dot_do_o, 0), backward(),
                     {
                         {[](Config&, Problem& p) { p.hdim_v = 56; }, "exactly 64"},
                         {[](Config& c, Problem& p) { c.pads.hdim_v = 1, p.hdim_v = 51; }, ""},
                         {[](Config&, Problem& p) { p.strides[CK_FMHA_O].head = 68; }, "o whose stride by head is 68"},
                         {[](Config&, Problem& p) { p.strides[CK_FMHA_D].row = 2; }, "next to each other"},
                         {[](Config&, Problem& p) { p.p_drop = 1; }, "less than 1"},
                     });
    check_cases<Convert>(by_rows(Variant::convert_dq, 0), backward(),
                         {{[](Config&, Problem& p) { p.seqlen_k = 0; }, ""},
                          {[](Config&, Problem& p) { p.strides[CK_FMHA_DQ].row = 258; }, "moves 4 elements"}});
}

TEST(FmhaBackwardSupports, SumsAndSinks) {
    check_cases<Sum>(by_rows(Variant::sum, 0), backward(),
                     {
                         {[](Config&, Problem& p) { p.hdim_q = 65; }, "up to 64"},
                         {[](Config&, Problem& p) { p.hdim_q = 51; }, ""},
                         {[](Config&, Problem& p) { p.strides[CK_FMHA_O].head = 0; }, "overlap"},
                         {[](Config&, Problem& p) { p.strides[CK_FMHA_Q].row = 8 * kGiB; }, ""},
                     });
    check_cases<Sink>(
        by_rows(Variant::sink, 0), backward(),
        {
            {[](Config&, Problem& p) { p.hdim_v = 65; }, "up to 64"},
            {[](Config&, Problem& p) { p.strides[CK_FMHA_LSE].row = 4; }, "next to each other"},
            {[](Config&, Problem& p) { p.strides[CK_FMHA_LSE].head = 0; }, "overlap"},
            {[](Config&, Problem& p) { p.strides[CK_FMHA_O].batch = 0; }, "overlap"},
            {[](Config&, Problem& p) { p.strides[CK_FMHA_O].batch = 0, p.tensors[CK_FMHA_SEQSTART_Q] = kAddress; }, ""},
        });
}

TEST(FmhaBackwardSupports, TensorsThatAreNeeded) {
    Problem p = backward();
    for (const int index : Gradients::kNeeded) p.tensors[index] = kAddress;
    const Config c = gradients();
    EXPECT_TRUE(Gradients::lacks_feature(c, p));
    p.tensors[CK_FMHA_DQ_ACC] = kAddress;
    EXPECT_FALSE(Gradients::lacks_feature(c, p));
    Config biased = c;
    biased.bias = Bias::elementwise, biased.bias_grad = true;
    p.tensors[CK_FMHA_BIAS] = kAddress;
    EXPECT_TRUE(Gradients::lacks_feature(biased, p));
    p.tensors[CK_FMHA_DBIAS] = kAddress;
    EXPECT_FALSE(Gradients::lacks_feature(biased, p));
    Config whole = c;
    whole.pipeline = Pipeline::qr_trload;
    EXPECT_TRUE(Gradients::lacks_feature(whole, p)) << "such a kernel writes dq";
}

}  // namespace
}  // namespace ck_kernel::fmha

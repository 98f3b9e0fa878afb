// SPDX-License-Identifier: MIT
// What the tests of refusals share: a kernel, a problem that it takes, and changes of both.
#pragma once

#include "ck_kernel/host/fmha/checks.hpp"
#include "ck_kernel/host/fmha/subject.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace ck_kernel::fmha {

using Problem = ck_fmha_problem;

// A fp16 kernel for heads of 64 that pads rows and keys.
inline Config config(Variant variant, Pipeline pipeline = Pipeline::qr) {
    Config c{};
    c.variant = variant;
    c.pipeline = pipeline;
    c.hdim_q = c.hdim_v = 64;
    c.bytes = c.o_bytes = c.bias_bytes = 2;
    c.mask = c.lse = true;
    const int tile[] = {128, 64, 32, 64, 32, 64};
    for (int i = 0; i < 6; ++i) c.tile[i] = tile[i];
    c.waves = 4;
    c.pads = {1, 1, 0, 0};
    return c;
}

inline void pack(Problem& p, int index, std::int64_t rows, std::int64_t heads, std::int64_t width) {
    p.strides[index] = {heads * width, width, rows * heads * width, 0};
}

// 2 sequences of 100 rows and 150 keys, 4 heads over 2, each tensor packed.
inline Problem problem() {
    Problem p{};
    p.batch = 2, p.heads_q = 4, p.heads_k = 2, p.hdim_q = p.hdim_v = 64, p.seqlen_q = 100, p.seqlen_k = 150;
    p.scale = 0.125f, p.scale_p = p.scale_o = 1;
    p.window_left = p.window_right = -1;
    p.parts = 3;
    pack(p, CK_FMHA_Q, 100, 4, 64), pack(p, CK_FMHA_O, 100, 4, 64);
    pack(p, CK_FMHA_K, 150, 2, 64), pack(p, CK_FMHA_V, 150, 2, 64);
    pack(p, CK_FMHA_K_NEW, 5, 2, 64), pack(p, CK_FMHA_V_NEW, 5, 2, 64);
    p.strides[CK_FMHA_BIAS] = {160, 16000, 64000, 0};
    p.strides[CK_FMHA_LSE] = {1, 100, 400, 0};
    p.strides[CK_FMHA_O_ACC] = {64, 19200, 76800, 6400};
    p.strides[CK_FMHA_LSE_ACC] = {1, 300, 1200, 100};
    return p;
}

template <typename Stage>
std::string refusal(const Config& c, const Problem& p) {
    char why[512];
    const Subject kernel{c, "a kernel"};
    const Reason reason(why, sizeof why);
    if (check_sizes(kernel, p, reason) == CK_KERNEL_OK && Stage::check(kernel, p, reason) == CK_KERNEL_OK &&
        check_grid(kernel, Stage::grid(c, p, 64), 256, reason) == CK_KERNEL_OK)
        return "";
    return why;
}

struct Case {
    std::function<void(Config&, Problem&)> change;
    const char* words;  // empty if it is taken
};

template <typename Stage>
void check_cases(const Config& kernel, const Problem& asked, const std::vector<Case>& cases) {
    EXPECT_EQ(refusal<Stage>(kernel, asked), "");
    for (std::size_t i = 0; i < cases.size(); ++i) {
        Config c = kernel;
        Problem p = asked;
        cases[i].change(c, p);
        const std::string why = refusal<Stage>(c, p);
        if (cases[i].words[0] == '\0') EXPECT_EQ(why, "") << "case " << i;
        else EXPECT_NE(why.find(cases[i].words), std::string::npos) << "case " << i << ": " << why;
    }
}

inline void* const kAddress = reinterpret_cast<void*>(0x10000);
inline void* const kUneven = reinterpret_cast<void*>(0x10008);
constexpr auto kGiB = INT64_C(1) << 30;

}  // namespace ck_kernel::fmha

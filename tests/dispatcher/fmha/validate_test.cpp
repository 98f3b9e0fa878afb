// SPDX-License-Identifier: MIT
// What the CPU says of gradients and of new rows, right ones and wrong ones.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/dispatcher/support/attentions.hpp"

namespace ckdispatch {
namespace {

using test::Builder;
using test::FmhaTensors;

class FmhaValidate : public test::MadeUpAttentions {
protected:
    using Lengths = std::vector<std::int32_t>;

    static void set_lengths(FmhaTensors& tensors, const Lengths& q, const Lengths& k) {
        if (q.empty()) return;
        tensors.set(CK_FMHA_SEQSTART_Q, q);
        tensors.set(CK_FMHA_SEQSTART_K, k);
    }

    /// Of the gradients for what the forward pass gave.
    Validation gradients(const Builder& builder, const Lengths& q = {}, const Lengths& k = {}) {
        const FmhaProblem forward = Builder(builder).with(CK_FMHA_LSE).build(),
                          backward = Builder(builder).backward().build();
        FmhaTensors before(device, forward), tensors(device, backward);
        set_lengths(before, q, k);
        set_lengths(tensors, q, k);
        for (const auto slot : {CK_FMHA_Q, CK_FMHA_K, CK_FMHA_V}) before.set(slot, tensors.read(slot));
        if (backward.has(CK_FMHA_BIAS)) before.set(CK_FMHA_BIAS, tensors.read(CK_FMHA_BIAS));
        dispatcher->run(forward, before.addresses.data());
        for (const auto slot : {CK_FMHA_O, CK_FMHA_LSE}) tensors.set(slot, before.read(slot));
        for (const auto slot : {CK_FMHA_DQ, CK_FMHA_DK, CK_FMHA_DV}) tensors.fill(slot, -77);
        return validate(*dispatcher, backward, tensors.addresses.data());
    }
    void expect_right_gradients(const Builder& builder, std::int64_t checked, const Lengths& q = {},
                                const Lengths& k = {}) {
        const Validation result = gradients(builder, q, k);
        EXPECT_TRUE(result.ok()) << result.wrong << " of " << result.checked << ", " << result.actual << " for "
                                 << result.expected;
        EXPECT_EQ(result.checked, checked);
    }
};

TEST_F(FmhaValidate, FindsGradientsRight) {
    add({"fwd", "fwd_group", "dot", "dot_group", "gradients", "gradients_group", "convert", "convert_group", "sum"});
    expect_right_gradients(fp32(2, 2, 2, 20, 30), 2 * 2 * (20 + 2 * 30) * 16);
    expect_right_gradients(fp32(1, 4, 2, 20, 30).mask(Builder::Mask::bottom_right, 6, 0), (4 * 20 + 2 * 2 * 30) * 16);
    // Keys of a sequence without rows have gradients of zero.
    expect_right_gradients(fp32(3, 2, 1, 12, 20).group(22, 33), (2 * 22 + 2 * 33) * 16, {0, 12, 12, 22},
                           {0, 20, 25, 33});
}

TEST_F(FmhaValidate, FindsThoseOfABiasRight) {
    add({"fwd_bias", "dot", "gradients_bias", "convert"});
    const auto builder =
        fp32(1, 2, 2, 10, 15).bias("elementwise").mask(Builder::Mask::top_left, -1, 0).with(CK_FMHA_DBIAS);
    const FmhaProblem backward = Builder(builder).backward().build();
    FmhaTensors tensors(device, backward);
    // Any lse will do: all gradients are those of weights that it makes.
    tensors.fill(CK_FMHA_LSE, 3);
    tensors.fill(CK_FMHA_DBIAS, -77);
    const Validation result = validate(*dispatcher, backward, tensors.addresses.data());
    EXPECT_TRUE(result.ok()) << result.wrong << " of " << result.checked << ", " << result.actual << " for "
                             << result.expected;
    EXPECT_EQ(result.checked, 2 * (10 + 2 * 15) * 16 + 2 * 10 * 15);
}

TEST_F(FmhaValidate, FindsTheOneThatIsWrong) {
    add({"fwd", "dot", "gradients_wrong", "convert"});
    const Validation result = gradients(fp32(2, 2, 2, 20, 30));
    EXPECT_EQ(result.wrong, 1);
    EXPECT_EQ(result.worst, (std::vector<std::int64_t>{std::int64_t(FmhaFamily::tensor_of(CK_FMHA_DV)), 1, 1, 2, 3}));
    EXPECT_NEAR(result.actual, result.expected + 1, 1e-4);
}

TEST_F(FmhaValidate, FindsNewRowsAndTurnedOnesRight) {
    add({"append", "append_half", "append_paged", "fwd", "pagedkv"});
    const auto start = fp32(2, 4, 2, 3, 128).mask(Builder::Mask::bottom_right, -1, 0).with(CK_FMHA_SEQLEN_K).append(3);
    const auto check = [&](const FmhaProblem& problem, bool turned) {
        FmhaTensors tensors(device, problem);
        tensors.set(CK_FMHA_SEQLEN_K, Lengths{10, 25});
        if (problem.paged()) tensors.set(CK_FMHA_BLOCK_TABLE, Lengths{4, 0, 1, 3});
        const Validation result = validate(*dispatcher, problem, tensors.addresses.data());
        EXPECT_TRUE(result.ok()) << problem.text() << ": " << result.wrong << " of " << result.checked << ", "
                                 << result.actual << " for " << result.expected;
        EXPECT_EQ(result.checked, 2 * (4 * 3 * 16 + 2 * 2 * 3 * 16 + (turned ? 4 * 3 * 16 : 0)));
    };
    check(Builder(start).build(), false);
    check(Builder(start).rotary("half", 16, 128).build(), true);
    check(Builder(start).rotary("interleaved", 16, 128).pages(64, 5, 2).split_kv(1).build(), true);
}

}  // namespace
}  // namespace ckdispatch

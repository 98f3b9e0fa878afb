// SPDX-License-Identifier: MIT
// Gradients in stages, each computed by the CPU, against what a small step of an input makes of the output.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/dispatcher/support/attentions.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::Builder;
using test::FmhaTensors;
using Kernels = std::vector<std::string>;

class FmhaBackward : public test::MadeUpAttentions {
protected:
    using Lengths = std::vector<std::int32_t>;

    static void set_lengths(FmhaTensors& tensors, const FmhaProblem& problem, const Lengths& q, const Lengths& k) {
        if (!problem.group) return;
        tensors.set(CK_FMHA_SEQSTART_Q, q);
        tensors.set(CK_FMHA_SEQSTART_K, k);
    }

    /// Runs a forward and its backward. The gradient of sum(o * d_o) along some direction of an input is what
    /// differences of it say.
    void expect_gradients(const Builder& builder, const Lengths& q = {}, const Lengths& k = {}) {
        const FmhaProblem forward = Builder(builder).with(CK_FMHA_LSE).build();
        const FmhaProblem backward = Builder(builder).backward().build();
        FmhaTensors tensors(device, backward);
        set_lengths(tensors, backward, q, k);
        FmhaTensors outputs(device, forward);
        const auto weighted = [&](const std::vector<float>& d_o) {
            set_lengths(outputs, forward, q, k);
            outputs.fill(CK_FMHA_O, 0);
            dispatcher->run(forward, outputs.addresses.data());
            device->synchronize();
            const auto o = outputs.read(CK_FMHA_O);
            double sum = 0;
            for (std::size_t i = 0; i < o.size(); ++i) sum += double(o[i]) * double(d_o[i]);
            return sum;
        };
        const auto d_o = tensors.read(CK_FMHA_D_O);
        for (const auto slot : {CK_FMHA_Q, CK_FMHA_K, CK_FMHA_V}) outputs.set(slot, tensors.read(slot));
        if (backward.has(CK_FMHA_BIAS)) outputs.set(CK_FMHA_BIAS, tensors.read(CK_FMHA_BIAS));
        (void)weighted(d_o);
        tensors.set(CK_FMHA_O, outputs.read(CK_FMHA_O));
        tensors.set(CK_FMHA_LSE, outputs.read(CK_FMHA_LSE));
        const auto gradients = {std::pair{CK_FMHA_Q, CK_FMHA_DQ}, std::pair{CK_FMHA_K, CK_FMHA_DK},
                                std::pair{CK_FMHA_V, CK_FMHA_DV}, std::pair{CK_FMHA_BIAS, CK_FMHA_DBIAS}};
        for (const auto& [input, gradient] : gradients)
            if (backward.has(gradient)) tensors.fill(gradient, -77);
        dispatcher->run(backward, tensors.addresses.data());
        device->synchronize();
        for (const auto& [input, gradient] : gradients) {
            if (!backward.has(gradient)) continue;
            const auto before = tensors.read(input), found = tensors.read(gradient);
            for (int look = 0; look < 4; ++look) {
                double expected = 0;
                std::vector<float> above = before, below = before;
                constexpr float kStep = 0.01f;
                for (std::size_t i = 0; i < before.size(); ++i) {
                    const float direction = float(int((i * 7 + std::size_t(look) * 13) % 11) - 5) / 5;
                    above[i] += kStep * direction, below[i] -= kStep * direction;
                    expected += double(direction) * double(found[i]);
                }
                outputs.set(input, above);
                const double high = weighted(d_o);
                outputs.set(input, below);
                const double low = weighted(d_o);
                outputs.set(input, before);
                const double actual = (high - low) / (2 * double(kStep));
                EXPECT_NEAR(actual, expected, 0.01 * std::fabs(actual) + 0.02)
                    << backward.text() << " " << fmha_tensor_name(std::size_t(gradient));
            }
        }
    }
};

TEST_F(FmhaBackward, IsDThenAllGradientsThenTheConversion) {
    add({"fwd", "dot", "gradients", "convert"});
    const auto problem = fp32(2, 2, 2, 20, 30).backward().build();
    const auto plan = dispatcher->select(problem);
    EXPECT_EQ(kernels(*plan), (Kernels{"dot", "gradient", "convert"}));
    // D, and dq in fp32, which is cleared.
    EXPECT_EQ(plan->workspace_bytes, 2u * 2 * 20 * 4 + 192 + 2u * 2 * 20 * 16 * 4);
    ASSERT_EQ(plan->stages[1].before.size(), 1u);
    EXPECT_EQ(plan->stages[1].before[0].bytes(), 2u * 2 * 20 * 16 * 4);
    expect_gradients(fp32(2, 2, 2, 20, 30));
}

TEST_F(FmhaBackward, HasMasks) {
    add({"fwd", "dot", "gradients", "convert"});
    expect_gradients(fp32(1, 2, 2, 20, 30).mask(Builder::Mask::bottom_right, -1, 0));
    expect_gradients(fp32(1, 2, 2, 30, 20).mask(Builder::Mask::top_left, 5, 3));
}

TEST_F(FmhaBackward, SumsOverHeadsThatShareKeys) {
    add({"fwd", "dot", "gradients", "convert", "sum"});
    EXPECT_EQ(selected(fp32(2, 4, 2, 20, 30).backward().build()),
              (Kernels{"dot", "gradient", "convert", "sum", "sum"}));
    expect_gradients(fp32(2, 4, 2, 20, 30));
    expect_gradients(fp32(2, 4, 1, 20, 30).layout(Builder::Layout::bhsd));
}

TEST_F(FmhaBackward, OfPackedSequencesClearsWhatNobodyWrites) {
    add({"fwd_group", "dot_group", "gradients_group", "convert_group", "sum"});
    for (const std::int64_t heads : {1, 2})
        expect_gradients(fp32(3, 2, heads, 12, 20).group(22, 33), {0, 12, 12, 22}, {0, 20, 25, 33});
}

// By way of memory of the plan where it would take a fill for each row.
TEST_F(FmhaBackward, OfPackedSequencesWritesGradientsThatAreFarApart) {
    add({"dot_group", "gradients_group", "convert_group", "sum"});
    Builder builder = fp32(3, 2, 2, 12, 100).group(22, 133).backward().layout(Builder::Layout::strides);
    for (const auto slot :
         {CK_FMHA_Q, CK_FMHA_K, CK_FMHA_V, CK_FMHA_O, CK_FMHA_D_O, CK_FMHA_DQ, CK_FMHA_DK, CK_FMHA_DV})
        builder.strides(slot, 64, 16, 0);
    builder.strides(CK_FMHA_LSE, 1, 22, 0);
    const auto plan = dispatcher->select(builder.build());
    ASSERT_EQ(plan->stages.size(), 5u);
    EXPECT_EQ(plan->stages[3].problem.variant, Name("sum"));
    EXPECT_EQ(plan->stages[3].problem.strides[CK_FMHA_O].row, 64);
    EXPECT_EQ(plan->stages[3].problem.strides[CK_FMHA_Q].row, 32);
}

TEST_F(FmhaBackward, InOneOrderHasAPartForEachTileOfKeys) {
    add({"fwd", "dot", "gradients", "convert", "gradients_ordered", "convert_ordered"});
    const auto plain = dispatcher->select(fp32(1, 2, 2, 20, 150).backward().deterministic(true).build());
    EXPECT_EQ(kernels(*plain), (Kernels{"dot", "gradient_ordered", "convert_ordered"}));
    EXPECT_EQ(plain->stages[1].problem.parts, 3);
    EXPECT_TRUE(plain->stages[1].before.empty());
    const auto masked = dispatcher->select(
        fp32(1, 2, 2, 20, 150).backward().deterministic(true).mask(Builder::Mask::top_left, -1, 0).build());
    EXPECT_EQ(masked->stages[1].before.size(), 1u);
    expect_gradients(fp32(1, 2, 2, 20, 150).deterministic(true));
    expect_gradients(fp32(1, 2, 2, 20, 150).deterministic(true).mask(Builder::Mask::top_left, -1, 0));
}

TEST_F(FmhaBackward, HasThatOfABias) {
    add({"fwd_bias", "dot", "gradients_bias", "convert"});
    const auto builder = fp32(1, 2, 2, 10, 15).bias("elementwise").mask(Builder::Mask::top_left, -1, 0);
    const FmhaProblem backward = Builder(builder).backward().with(CK_FMHA_DBIAS).build();
    EXPECT_EQ(dispatcher->select(backward)->stages[1].before.size(), 2u);
    FmhaTensors tensors(device, backward);
    tensors.fill(CK_FMHA_DBIAS, -77);
    dispatcher->run(backward, tensors.addresses.data());
    const auto dbias = tensors.read(CK_FMHA_DBIAS);
    for (std::size_t row = 0; row < 10; ++row)
        for (std::size_t key = row + 1; key < 15; ++key) EXPECT_EQ(dbias[row * 15 + key], 0);
}

TEST_F(FmhaBackward, OfFewRowsNeedsNoConversion) {
    add({"fwd", "dot", "gradients_few"});
    EXPECT_EQ(selected(fp32(2, 2, 2, 20, 30).backward().build()), (Kernels{"dot", "gradient_few"}));
    expect_gradients(fp32(2, 2, 2, 20, 30));
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, "fmha_made_up_gradient_few",
                          dispatcher->select(fp32(2, 2, 2, 33, 30).backward().build()));
}

}  // namespace
}  // namespace ckdispatch

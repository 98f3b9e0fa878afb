// SPDX-License-Identifier: MIT
// Attentions without rows, without keys, or without either.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "tests/dispatcher/support/attentions.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::Builder;
using test::FmhaTensors;
using Kernels = std::vector<std::string>;

class FmhaEmpty : public test::MadeUpAttentions {
protected:
    void expect_all(const FmhaTensors& tensors, std::size_t slot, float value) {
        const auto found = tensors.read(slot);
        EXPECT_TRUE(std::all_of(found.begin(), found.end(), [&](float one) { return one == value; }))
            << fmha_tensor_name(slot);
    }
    /// Of what has no elements callers often have no address.
    static void drop(FmhaTensors& tensors, std::initializer_list<std::size_t> slots) {
        for (const std::size_t slot : slots) tensors.addresses[FmhaFamily::tensor_of(slot)] = nullptr;
    }
};

TEST_F(FmhaEmpty, WithoutRowsNeedsNoKernel) {
    for (const auto& problem :
         {fp32(2, 4, 2, 0, 30).with(CK_FMHA_LSE).build(), fp32(2, 4, 2, 0, 30).group(0, 50).build(),
          fp32(2, 4, 2, 0, 0).mask(Builder::Mask::bottom_right, -1, 0).build(),
          fp32(2, 4, 2, 0, 30).with(CK_FMHA_SINK).split_kv(4).build()}) {
        FmhaTensors tensors(device, problem);
        drop(tensors, {CK_FMHA_Q, CK_FMHA_O, CK_FMHA_LSE});
        if (problem.group) {
            tensors.set(CK_FMHA_SEQSTART_Q, std::vector<std::int32_t>{0, 0, 0});
            tensors.set(CK_FMHA_SEQSTART_K, std::vector<std::int32_t>{0, 20, 50});
        }
        if (!problem.has_keys()) drop(tensors, {CK_FMHA_K, CK_FMHA_V});
        const auto plan = dispatcher->run(problem, tensors.addresses.data());
        EXPECT_TRUE(plan->stages.empty()) << problem.text();
        EXPECT_EQ(plan->name(), "");
        EXPECT_EQ(plan->launches(), 0);
        EXPECT_EQ(plan->workspace_bytes, 0u);
        EXPECT_TRUE(dispatcher->selector().rank(problem).fit.empty());
        EXPECT_EQ(validate(*dispatcher, problem, tensors.addresses.data()).checked, 0);
    }
    const auto missing = fp32(2, 4, 2, 0, 30).build();
    FmhaTensors tensors(device, missing);
    drop(tensors, {CK_FMHA_K});
    EXPECT_REFUSED(ErrorCode::invalid_argument, "An attention was to be run with no address for k.",
                   dispatcher->run(missing, tensors.addresses.data()));
}

TEST_F(FmhaEmpty, WithoutRowsNewKeysAreAppended) {
    add({"append_half", "fwd"});
    const auto problem = fp32(2, 4, 2, 0, 40).with(CK_FMHA_SEQLEN_K).append(3).rotary("half", 16, 64).build();
    const auto with = fp32(2, 4, 2, 1, 40).with(CK_FMHA_SEQLEN_K).append(3).rotary("half", 16, 64).build();
    EXPECT_EQ(selected(problem), (Kernels{"append_half"}));
    FmhaTensors tensors(device, problem), same(device, with);
    for (const auto slot : {CK_FMHA_K, CK_FMHA_V, CK_FMHA_K_NEW, CK_FMHA_V_NEW, CK_FMHA_ROTARY_COS, CK_FMHA_ROTARY_SIN})
        same.set(slot, tensors.read(slot));
    for (FmhaTensors* const one : {&tensors, &same}) one->set(CK_FMHA_SEQLEN_K, std::vector<std::int32_t>{10, 25});
    drop(tensors, {CK_FMHA_Q, CK_FMHA_O});
    const auto before = tensors.read(CK_FMHA_K);
    dispatcher->run(problem, tensors.addresses.data());
    dispatcher->run(with, same.addresses.data());
    EXPECT_NE(tensors.read(CK_FMHA_K), before);
    EXPECT_EQ(tensors.read(CK_FMHA_K), same.read(CK_FMHA_K));
    EXPECT_EQ(tensors.read(CK_FMHA_V), same.read(CK_FMHA_V));
}

TEST_F(FmhaEmpty, WithoutKeysIsZeroAndItsLseMinusInfinity) {
    add({"fwd", "fwd_group", "splitkv", "combine"});
    for (const auto& problem :
         {fp32(2, 4, 2, 5, 0).with(CK_FMHA_LSE).build(), fp32(2, 4, 2, 5, 0).with(CK_FMHA_LSE).split_kv(2).build()}) {
        FmhaTensors tensors(device, problem);
        drop(tensors, {CK_FMHA_K, CK_FMHA_V});
        expect_right(problem, tensors);
        expect_all(tensors, CK_FMHA_O, 0);
        expect_all(tensors, CK_FMHA_LSE, -std::numeric_limits<float>::infinity());
    }
    const auto packed = fp32(2, 4, 2, 5, 0).group(8, 0).with(CK_FMHA_LSE).build();
    FmhaTensors tensors(device, packed);
    drop(tensors, {CK_FMHA_K, CK_FMHA_V});
    tensors.set(CK_FMHA_SEQSTART_Q, std::vector<std::int32_t>{0, 5, 8});
    tensors.set(CK_FMHA_SEQSTART_K, std::vector<std::int32_t>{0, 0, 0});
    expect_right(packed, tensors);
    expect_all(tensors, CK_FMHA_O, 0);
}

TEST_F(FmhaEmpty, GradientsAreZeroWithoutAKernel) {
    for (const auto& [rows, keys] : {std::pair{0, 30}, std::pair{20, 0}}) {
        for (const bool deterministic : {false, true}) {
            const auto problem = fp32(2, 4, 2, rows, keys).backward().deterministic(deterministic).build();
            FmhaTensors tensors(device, problem);
            for (const auto slot : {CK_FMHA_DQ, CK_FMHA_DK, CK_FMHA_DV}) tensors.fill(slot, -77);
            const auto plan = dispatcher->run(problem, tensors.addresses.data());
            EXPECT_TRUE(plan->stages.empty());
            EXPECT_EQ(plan->before.size(), rows ? 1u : 2u);
            if (rows) expect_all(tensors, CK_FMHA_DQ, 0);
            for (const auto slot : {CK_FMHA_DK, CK_FMHA_DV})
                if (keys) expect_all(tensors, slot, 0);
        }
    }
    // Between others, whose memory stays as it is.
    auto builder = fp32(1, 2, 2, 0, 4, 16).backward().layout(Builder::Layout::strides).strides(CK_FMHA_LSE, 1, 1, 1);
    for (const auto slot :
         {CK_FMHA_Q, CK_FMHA_K, CK_FMHA_V, CK_FMHA_O, CK_FMHA_D_O, CK_FMHA_DQ, CK_FMHA_DK, CK_FMHA_DV})
        builder.strides(slot, 64, 16, 256);
    const auto problem = builder.build();
    FmhaTensors tensors(device, problem);
    tensors.fill(CK_FMHA_DK, -77);
    dispatcher->run(problem, tensors.addresses.data());
    const auto found = tensors.read(CK_FMHA_DK);
    ASSERT_EQ(found.size(), 3u * 64 + 32);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], i % 64 < 32 ? 0 : -77) << i;
}

}  // namespace
}  // namespace ckdispatch

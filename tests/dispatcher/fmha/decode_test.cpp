// SPDX-License-Identifier: MIT
// Batches of prefills and decodes: short sequences by kernels of their own, in one plan with the long ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/dispatcher/support/attentions.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::Builder;
using test::FmhaTensors;
using Kernels = std::vector<std::string>;

class FmhaDecodes : public test::MadeUpAttentions {
protected:
    /// Rows of 1, 130, 2, 0 and 70, among as many keys and more.
    static Builder mixed(std::int64_t decode_rows) {
        return fp32(5, 4, 2, 130, 200)
            .group(203, 530)
            .mask(Builder::Mask::bottom_right, -1, 0)
            .decode_rows(decode_rows);
    }
    static void set_starts(FmhaTensors& tensors) {
        tensors.set(CK_FMHA_SEQSTART_Q, std::vector<std::int32_t>{0, 1, 131, 133, 133, 203});
        tensors.set(CK_FMHA_SEQSTART_K, std::vector<std::int32_t>{0, 200, 340, 370, 380, 530});
    }
    void expect_right_mixed(const FmhaProblem& problem) {
        FmhaTensors tensors(device, problem);
        set_starts(tensors);
        expect_right(problem, tensors);
    }
};

TEST_F(FmhaDecodes, AreComputedInPartsBeforeThePrefills) {
    add({"fwd_skip", "splitkv_group", "combine_group"});
    for (const std::int64_t rows : {1, 2, 69}) {
        const auto problem = mixed(rows).split_kv(3).with(CK_FMHA_LSE).build();
        const auto plan = dispatcher->selector().select_explicit(std::string("fmha_made_up_fwd_skip"), problem);
        ASSERT_EQ(kernels(*plan), (Kernels{"splitkv_group", "combine_group", "fwd_skip"}));
        EXPECT_EQ(plan->stages[0].problem.seqlen_q, rows);
        EXPECT_EQ(plan->stages[0].problem.parts, 3);
        EXPECT_EQ(plan->stages[2].problem.skipped_rows, rows);
        EXPECT_EQ(plan->stages[2].problem.seqlen_q, 130);
        FmhaTensors tensors(device, problem);
        set_starts(tensors);
        tensors.fill(CK_FMHA_O, -77);
        dispatcher->run_plan(*plan, tensors.addresses.data());
        const auto mixed_o = tensors.read(CK_FMHA_O), mixed_lse = tensors.read(CK_FMHA_LSE);
        // The same as of all sequences together.
        const auto together = Builder(mixed(0)).with(CK_FMHA_LSE).build();
        expect_right(together, tensors);
        const auto o = tensors.read(CK_FMHA_O), lse = tensors.read(CK_FMHA_LSE);
        for (std::size_t i = 0; i < o.size(); ++i) ASSERT_NEAR(mixed_o[i], o[i], 1e-5) << i;
        for (std::size_t i = 0; i < lse.size(); ++i) ASSERT_NEAR(mixed_lse[i], lse[i], 1e-5) << i;
    }
}

TEST_F(FmhaDecodes, NeedAKernelThatLeavesThemOut) {
    add({"fwd_group", "splitkv_group", "combine_group"});
    EXPECT_EQ(selected(mixed(1).split_kv(1).build()), (Kernels{"fwd_group"}));
    expect_right_mixed(mixed(1).split_kv(1).build());
    expect_right_mixed(mixed(1).split_kv(2).build());
}

TEST_F(FmhaDecodes, AreRightWhicheverPlanIsTaken) {
    add({"fwd_group", "fwd_skip", "splitkv_group", "combine_group", "sink"});
    for (const std::int64_t rows : {1, 2, 70, 500}) expect_right_mixed(mixed(rows).build());
    expect_right_mixed(mixed(1).with(CK_FMHA_SINK).build());
    expect_right_mixed(mixed(1).with(CK_FMHA_SINK).with(CK_FMHA_LSE).split_kv(2).build());
}

TEST_F(FmhaDecodes, AreComputedApartWhereThatTakesLessTime) {
    add({"fwd_group", "fwd_skip", "splitkv_group", "combine_group"});
    dispatcher->selector().use(Predictor<FmhaFamily>(
        [](const FmhaProblem& stage, const Candidate<FmhaFamily>& candidate, const arch::GpuSpec&) {
            const bool whole =
                candidate.kernel->key().variant == Name("fwd") && stage.seqlen_q == 4096 && !stage.skipped_rows;
            return whole ? 10.0 : double(std::abs(candidate.way.parts - 4)) + 1;
        }));
    const auto problem = fp32(8, 2, 2, 4096, 65536, 64).group(4096 + 7, 8 * 65536).decode_rows(1);
    const auto plan = dispatcher->select(Builder(problem).build());
    // The prefill has too much to do to be parted as well.
    ASSERT_EQ(plan->stages.size(), 3u);
    EXPECT_EQ(plan->stages[0].problem.seqlen_q, 1);
    EXPECT_EQ(plan->stages[0].problem.parts, 4);
    EXPECT_EQ(plan->stages[2].problem.seqlen_q, 4096);
    EXPECT_EQ(plan->stages[2].problem.skipped_rows, 1);
    dispatcher->selector().use(Predictor<FmhaFamily>(
        [](const FmhaProblem&, const Candidate<FmhaFamily>&, const arch::GpuSpec&) { return 1.0; }));
    EXPECT_EQ(dispatcher->select(Builder(problem).build())->stages.size(), 1u);
}

TEST_F(FmhaDecodes, OverPagesAreRight) {
    add({"pagedkv_skip", "splitkv_group_paged", "combine_group"});
    const auto problem = fp32(3, 4, 2, 100, 192)
                             .group(103, 0)
                             .pages(64, 9, 3)
                             .with(CK_FMHA_SEQLEN_K)
                             .with(CK_FMHA_LSE)
                             .mask(Builder::Mask::bottom_right, -1, 0)
                             .decode_rows(2);
    for (const std::int64_t parts : {1, 2}) {
        const auto built = Builder(problem).split_kv(parts).build();
        FmhaTensors tensors(device, built);
        tensors.set(CK_FMHA_SEQSTART_Q, std::vector<std::int32_t>{0, 1, 101, 103});
        tensors.set(CK_FMHA_SEQLEN_K, std::vector<std::int32_t>{190, 130, 64});
        tensors.set(CK_FMHA_BLOCK_TABLE, std::vector<std::int32_t>{8, 0, 2, 1, 5, 3, 7, 6, 4});
        expect_right(built, tensors);
        if (parts == 1) continue;
        const auto plan = dispatcher->selector().select_explicit(std::string("fmha_made_up_pagedkv_skip"), built);
        ASSERT_EQ(kernels(*plan), (Kernels{"splitkv_group_paged", "combine_group", "pagedkv_skip"}));
        const auto before = tensors.read(CK_FMHA_O);
        tensors.fill(CK_FMHA_O, -77);
        dispatcher->run_plan(*plan, tensors.addresses.data());
        const auto o = tensors.read(CK_FMHA_O);
        for (std::size_t i = 0; i < o.size(); ++i) ASSERT_NEAR(o[i], before[i], 1e-5) << i;
    }
}

// Copies of o are those of all rows, of which a stage writes some.
TEST_F(FmhaDecodes, OfSmallerHeadsKeepWhatOtherStagesWrote) {
    add({"fwd_skip", "fwd_group"});
    const auto problem = fp32(5, 4, 2, 130, 200, 41).group(203, 530).decode_rows(2).build();
    FmhaTensors tensors(device, problem);
    set_starts(tensors);
    tensors.fill(CK_FMHA_O, -77);
    const auto plan = dispatcher->run_padded(problem, tensors.addresses.data());
    EXPECT_FALSE(plan->padded.empty());
    for (const auto& stage : plan->stages) {
        const bool brings_o_in = std::any_of(stage.before.begin(), stage.before.end(), [](const Transfer& one) {
            return one.from.kind == Argument::Kind::tensor && one.from.index == FmhaFamily::tensor_of(CK_FMHA_O);
        });
        EXPECT_TRUE(brings_o_in);
    }
}

}  // namespace
}  // namespace ckdispatch

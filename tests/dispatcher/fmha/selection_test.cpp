// SPDX-License-Identifier: MIT
// Which plan of several is taken, what a ranking says of all kernels, and how long a selection takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/dispatcher/support/attentions.hpp"
#include "tests/dispatcher/support/refusal.hpp"
#include "tests/dispatcher/support/temporary.hpp"

namespace ckdispatch {
namespace {

using test::Builder;
using Kernels = std::vector<std::string>;

class FmhaSelection : public test::MadeUpAttentions {
protected:
    static FmhaProblem decode(std::int64_t keys = 32768) { return fp32(1, 2, 2, 1, keys, 64).build(); }

    /// Copies of a made-up library under other names and with other tiles.
    void add_copies(const std::string& kind, const std::string& name, int count) {
        const test::Bytes original = test::read_bytes(test::built_file("made_up_fmha_" + kind + ".so"));
        for (int i = 0; i < count; ++i) {
            test::Bytes copy = original;
            char tile[32];
            std::snprintf(tile, sizeof tile, "%02d, 64, 32", 16 + i);
            test::exchange(copy, "64, 64, 32", tile);
            test::exchange(copy, name, name.substr(0, name.size() - 2) + std::to_string(10 + i));
            registry->add_library({files.write(kind + std::to_string(i) + ".so", copy), ""});
        }
    }

    test::TemporaryFolder files;
};

TEST_F(FmhaSelection, IsTheSameForTheSameProblem) {
    add({"fwd", "splitkv", "combine"});
    EXPECT_EQ(dispatcher->select(decode()), dispatcher->select(decode()));
    EXPECT_EQ(dispatcher->selector().cached(), 1u);
    EXPECT_NE(dispatcher->select(decode()), dispatcher->select(decode(32767)));
}

TEST_F(FmhaSelection, TakesThePlanOfLeastTime) {
    add({"fwd", "splitkv", "combine", "combine_many"});
    const auto plan = dispatcher->select(decode());
    for (const std::int64_t parts : {1, 2, 4, 16, 64, 128}) {
        const auto fixed = dispatcher->select(fp32(1, 2, 2, 1, 32768, 64).split_kv(parts).build());
        EXPECT_LE(plan->microseconds, fixed->microseconds) << parts;
    }
}

TEST_F(FmhaSelection, PassesOverPlansThatLackAKernel) {
    add({"fwd", "splitkv"});
    EXPECT_EQ(selected(decode()), (Kernels{"fwd"}));
    add({"combine"});
    const auto plan = dispatcher->select(decode());
    ASSERT_EQ(plan->stages.size(), 2u);
    EXPECT_LE(plan->stages[0].problem.parts, 8);
}

TEST_F(FmhaSelection, PassesOverPlansThatNeedTooMuchMemory) {
    add({"fwd", "splitkv", "combine"});
    auto builder = fp32(1, 2, 2, 1, 32768, 64).with(CK_FMHA_LSE);
    EXPECT_EQ(selected(Builder(builder).build()), (Kernels{"splitkv", "combine"}));
    EXPECT_EQ(selected(Builder(builder).workspace_limit(100).build()), (Kernels{"fwd"}));
    EXPECT_REFUSED_SAYING(ErrorCode::no_kernel, "and the limit is 100.",
                          dispatcher->select(Builder(builder).workspace_limit(100).split_kv(4).build()));
}

TEST_F(FmhaSelection, TakesTheSimplestPlanThatFitsIfTimesDoNotCount) {
    add({"fwd", "splitkv", "combine"});
    dispatcher->selector().use(Strategy::first_fit);
    EXPECT_EQ(selected(decode()), (Kernels{"fwd"}));
}

TEST_F(FmhaSelection, TakesTheTimesOfACaller) {
    add({"fwd", "splitkv", "combine"});
    dispatcher->selector().use(
        Predictor<FmhaFamily>([](const FmhaProblem&, const Candidate<FmhaFamily>& candidate, const arch::GpuSpec&) {
            return candidate.kernel->key().variant == Name("fwd") ? 1.0 : 2.0;
        }));
    EXPECT_EQ(selected(decode()), (Kernels{"fwd"}));
    dispatcher->selector().use(Predictor<FmhaFamily>([](const FmhaProblem&, const Candidate<FmhaFamily>& candidate,
                                                        const arch::GpuSpec&) {
        return candidate.kernel->key().variant == Name("fwd") ? 100.0 : double(std::abs(candidate.way.parts - 4)) + 1;
    }));
    const auto plan = dispatcher->select(decode());
    ASSERT_EQ(plan->stages.size(), 2u);
    EXPECT_EQ(plan->stages[0].problem.parts, 4);
    EXPECT_EQ(plan->microseconds, 2);
}

TEST_F(FmhaSelection, LetsACallerChoose) {
    add({"fwd"});
    std::size_t asked = 0;
    dispatcher->selector().use(
        Chooser<FmhaFamily>([&](const FmhaProblem&, const std::vector<Candidate<FmhaFamily>>& candidates) {
            asked += candidates.size();
            return std::optional<std::size_t>(0);
        }));
    EXPECT_EQ(selected(decode()), (Kernels{"fwd"}));
    EXPECT_EQ(asked, 1u);
}

TEST_F(FmhaSelection, TakesAKernelThatIsNamed) {
    add({"fwd", "splitkv", "combine", "dot"});
    const auto split =
        dispatcher->selector().select_explicit(std::string("fmha_made_up_splitkv"), fp32(2, 2, 2, 64, 128).build());
    EXPECT_EQ(kernels(*split), (Kernels{"splitkv", "combine"}));
    EXPECT_EQ(kernels(*dispatcher->selector().select_explicit(std::string("fmha_made_up_fwd"), decode())),
              (Kernels{"fwd"}));
    EXPECT_REFUSED_SAYING(ErrorCode::unsupported, "fmha_made_up_dot",
                          dispatcher->selector().select_explicit(std::string("fmha_made_up_dot"), decode()));
    EXPECT_REFUSED_SAYING(
        ErrorCode::unsupported, "fmha_made_up_fwd is for heads of 64 and 64, not 65 and 65.",
        dispatcher->selector().select_explicit(std::string("fmha_made_up_fwd"), fp32(1, 1, 1, 64, 64, 65).build()));
}

TEST_F(FmhaSelection, RanksWholePlans) {
    add({"fwd", "fwd_bias", "splitkv", "combine", "dot"});
    const auto problem = fp32(1, 2, 2, 1, 300, 64).with(CK_FMHA_LSE).build();
    const auto ranking = dispatcher->selector().rank(problem);
    const auto plan = dispatcher->select(problem);
    ASSERT_FALSE(ranking.fit.empty());
    EXPECT_DOUBLE_EQ(ranking.fit.front().microseconds, plan->microseconds);
    EXPECT_EQ(ranking.fit.front().kernel->name(), plan->stages[0].kernel->name());
    std::size_t split = 0;
    for (const auto& one : ranking.fit) {
        ASSERT_TRUE(one.share);
        const bool parts = one.kernel->name() == "fmha_made_up_splitkv";
        EXPECT_EQ(one.share->kernels,
                  parts ? (Kernels{"fmha_made_up_splitkv", "fmha_made_up_combine"}) : (Kernels{"fmha_made_up_fwd"}));
        EXPECT_EQ(one.workspace_bytes > 0, parts);
        split += parts;
    }
    EXPECT_EQ(split, 3u);  // of 2, 4 and 5 parts
    std::vector<std::string> reasons;
    for (const auto& one : ranking.refused) reasons.push_back(one.reason);
    EXPECT_EQ(reasons,
              (std::vector<std::string>{"fmha_made_up_dot computes nothing that this problem needs.",
                                        "fmha_made_up_fwd_bias computes with the bias elementwise, not none."}));
}

TEST_F(FmhaSelection, SaysWhichStageHasNoKernel) {
    add({"dot", "convert"});
    EXPECT_REFUSED(ErrorCode::no_kernel,
                   "No kernel of the registry mine computes fmha backward fp32 2x2x20x30x16 lse on gfx942, which takes "
                   "fmha dq_dk_dv fp32 2x2x20x30x16 lse: "
                   "it has none.",
                   dispatcher->select(fp32(2, 2, 2, 20, 30).backward().build()));
    add({"fwd_bias", "fwd_group"});
    EXPECT_REFUSED_SAYING(
        ErrorCode::no_kernel,
        "(2 refuse). The nearest: fmha_made_up_fwd_bias computes with the bias elementwise, not none.",
        dispatcher->select(fp32(2, 2, 2, 20, 30).build()));
}

// Its libraries are open, as in a program that has selected before.
TEST_F(FmhaSelection, OfADecodeAmongManyKernelsTakesLittleTime) {
    add_copies("fwd", "fmha_made_up_fwd", 40);
    add_copies("splitkv", "fmha_made_up_splitkv", 20);
    add_copies("fwd_bias", "fmha_made_up_fwd_bias", 20);
    add({"combine", "combine_many", "splitkv_merged", "splitkv_paged", "pagedkv", "prefill", "sink", "sum", "append",
         "dot", "gradients", "convert"});
    (void)dispatcher->select(decode());
    std::vector<double> microseconds;
    for (int i = 1; i <= 50; ++i) {
        const auto problem = fp32(2, 8, 2, 1, 32768 - i, 64).build();
        const auto begin = std::chrono::steady_clock::now();
        (void)dispatcher->select(problem);
        microseconds.push_back(
            std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(microseconds.begin(), microseconds.end());
    RecordProperty("microseconds", std::to_string(microseconds[25]));
    std::printf("A decode is selected for in %.0f us\n", microseconds[25]);
    EXPECT_LT(microseconds[5], 5000) << "50 problems took " << microseconds.front() << " to " << microseconds.back()
                                     << " us each";
}

}  // namespace
}  // namespace ckdispatch

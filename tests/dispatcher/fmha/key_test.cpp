// SPDX-License-Identifier: MIT
// Keys of attention kernels as text and JSON, and which problems they serve.
#include <gtest/gtest.h>

#include <string>

#include "arch/arch_specs.hpp"
#include "ckdispatch/core/json.hpp"
#include "ckdispatch/fmha/family.hpp"
#include "tests/dispatcher/support/keys.hpp"

namespace ckdispatch {
namespace {

using Builder = FmhaProblemBuilder;

FmhaKey sample() { return test::sample_fmha_key(); }

/// What a stage of a caller's problem wants of its kernel.
FmhaProblem stage(const Builder& builder) {
    return FmhaFamily::alternatives(builder.build(), *arch::find_gpu("gfx942")).front().pieces.front().problem;
}

std::string why(const FmhaKey& key, const FmhaProblem& problem) {
    const auto& gpu = *arch::find_gpu("gfx942");
    const std::string said = FmhaFamily::mismatch(key, problem, gpu).why;
    EXPECT_EQ(FmhaFamily::fits(key, problem, gpu), said.empty()) << said;
    return said;
}

Builder fp16() { return Builder().dtype("fp16").sizes(2, 8, 2).lengths(100, 300).head_sizes(64).with(CK_FMHA_LSE); }

TEST(FmhaKey, IsReadBackFromItsText) {
    const FmhaKey key = sample();
    EXPECT_EQ(to_text(key),
              "fmha{variant=fwd,dtype=fp16,mode=batch,hdim_q=64,hdim_v=64,mask=true,lse=true,dropout=false,soft_cap="
              "false,scales=false,paged=false,"
              "merged=false,skip_min=false,bias_grad=false,deterministic=false,bias=none,rotary=none,max_splits=0,"
              "pipeline=qr,tile=128x64x32x64x32x64,"
              "waves=4x1x1,warp_tile=32x32x16,pads=1x1x0x0,occupancy=2}");
    EXPECT_TRUE(from_text<FmhaKey>(to_text(key)) == key);
    EXPECT_TRUE(key_from_json<FmhaKey>(key_to_json(key), "It") == key);
    FmhaKey other = key;
    other.warp_tile = {};
    EXPECT_TRUE(key_from_json<FmhaKey>(key_to_json(other), "It") == other);
    EXPECT_TRUE(other < key);
}

TEST(FmhaKey, WithAListOfAnythingElseIsRefused) {
    for (const char* list : {"7", "[1.5]", "[-1]", "[\"a\"]", "[1,2,3,4,5,6,7,8,9,10,11,12,13]", "[65537]"}) {
        Json spec = key_to_json(sample());
        spec["tile"] = Json::parse(list);
        EXPECT_THROW(key_from_json<FmhaKey>(spec, "It"), Error) << list;
    }
}

TEST(FmhaKey, SaysHowManyLanesAWorkgroupHas) {
    FmhaKey key = sample();
    EXPECT_EQ(key.lanes_per_workgroup(*arch::find_gpu("gfx942")), 256);
    EXPECT_EQ(key.lanes_per_workgroup(*arch::find_gpu("gfx1201")), 128);
    key.waves = {1, 4, 1, 4, 1, 1, 1, 4, 1};
    EXPECT_EQ(key.lanes_per_workgroup(*arch::find_gpu("gfx942")), 256);
    // Waves of kernels that multiply nothing have 64 lanes everywhere, but those of combine.
    key.waves = {4};
    EXPECT_EQ(key.lanes_per_workgroup(*arch::find_gpu("gfx1201")), 256);
    key.max_splits = 8;
    EXPECT_EQ(key.lanes_per_workgroup(*arch::find_gpu("gfx1201")), 128);
}

TEST(FmhaKey, ServesProblemsThatHaveLess) {
    EXPECT_EQ(why(sample(), stage(fp16())), "");
    FmhaKey dropout = sample();
    dropout.dropout = true;
    EXPECT_EQ(why(dropout, stage(fp16())), "");
    // One that writes lse has memory for it.
    EXPECT_EQ(why(sample(), stage(Builder().dtype("fp16").sizes(2, 8, 2).lengths(100, 300).head_sizes(64))), "");
}

TEST(FmhaKey, ServesNoProblemOfOtherKinds) {
    FmhaKey key = sample();
    EXPECT_EQ(why(key, fp16().build()), "computes fwd, not forward.");
    EXPECT_EQ(why(key, stage(fp16().dtype("bf16"))), "computes in fp16, not bf16.");
    EXPECT_EQ(why(key, stage(fp16().group(150, 500))), "is for sequences of the mode batch.");
    EXPECT_EQ(why(key, stage(fp16().head_sizes(72))), "is for heads of 64 and 64, not 72 and 72.");
    EXPECT_EQ(why(key, stage(fp16().head_sizes(56))), "is for heads of 64 and 64, not 56 and 56.");
    EXPECT_EQ(why(key, stage(fp16().bias("alibi"))), "computes with the bias none, not alibi.");
    EXPECT_EQ(why(key, stage(fp16().soft_cap(1))), "computes without a soft cap.");
    EXPECT_EQ(why(key, stage(fp16().dropout(0.5f, 1, 1))), "computes without dropout.");
    key.soft_cap = true;
    EXPECT_EQ(why(key, stage(fp16())), "computes with a soft cap, which was not asked for.");
    key = sample();
    key.mask = false;
    EXPECT_EQ(why(key, stage(fp16().mask(Builder::Mask::top_left, -1, 0))), "computes without a mask.");
    key = sample();
    key.lse = false;
    EXPECT_EQ(why(key, stage(fp16())), "computes without lse.");
    key = sample();
    key.pads = {0, 1, 0, 0};
    EXPECT_EQ(why(key, stage(fp16())), "takes multiples of 128 rows.");
    EXPECT_EQ(why(key, stage(fp16().lengths(256, 300))), "");
    key.pads = {1, 0, 0, 0};
    EXPECT_EQ(why(key, stage(fp16())), "takes multiples of 64 keys.");
    EXPECT_EQ(why(key, stage(fp16().lengths(100, 320))), "");
    EXPECT_EQ(why(key, stage(fp16().lengths(100, 320).with(CK_FMHA_SEQLEN_K))), "takes multiples of 64 keys.");
    EXPECT_EQ(why(key, stage(fp16().lengths(100, 0))), "takes multiples of 64 keys.");
    key = sample();
    key.pipeline = "v3";
    EXPECT_EQ(why(key, stage(fp16().mask(Builder::Mask::top_left, 5, 0))),
              "has masks that begin with the first key, and not a window.");
}

TEST(FmhaParts, FillTheGpuAndAreNoFewerThanTheirTiles) {
    const auto& gpu = *arch::find_gpu("gfx942");
    const auto all = [&](double workgroups, std::int64_t keys) {
        std::vector<std::int64_t> parts;
        for (const auto& one : FmhaFamily::alternatives(
                 Builder().dtype("fp16").sizes(1, std::int64_t(workgroups)).lengths(1, keys).head_sizes(64).build(),
                 gpu))
            if (one.pieces.size() > 1) parts.push_back(one.pieces.front().problem.parts);
        return parts;
    };
    EXPECT_EQ(all(1, 64), (std::vector<std::int64_t>{}));
    EXPECT_EQ(all(1, 128), (std::vector<std::int64_t>{2}));
    EXPECT_EQ(all(1, 1 << 20).size(), 8u);  // 2 to 128, and one that is nearly as good as the best
    // Enough workgroups without.
    EXPECT_EQ(all(double(2 * gpu.compute_units), 1 << 20), (std::vector<std::int64_t>{}));
}

}  // namespace
}  // namespace ckdispatch

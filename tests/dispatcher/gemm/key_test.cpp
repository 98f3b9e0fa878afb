// SPDX-License-Identifier: MIT
#include "ckdispatch/gemm/key.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "ckdispatch/core/gpus.hpp"
#include "tests/dispatcher/support/keys.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::sample_key;

constexpr const char* kSampleText =
    "gemm{variant=standard,dtype_a=fp16,dtype_b=fp16,dtype_c=fp16,dtype_acc=fp32,layout=rcr,tile=128x64x32,waves=2x2x1,"
    "warp_tile=32x32x16,"
    "pipeline=compv3,epilogue=cshuffle,scheduler=intrawave,pad_m=true,pad_n=false,pad_k=false,persistent=false,split_k="
    "none,"
    "fused_op=PassThrough,d_count=0,dtype_d=fp16,d_layout=r}";

/// The sample, changed in one field at a time, in the order of the fields; each is greater than the sample.
std::vector<GemmKey> keys_with_one_field_changed() {
    std::vector<GemmKey> keys;
    const auto add = [&](auto change) {
        GemmKey key = sample_key();
        change(key);
        keys.push_back(key);
    };
    add([](GemmKey& key) { key.variant = "xtended"; });
    add([](GemmKey& key) { key.dtype_a = "fp8"; });
    add([](GemmKey& key) { key.dtype_b = "fp8"; });
    add([](GemmKey& key) { key.dtype_c = "fp32"; });
    add([](GemmKey& key) { key.dtype_acc = "int32"; });
    add([](GemmKey& key) { key.layout = "rrr"; });
    add([](GemmKey& key) { key.tile.k = 64; });
    add([](GemmKey& key) { key.waves.m = 4; });
    add([](GemmKey& key) { key.warp_tile.n = 64; });
    add([](GemmKey& key) { key.pipeline = "mem"; });
    add([](GemmKey& key) { key.epilogue = "default"; });
    add([](GemmKey& key) { key.scheduler = "other"; });
    add([](GemmKey& key) { key.pad_n = true; });
    add([](GemmKey& key) { key.pad_k = true; });
    add([](GemmKey& key) { key.persistent = true; });
    add([](GemmKey& key) { key.split_k = "workspace"; });
    add([](GemmKey& key) { key.fused_op = "Relu"; });
    add([](GemmKey& key) { key.d_count = 2; });
    add([](GemmKey& key) { key.dtype_d = "fp32"; });
    add([](GemmKey& key) { key.d_layout = "s"; });
    return keys;
}

TEST(GemmKey, IsShownWithEveryField) { EXPECT_EQ(to_text(sample_key()), kSampleText); }

TEST(GemmKey, IsParsedBackFromItsOwnText) {
    EXPECT_EQ(to_text(from_text<GemmKey>(kSampleText)), kSampleText);
    for (const GemmKey& key : keys_with_one_field_changed())
        EXPECT_TRUE(from_text<GemmKey>(to_text(key)) == key) << to_text(key);
}

TEST(GemmKey, DiffersFromAnotherInAnyField) {
    for (const GemmKey& key : keys_with_one_field_changed()) {
        EXPECT_FALSE(key == sample_key()) << to_text(key);
        EXPECT_TRUE(key != sample_key()) << to_text(key);
        EXPECT_NE(to_text(key), kSampleText);
    }
}

TEST(GemmKey, IsOrderedByItsFieldsFromTheFirst) {
    const auto keys = keys_with_one_field_changed();
    for (const GemmKey& key : keys) {
        EXPECT_TRUE(sample_key() < key) << to_text(key);
        EXPECT_FALSE(key < sample_key()) << to_text(key);
    }
    // A change in an earlier field outweighs one in any later field.
    for (std::size_t i = 0; i < keys.size(); ++i)
        for (std::size_t j = i + 1; j < keys.size(); ++j)
            EXPECT_TRUE(keys[j] < keys[i]) << to_text(keys[i]) << " " << to_text(keys[j]);
}

TEST(GemmKey, HasAnOrderThatSortsTheSameWayFromEveryStart) {
    auto keys = keys_with_one_field_changed();
    keys.push_back(sample_key());
    const std::set<GemmKey> sorted(keys.begin(), keys.end());
    std::reverse(keys.begin(), keys.end());
    const std::set<GemmKey> again(keys.begin(), keys.end());
    EXPECT_TRUE(std::equal(sorted.begin(), sorted.end(), again.begin(), again.end()));
}

TEST(GemmKey, OfAnotherFamilyIsRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A kernel key has 'fmha{dtype=fp16}' where a key of the form gemm{field=value,…} is expected.",
                   from_text<GemmKey>("fmha{dtype=fp16}"));
}

TEST(GemmKey, OfAnotherVersionIsRefused) {
    std::string older(kSampleText);
    older.erase(older.find(",d_layout=r"), std::string(",d_layout=r").size());
    EXPECT_REFUSED(ErrorCode::invalid_argument, "A kernel key has '' where the field 'd_layout' is expected.",
                   from_text<GemmKey>(older));
    std::string newer(kSampleText);
    newer.insert(newer.size() - 1, ",stages=2");
    EXPECT_REFUSED(ErrorCode::invalid_argument, "A kernel key has 'stages=2' where the end of the key is expected.",
                   from_text<GemmKey>(newer));
}

TEST(GemmKey, HasTheLanesOfAWorkgroup) {
    GemmKey key = sample_key();
    key.waves = {4, 2, 1};
    EXPECT_EQ(key.lanes_per_workgroup(gpu_facts("gfx942")), 512);
    EXPECT_EQ(key.lanes_per_workgroup(gpu_facts("gfx1100")), 256);
}

}  // namespace
}  // namespace ckdispatch

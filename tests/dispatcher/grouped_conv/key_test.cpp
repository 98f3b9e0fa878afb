// SPDX-License-Identifier: MIT
// Keys of convolution kernels: their text, their order, and their specs as the generator writes them.
#include "ckdispatch/grouped_conv/key.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ckdispatch/core/gpus.hpp"
#include "ckdispatch/core/json.hpp"
#include "tests/dispatcher/support/keys.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

GroupedConvKey sample_key() { return test::sample_conv_key(); }

constexpr const char* kSampleText =
    "grouped_conv{variant=forward,ndim_spatial=2,dtype_x=fp16,dtype_w=fp16,dtype_y=fp16,dtype_acc=fp32,layout=nhwgc,"
    "tile=128x64x32,waves=2x2x1,warp_tile=32x32x16,"
    "pipeline=compv3,epilogue=cshuffle,scheduler=intrawave,vector_a=8,vector_b=8,vector_c=8,lds_buffers=1,wave_groups="
    "1,"
    "blocks_per_cu=1,merged_groups=1,"
    "specialization=default,split_k=none,"
    "fused_op=PassThrough,d_count=0}";

/// The sample, changed in one field at a time, in the order of the fields; each is greater than the sample.
std::vector<GroupedConvKey> keys_with_one_field_changed() {
    std::vector<GroupedConvKey> keys;
    const auto add = [&](auto change) {
        GroupedConvKey key = sample_key();
        change(key);
        keys.push_back(key);
    };
    add([](GroupedConvKey& key) { key.variant = "gradient"; });
    add([](GroupedConvKey& key) { key.ndim_spatial = 3; });
    add([](GroupedConvKey& key) { key.dtype_x = "fp8"; });
    add([](GroupedConvKey& key) { key.dtype_w = "fp8"; });
    add([](GroupedConvKey& key) { key.dtype_y = "fp32"; });
    add([](GroupedConvKey& key) { key.dtype_acc = "int32"; });
    add([](GroupedConvKey& key) { key.layout = "nwgc"; });
    add([](GroupedConvKey& key) { key.tile.k = 64; });
    add([](GroupedConvKey& key) { key.waves.m = 4; });
    add([](GroupedConvKey& key) { key.warp_tile.n = 64; });
    add([](GroupedConvKey& key) { key.pipeline = "mem"; });
    add([](GroupedConvKey& key) { key.epilogue = "default"; });
    add([](GroupedConvKey& key) { key.scheduler = "other"; });
    add([](GroupedConvKey& key) { key.vector_a = 16; });
    add([](GroupedConvKey& key) { key.vector_b = 16; });
    add([](GroupedConvKey& key) { key.vector_c = 16; });
    add([](GroupedConvKey& key) { key.lds_buffers = 2; });
    add([](GroupedConvKey& key) { key.wave_groups = 2; });
    add([](GroupedConvKey& key) { key.blocks_per_cu = 2; });
    add([](GroupedConvKey& key) { key.merged_groups = 2; });
    add([](GroupedConvKey& key) { key.specialization = "filter_3x3"; });
    add([](GroupedConvKey& key) { key.split_k = "workspace"; });
    add([](GroupedConvKey& key) { key.fused_op = "Relu"; });
    add([](GroupedConvKey& key) { key.d_count = 1; });
    return keys;
}

TEST(GroupedConvKey, IsShownWithEveryField) { EXPECT_EQ(to_text(sample_key()), kSampleText); }

TEST(GroupedConvKey, IsParsedBackFromItsOwnText) {
    EXPECT_EQ(to_text(from_text<GroupedConvKey>(kSampleText)), kSampleText);
    for (const GroupedConvKey& key : keys_with_one_field_changed())
        EXPECT_TRUE(from_text<GroupedConvKey>(to_text(key)) == key) << to_text(key);
}

TEST(GroupedConvKey, DiffersFromAnotherInAnyField) {
    for (const GroupedConvKey& key : keys_with_one_field_changed()) EXPECT_TRUE(key != sample_key()) << to_text(key);
}

TEST(GroupedConvKey, IsOrderedByItsFieldsFromTheFirst) {
    const auto keys = keys_with_one_field_changed();
    for (const GroupedConvKey& key : keys) EXPECT_TRUE(sample_key() < key && !(key < sample_key())) << to_text(key);
    // A change in an earlier field outweighs one in any later field.
    for (std::size_t i = 0; i < keys.size(); ++i)
        for (std::size_t j = i + 1; j < keys.size(); ++j)
            EXPECT_TRUE(keys[j] < keys[i]) << to_text(keys[i]) << " " << to_text(keys[j]);
}

TEST(GroupedConvKey, HasTheFieldsOfTheGeneratorInItsOrder) {
    std::vector<std::string> names;
    GroupedConvKey::fields([&](std::string_view name, auto) { names.emplace_back(name); });
    EXPECT_EQ(names, (std::vector<std::string>{
                         "variant",       "ndim_spatial",  "dtype_x",        "dtype_w",   "dtype_y",     "dtype_acc",
                         "layout",        "tile",          "waves",          "warp_tile", "pipeline",    "epilogue",
                         "scheduler",     "vector_a",      "vector_b",       "vector_c",  "lds_buffers", "wave_groups",
                         "blocks_per_cu", "merged_groups", "specialization", "split_k",   "fused_op",    "d_count"}));
}

TEST(GroupedConvKey, OfAnotherFamilyIsRefused) {
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        "A kernel key has 'gemm{variant=standard}' where a key of the form grouped_conv{field=value,…} is expected.",
        from_text<GroupedConvKey>("gemm{variant=standard}"));
}

TEST(GroupedConvKey, HasTheLanesOfAWorkgroup) {
    GroupedConvKey key = sample_key();
    key.waves = {4, 2, 1};
    EXPECT_EQ(key.lanes_per_workgroup(gpu_facts("gfx942")), 512);
    EXPECT_EQ(key.lanes_per_workgroup(gpu_facts("gfx1100")), 256);
}

TEST(GroupedConvSpec, IsReadBackToTheSameKey) {
    for (const GroupedConvKey& key : keys_with_one_field_changed()) {
        const Json spec = parse_json(key_to_json(key).dump(), "It");
        EXPECT_EQ(spec["family"], "grouped_conv");
        EXPECT_EQ(spec.size(), 25u);
        EXPECT_TRUE(key_from_json<GroupedConvKey>(spec, "The spec") == key) << to_text(key);
    }
}

TEST(GroupedConvSpec, WithoutAnyOneFieldIsRefused) {
    GroupedConvKey::fields([&](std::string_view field, auto) {
        Json spec = key_to_json(sample_key());
        spec.erase(std::string(field));
        EXPECT_REFUSED(ErrorCode::damaged, "The spec has no '" + std::string(field) + "'.",
                       key_from_json<GroupedConvKey>(spec, "The spec"));
    });
}

TEST(GroupedConvSpec, OfAnotherFamilyIsRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument, "The spec is of the family gemm, not grouped_conv.",
                   key_from_json<GroupedConvKey>(key_to_json(test::sample_key()), "The spec"));
    EXPECT_REFUSED(ErrorCode::invalid_argument, "The spec is of the family grouped_conv, not gemm.",
                   key_from_json<GemmKey>(key_to_json(sample_key()), "The spec"));
}

}  // namespace
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// Keys as the generator writes them: the specs of manifests and of kernel libraries.
#include <gtest/gtest.h>

#include <string>

#include "ckdispatch/core/json.hpp"
#include "tests/dispatcher/support/keys.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::sample_key;

GemmKey parsed(const Json& spec) { return key_from_json<GemmKey>(spec, "The spec"); }

Json sample_spec() { return key_to_json(sample_key()); }

Json changed(const char* field, const Json& value) {
    Json spec = sample_spec();
    spec[field] = value;
    return spec;
}

TEST(GemmSpec, HasAMemberForEachField) {
    const Json expected = {{"family", "gemm"},
                           {"variant", "standard"},
                           {"dtype_a", "fp16"},
                           {"dtype_b", "fp16"},
                           {"dtype_c", "fp16"},
                           {"dtype_acc", "fp32"},
                           {"layout", "rcr"},
                           {"tile", {128, 64, 32}},
                           {"waves", {2, 2, 1}},
                           {"warp_tile", {32, 32, 16}},
                           {"pipeline", "compv3"},
                           {"epilogue", "cshuffle"},
                           {"scheduler", "intrawave"},
                           {"pad_m", true},
                           {"pad_n", false},
                           {"pad_k", false},
                           {"persistent", false},
                           {"split_k", "none"},
                           {"fused_op", "PassThrough"},
                           {"d_count", 0},
                           {"dtype_d", "fp16"},
                           {"d_layout", "r"}};
    EXPECT_EQ(sample_spec(), expected);
}

TEST(GemmSpec, IsReadBackToTheSameKey) { EXPECT_TRUE(parsed(parse_json(sample_spec().dump(), "It")) == sample_key()); }

TEST(GemmSpec, MayHaveTheKernelsName) { EXPECT_TRUE(parsed(changed("name", "gemm_fp16")) == sample_key()); }

TEST(GemmSpec, OfAnotherFamilyIsRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument, "The spec is of the family fmha, not gemm.",
                   parsed(changed("family", "fmha")));
}

TEST(GemmSpec, WithoutItsFamilyIsRefused) {
    Json spec = sample_spec();
    spec.erase("family");
    EXPECT_REFUSED(ErrorCode::damaged, "The spec has no 'family'.", parsed(spec));
    EXPECT_REFUSED(ErrorCode::damaged, "The spec has a 'family' that is no text.", parsed(changed("family", 1)));
}

TEST(GemmSpec, WithoutAnyOneFieldIsRefused) {
    GemmKey::fields([&](std::string_view field, auto) {
        Json spec = sample_spec();
        spec.erase(std::string(field));
        EXPECT_REFUSED(ErrorCode::damaged, "The spec has no '" + std::string(field) + "'.", parsed(spec));
    });
}

TEST(GemmSpec, WithAFieldThatNobodyKnowsIsRefused) {
    EXPECT_REFUSED(
        ErrorCode::abi_mismatch,
        "The spec has fields that this runtime does not know; it comes from another version of the generator.",
        parsed(changed("stages", 2)));
}

TEST(GemmSpec, ThatIsNoObjectIsRefused) {
    for (const Json& spec : {Json::array(), Json("gemm"), Json(nullptr), Json(7)})
        EXPECT_REFUSED(ErrorCode::damaged, "The spec has no 'family'.", parsed(spec)) << spec;
}

TEST(GemmSpec, WithAWordThatIsNoneIsRefused) {
    EXPECT_REFUSED(ErrorCode::damaged, "The spec has a wrong field 'pipeline': a word is expected, not 7.",
                   parsed(changed("pipeline", 7)));
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "The spec has a wrong field 'pipeline': A kernel key has 'comp v3' where a word of letters, digits "
                   "and underscores is expected.",
                   parsed(changed("pipeline", "comp v3")));
}

TEST(GemmSpec, WithATileThatIsNoTripleOfExtentsIsRefused) {
    for (const Json& tile :
         {Json({128, 64}), Json({128, 64, 32, 1}), Json({128, 64, 32.5}), Json({128, 64, "32"}), Json("128x64x32"),
          Json(128), Json(nullptr), Json({128, 0, 32}), Json({128, -64, 32}), Json({128, 64, 4294967328}),
          Json({128, 64, 65537}), Json({128, 64, 18446744073709551615u})})
        EXPECT_REFUSED(ErrorCode::damaged,
                       "The spec has a wrong field 'tile': three whole numbers from 1 to 65536 are expected, not " +
                           tile.dump() + ".",
                       parsed(changed("tile", tile)));
}

TEST(GemmSpec, WithAFlagThatIsNeitherTrueNorFalseIsRefused) {
    for (const Json& flag : {Json("false"), Json(0), Json(1), Json(nullptr)})
        EXPECT_REFUSED(ErrorCode::damaged,
                       "The spec has a wrong field 'pad_k': true or false is expected, not " + flag.dump() + ".",
                       parsed(changed("pad_k", flag)));
}

TEST(GemmSpec, WithACountThatIsNoneIsRefused) {
    for (const Json& count : {Json("2"), Json(1.5), Json(true), Json(nullptr), Json(4294967296)})
        EXPECT_REFUSED(ErrorCode::damaged,
                       "The spec has a wrong field 'd_count': a whole number is expected, not " + count.dump() + ".",
                       parsed(changed("d_count", count)));
}

TEST(GemmSpec, IsQuotedInARefusalOnlyAtItsBeginning) {
    EXPECT_REFUSED(ErrorCode::damaged,
                   "The spec has a wrong field 'pad_k': true or false is expected, not \"" + std::string(59, 'x') + ".",
                   parsed(changed("pad_k", std::string(1000, 'x'))));
}

}  // namespace
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// A learned model on its GPU: its constants, the kernels that it is for, and the models that come with the runtime.
#include "ckdispatch/core/learned.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ckdispatch/gemm/family.hpp"
#include "ckdispatch/grouped_conv/family.hpp"
#include "models/bundled_models.hpp"
#include "tests/dispatcher/support/keys.hpp"
#include "tests/dispatcher/support/models.hpp"
#include "tests/dispatcher/support/refusal.hpp"
#include "tests/dispatcher/support/temporary.hpp"

namespace ckdispatch {
namespace {

using test::model_document;
using test::sample_key;

std::shared_ptr<const Model> gemm_model(const Json& document) { return test::model_of<GemmFamily>(document); }
Learned<GemmKey> learned(const Json& serves) {
    return Learned<GemmKey>(gemm_model(model_document("gemm", "gfx942", {}, serves)));
}

Json with_constant(const char* name, const Json& value) {
    Json document = model_document("gemm", "gfx942");
    if (value.is_null()) document["constants"].erase(name);
    else document["constants"][name] = value;
    return document;
}

TEST(ConstantsOfAModel, AreInTheOrderOfTheTerms) {
    Json document = model_document("gemm", "gfx942");
    for (std::size_t i = 0; i < arch::kCostTerms; ++i)
        document["constants"][std::string(arch::cost_terms[i])] = double(i);
    const Terms constants = constants_of(*gemm_model(document));
    for (std::size_t i = 0; i < arch::kCostTerms; ++i) EXPECT_EQ(constants[i], double(i));
}

TEST(ConstantsOfAModel, ThatMissOneAreRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A model lacks the constant 'store' of the cost model; it was made for another version.",
                   constants_of(*gemm_model(with_constant("store", nullptr))));
}

TEST(ConstantsOfAModel, ThatHaveOneMoreAreRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A model has constants that the cost model does not know; it was made for another version.",
                   constants_of(*gemm_model(with_constant("tea", 1))));
}

TEST(ConstantsOfAModel, ThatAreNegativeAreRefused) {
    EXPECT_REFUSED(ErrorCode::damaged, "A model has the constant 'store' = -0.500000; none is below 0.",
                   constants_of(*gemm_model(with_constant("store", -0.5))));
}

TEST(ALearnedModel, ServesKernelsWhoseFieldsAreAsItSays) {
    const auto forward =
        learned({{"variant", "standard"}, {"dtype_a", "fp16"}, {"tile", "128x64x32"}, {"pad_m", "true"}});
    EXPECT_TRUE(forward.serves(sample_key()));
    GemmKey other = sample_key();
    other.pad_m = false;
    EXPECT_FALSE(forward.serves(other));
    EXPECT_FALSE(forward.serves(test::key_with_tile(64, 64, 32)));
    other = sample_key();
    other.dtype_a = "bf16";
    EXPECT_FALSE(forward.serves(other));
}

TEST(ALearnedModel, ThatSaysNothingServesAllKernels) {
    EXPECT_TRUE(learned(Json::object()).serves(sample_key()));
    EXPECT_TRUE(learned(Json::object()).serves(GemmKey{}));
}

TEST(ALearnedModel, ReplacesOneForTheSameKernelsAlone) {
    const auto half = learned({{"dtype_a", "fp16"}}), again = learned({{"dtype_a", "fp16"}});
    const auto other = learned({{"dtype_a", "bf16"}}), all = learned(Json::object());
    EXPECT_TRUE(half.replaces(again));
    EXPECT_TRUE(all.replaces(all));
    EXPECT_FALSE(half.replaces(other));
    EXPECT_FALSE(half.replaces(all));
    EXPECT_FALSE(all.replaces(half));
}

TEST(ALearnedModel, CorrectsTheCostModelWithItsOwnConstants) {
    const auto model = learned(Json::object());
    EXPECT_EQ(model.costs().constants(), constants_of(model.model()));
    EXPECT_EQ(model.costs().gpu().name, "gfx942");
    EXPECT_FALSE(model.costs().carried_over());
}

TEST(ALearnedModel, OfAnotherFamilyIsRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument, "A model of the family grouped_conv was given for gemm.",
                   Learned<GemmKey>(gemm_model(model_document("grouped_conv", "gfx942"))));
}

TEST(ALearnedModel, OfAFieldThatKeysDoNotHaveIsRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A model is for kernels whose colour is blue, and those of gemm have no such field.",
                   learned({{"colour", "blue"}}));
}

TEST(ALearnedModel, OfAWordThatAFieldCannotHaveIsRefused) {
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument, "128", learned({{"tile", "128"}}));
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument, "perhaps", learned({{"pad_m", "perhaps"}}));
}

TEST(BundledModels, AreTheFilesByteForByte) {
    ASSERT_FALSE(models::bundled().empty());
    for (const models::Bundled& one : models::bundled()) {
        const auto file = test::read_bytes("models/" + std::string(one.name) + ".json");
        EXPECT_EQ(one.content, std::string(file.begin(), file.end())) << one.name;
        const Json document = Json::parse(one.content);
        EXPECT_EQ(one.family, document.at("family").get<std::string>()) << one.name;
        EXPECT_EQ(one.gpu, document.at("gpu").get<std::string>()) << one.name;
    }
}

TEST(BundledModels, AreReadForTheirFamilyAndGpuAlone) {
    const auto features = feature_names(GroupedConvFamily::details());
    const auto found = bundled_models("grouped_conv", "gfx950", features);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0]->family(), "grouped_conv");
    EXPECT_EQ(found[0]->gpu(), "gfx950");
    EXPECT_EQ(found[0]->features(), features);
    EXPECT_TRUE(bundled_models("grouped_conv", "gfx942", features).empty());
    EXPECT_TRUE(bundled_models("gemm", "gfx942", feature_names(GemmFamily::details())).empty());
    EXPECT_TRUE(bundled_models("batched_transpose", "gfx950", features).empty());
}

TEST(BundledModels, AreReadOnce) {
    const auto features = feature_names(GroupedConvFamily::details());
    EXPECT_EQ(bundled_models("grouped_conv", "gfx950", features), bundled_models("grouped_conv", "gfx950", features));
}

TEST(BundledModels, CanAllBeUsed) {
    for (const models::Bundled& one : models::bundled()) {
        if (one.family == "grouped_conv") {
            EXPECT_NO_THROW(Learned<GroupedConvKey>(test::model_of<GroupedConvFamily>(Json::parse(one.content))))
                << one.name;
        } else {
            ASSERT_EQ(one.family, "gemm");
            EXPECT_NO_THROW(Learned<GemmKey>(test::model_of<GemmFamily>(Json::parse(one.content)))) << one.name;
        }
    }
}

TEST(BundledModels, AreWhatIsChosenByWhereTheyAreFor) {
    const auto convolutions = std::make_shared<GroupedConvRegistry>("mine");
    EXPECT_EQ(GroupedConvSelector(convolutions, "gfx950").strategy(), Strategy::model);
    EXPECT_EQ(GroupedConvSelector(convolutions, "gfx950").models().size(), 1u);
    EXPECT_TRUE(GroupedConvSelector(convolutions, "gfx950").has_model());
    EXPECT_EQ(GroupedConvSelector(convolutions, "gfx942").strategy(), Strategy::rules);
    EXPECT_FALSE(GroupedConvSelector(convolutions, "gfx942").has_model());
    EXPECT_EQ(GemmSelector(std::make_shared<GemmRegistry>("mine"), "gfx950").strategy(), Strategy::model);
    EXPECT_EQ(GemmSelector(std::make_shared<GemmRegistry>("mine"), "gfx942").strategy(), Strategy::rules);
}

TEST(BundledModels, ServeTheKernelsThatTheyWereTrainedFor) {
    const GroupedConvSelector selector(std::make_shared<GroupedConvRegistry>("mine"), "gfx950");
    GroupedConvKey key = test::sample_conv_key();
    EXPECT_FALSE(selector.models()[0].serves(key));  // fp16
    key.dtype_x = key.dtype_w = key.dtype_y = "bf16";
    EXPECT_TRUE(selector.models()[0].serves(key));
    key.variant = "bwd_data";
    EXPECT_FALSE(selector.models()[0].serves(key));
}

}  // namespace
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// Kernels of all families in one registry, without opening a library.
#include "ckdispatch/families/kernel_registry.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "ckdispatch/core/json.hpp"
#include "tests/dispatcher/support/keys.hpp"
#include "tests/dispatcher/support/refusal.hpp"
#include "tests/dispatcher/support/temporary.hpp"

namespace ckdispatch {
namespace {

using test::key_with_tile;
using test::name_for;
using test::sample_conv_key;
using test::sample_key;
using test::unopened_kernel;

class KernelRegistries : public testing::Test {
protected:
    void SetUp() override {
        gemms->add(unopened_kernel(sample_key(), 3));
        convolutions->add(unopened_kernel(sample_conv_key(), 0, {"gfx942", "gfx950"}));
    }

    /// A GEMM under the name of a convolution.
    static std::shared_ptr<const Kernel<GemmKey>> namesake() {
        return std::make_shared<Kernel<GemmKey>>(key_with_tile(8, 8, 8), name_for(sample_conv_key()),
                                                 LibraryFile{"/nowhere/lib.so", std::string(64, 'a')},
                                                 std::vector<Resources>{test::sample_resources()}, 0);
    }

    KernelRegistry registry{"mine"};
    std::shared_ptr<GemmRegistry> gemms = registry.of<GemmRegistry>();
    std::shared_ptr<GroupedConvRegistry> convolutions = registry.of<GroupedConvRegistry>();
};

TEST_F(KernelRegistries, HaveAPartForEachFamilyThatStaysTheSame) {
    EXPECT_EQ(registry.of<GemmRegistry>(), gemms);
    EXPECT_EQ(gemms->name(), "mine");
    EXPECT_EQ(registry.size(), 2u);
    EXPECT_EQ(registry.statistics().kernels, 2u);
    EXPECT_EQ(registry.statistics().gpus.at("gfx950"), 1u);
}

TEST_F(KernelRegistries, ChangeTheirVersionWithEveryPart) {
    const auto before = registry.version();
    gemms->add(unopened_kernel(key_with_tile(16, 16, 16)));
    const auto between = registry.version();
    EXPECT_GT(between, before);
    EXPECT_TRUE(registry.remove(name_for(sample_conv_key())));
    EXPECT_GT(registry.version(), between);
    EXPECT_FALSE(registry.remove(name_for(sample_conv_key())));
    EXPECT_EQ(convolutions->size(), 0u);
}

TEST_F(KernelRegistries, FindAKernelOfAnyFamily) {
    for (const std::string& asked : {name_for(sample_conv_key()), to_text(sample_conv_key())}) {
        const Json found = parse_json(registry.describe(asked), "It");
        EXPECT_EQ(found["family"], "grouped_conv");
        EXPECT_EQ(found["name"], name_for(sample_conv_key()));
        EXPECT_EQ(found["key"], to_text(sample_conv_key()));
    }
    EXPECT_EQ(parse_json(registry.describe(to_text(sample_key())), "It")["priority"], 3);
    EXPECT_REFUSED(ErrorCode::not_found, "The registry mine has no kernel none.", registry.describe("none"));
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "The key cooking{} is of the family cooking; this version has gemm, grouped_conv, fmha.",
                   registry.describe("cooking{}"));
}

TEST_F(KernelRegistries, AreFilteredByFamilyGpuAndFields) {
    EXPECT_EQ(registry.filtered({})->size(), 2u);
    EXPECT_EQ(registry.filtered({{"gpu", "gfx950"}})->size(), 1u);
    EXPECT_EQ(registry.filtered({{"family", "gemm"}})->of<GemmRegistry>()->size(), 1u);
    EXPECT_EQ(registry.filtered({{"family", "gemm"}})->size(), 1u);
    EXPECT_EQ(registry.filtered({{"pipeline", "compv3"}})->size(), 2u);
    // A family without the field has none that pass.
    EXPECT_EQ(registry.filtered({{"dtype_a", "fp16"}})->size(), 1u);
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument,
                          "A filter by 'colour' was asked for; GEMMs are filtered by variant, ",
                          registry.filtered({{"colour", "red"}}));
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument,
                          "A filter by 'dtype_x' was asked for; GEMMs are filtered by variant, ",
                          registry.filtered({{"family", "gemm"}, {"dtype_x", "fp16"}}));
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "A filter is of the family cooking; this version has gemm, grouped_conv, fmha.",
                   registry.filtered({{"family", "cooking"}}));
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument, "A filter by 'colour' was asked for; ",
                          KernelRegistry("empty").filtered({{"colour", "red"}}));
}

TEST_F(KernelRegistries, GiveANameToOneKernelOfOneFamily) {
    KernelRegistry other("other");
    other.of<GemmRegistry>()->add(namesake());
    other.of<GroupedConvRegistry>()->add(unopened_kernel(sample_conv_key("backward_data")));
    const std::string sentence = "The registry mine was given a second kernel called " + name_for(sample_conv_key()) +
                                 " of another family; a name belongs to one kernel.";
    EXPECT_REFUSED(ErrorCode::damaged, sentence, registry.merge(other));
    EXPECT_EQ(registry.size(), 2u);
}

TEST_F(KernelRegistries, AddAllFamiliesOfAnotherOrNone) {
    KernelRegistry other("other");
    other.of<GemmRegistry>()->add(unopened_kernel(key_with_tile(16, 16, 16)));
    other.of<GroupedConvRegistry>()->add(unopened_kernel(sample_conv_key()));
    EXPECT_REFUSED_SAYING(ErrorCode::duplicate, "The registry mine already has the kernel grouped_conv",
                          registry.merge(other));
    EXPECT_EQ(registry.size(), 2u);
    EXPECT_EQ(gemms->find(key_with_tile(16, 16, 16)), nullptr);
    EXPECT_EQ(registry.merge(other, Duplicates::keep), 1u);
    EXPECT_EQ(registry.size(), 3u);
}

TEST_F(KernelRegistries, LoadAManifestOfSeveralFamiliesOrNothingOfIt) {
    const test::TemporaryFolder folder;
    Json document = parse_json(registry.to_json(), "It");
    for (Json& kernel : document["kernels"]) {
        kernel["path"] = "lib.so";
        kernel["summary"] = kernel["resources"];
    }
    const std::string path = folder.write("set.manifest.json", document.dump());
    KernelRegistry loaded("loaded");
    EXPECT_EQ(loaded.load_manifest(path, Duplicates::refuse, 5), 2u);
    EXPECT_EQ(loaded.of<GroupedConvRegistry>()->find(sample_conv_key())->priority(), 5);
    EXPECT_TRUE(loaded.remove(name_for(sample_key())));
    EXPECT_REFUSED_SAYING(ErrorCode::duplicate, "already has the kernel grouped_conv", loaded.load_manifest(path));
    EXPECT_EQ(loaded.size(), 1u);
}

TEST(KernelRegistryNames, AreThoseOfTheWholeProcess) {
    const auto one = KernelRegistry::named("shared by tests");
    EXPECT_EQ(one->name(), "shared by tests");
    one->of<GemmRegistry>()->add(unopened_kernel(sample_key()));
    EXPECT_NE(one, KernelRegistry::named("another"));
    std::vector<std::shared_ptr<KernelRegistry>> got(8);
    std::vector<std::thread> threads;
    for (auto& place : got) threads.emplace_back([&] { place = KernelRegistry::named("shared by tests"); });
    for (std::thread& thread : threads) thread.join();
    for (const auto& registry : got) EXPECT_EQ(registry, one);
}

}  // namespace
}  // namespace ckdispatch

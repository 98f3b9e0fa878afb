// SPDX-License-Identifier: MIT
// What every family's registry promises, on GEMM kernels whose libraries nobody opens.
#include "ckdispatch/gemm/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/dispatcher/support/keys.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::key_with_tile;
using test::name_for;
using test::sample_key;
using test::unopened_kernel;

std::vector<std::string> tiles_of(const GemmRegistry& registry) {
    std::vector<std::string> tiles;
    for (const auto& kernel : registry.kernels()) tiles.push_back(fields_detail::show(kernel->key().tile));
    return tiles;
}

TEST(Registry, IsEmptyAtFirst) {
    const GemmRegistry registry("mine");
    EXPECT_EQ(registry.name(), "mine");
    EXPECT_EQ(registry.size(), 0u);
    EXPECT_EQ(registry.version(), 0u);
    EXPECT_EQ(registry.kernels().size(), 0u);
    EXPECT_EQ(registry.find(sample_key()), nullptr);
    EXPECT_EQ(registry.find_name("any"), nullptr);
}

TEST(Registry, FindsAKernelByItsKeyAndByItsName) {
    GemmRegistry registry("mine");
    const auto kernel = unopened_kernel(sample_key());
    EXPECT_TRUE(registry.add(kernel));
    EXPECT_TRUE(registry.add(unopened_kernel(key_with_tile(64, 64, 64))));
    EXPECT_EQ(registry.find(sample_key()), kernel);
    EXPECT_EQ(registry.find_name(name_for(sample_key())), kernel);
    EXPECT_EQ(registry.find(key_with_tile(1, 1, 1)), nullptr);
    EXPECT_EQ(registry.find_name(""), nullptr);
}

TEST(Registry, ListsItsKernelsInTheOrderOfTheirKeysHoweverTheyCame) {
    std::vector<GemmKey> keys = {key_with_tile(16, 64, 128), key_with_tile(64, 64, 32), key_with_tile(64, 64, 64), key_with_tile(128, 32, 64), key_with_tile(128, 128, 32)};
    const std::vector<std::string> expected = {"16x64x128", "64x64x32", "64x64x64", "128x32x64", "128x128x32"};
    do {
        GemmRegistry registry("mine");
        for (const GemmKey& key : keys) registry.add(unopened_kernel(key));
        ASSERT_EQ(tiles_of(registry), expected);
    } while (std::next_permutation(keys.begin(), keys.end()));
}

TEST(Registry, RefusesADuplicateUnlessToldOtherwise) {
    GemmRegistry registry("mine");
    const auto first = unopened_kernel(sample_key());
    registry.add(first);
    const auto version = registry.version();
    EXPECT_REFUSED(ErrorCode::duplicate, "The registry mine already has the kernel " + name_for(sample_key()) + "; remove it, or ask to replace or to keep duplicates.",
                   registry.add(unopened_kernel(sample_key())));
    EXPECT_EQ(registry.find(sample_key()), first);
    EXPECT_EQ(registry.version(), version);
}

TEST(Registry, ReplacesADuplicateWhenToldSo) {
    GemmRegistry registry("mine");
    registry.add(unopened_kernel(sample_key()));
    const auto second = unopened_kernel(sample_key(), 5);
    EXPECT_TRUE(registry.add(second, Duplicates::replace));
    EXPECT_EQ(registry.size(), 1u);
    EXPECT_EQ(registry.find(sample_key()), second);
    EXPECT_EQ(registry.find_name(second->name()), second);
}

TEST(Registry, KeepsTheOldOneWhenToldSo) {
    GemmRegistry registry("mine");
    const auto first = unopened_kernel(sample_key());
    registry.add(first);
    const auto version = registry.version();
    EXPECT_FALSE(registry.add(unopened_kernel(sample_key(), 5), Duplicates::keep));
    EXPECT_EQ(registry.find(sample_key()), first);
    EXPECT_EQ(registry.version(), version);
}

TEST(Registry, RefusesANameThatBelongsToAnotherSpecWhateverThePolicy) {
    for (const Duplicates duplicates : {Duplicates::refuse, Duplicates::replace, Duplicates::keep}) {
        GemmRegistry registry("mine");
        registry.add(unopened_kernel(sample_key()));
        const auto impostor = std::make_shared<Kernel<GemmKey>>(key_with_tile(1, 1, 1), name_for(sample_key()), LibraryFile{}, std::vector<Resources>{}, 0);
        EXPECT_REFUSED(ErrorCode::damaged, "The registry mine was given a second kernel called " + name_for(sample_key()) + " with another spec; a name belongs to one spec.",
                       registry.add(impostor, duplicates));
        EXPECT_EQ(registry.size(), 1u);
    }
}

TEST(Registry, ForgetsTheOldNameOfAKernelThatWasReplacedUnderAnother) {
    GemmRegistry registry("mine");
    registry.add(unopened_kernel(sample_key()));
    registry.add(std::make_shared<Kernel<GemmKey>>(sample_key(), "renamed", LibraryFile{}, std::vector<Resources>{}, 0), Duplicates::replace);
    EXPECT_EQ(registry.find_name(name_for(sample_key())), nullptr);
    EXPECT_NE(registry.find_name("renamed"), nullptr);
    EXPECT_EQ(registry.size(), 1u);
}

TEST(Registry, RemovesAKernelByItsName) {
    GemmRegistry registry("mine");
    registry.add(unopened_kernel(sample_key()));
    EXPECT_TRUE(registry.remove(name_for(sample_key())));
    EXPECT_FALSE(registry.remove(name_for(sample_key())));
    EXPECT_EQ(registry.size(), 0u);
    EXPECT_EQ(registry.find(sample_key()), nullptr);
    EXPECT_TRUE(registry.add(unopened_kernel(sample_key())));
}

TEST(Registry, HasAnotherVersionAfterEveryChange) {
    GemmRegistry registry("mine");
    std::vector<std::uint64_t> versions = {registry.version()};
    registry.add(unopened_kernel(sample_key()));
    versions.push_back(registry.version());
    registry.add(unopened_kernel(sample_key()), Duplicates::replace);
    versions.push_back(registry.version());
    registry.remove(name_for(sample_key()));
    versions.push_back(registry.version());
    (void)registry.kernels();
    EXPECT_EQ(registry.version(), versions.back());
    EXPECT_EQ(std::adjacent_find(versions.begin(), versions.end(), std::greater_equal<>()), versions.end());
}

TEST(Registry, ShowsNoLaterChangesInASnapshot) {
    GemmRegistry registry("mine");
    registry.add(unopened_kernel(sample_key()));
    const auto before = registry.kernels();
    registry.add(unopened_kernel(key_with_tile(1, 1, 1)));
    registry.remove(name_for(sample_key()));
    ASSERT_EQ(before.size(), 1u);
    EXPECT_TRUE(before[0]->key() == sample_key());
    EXPECT_EQ(tiles_of(registry), std::vector<std::string>{"1x1x1"});
}

TEST(Registry, GivesTheSameSnapshotUntilItChanges) {
    GemmRegistry registry("mine");
    registry.add(unopened_kernel(sample_key()));
    EXPECT_EQ(registry.kernels().begin(), registry.kernels().begin());
}

TEST(Registry, OfANameIsOneForTheWholeProcess) {
    const auto one = GemmRegistry::named("shared by tests");
    EXPECT_EQ(one, GemmRegistry::named("shared by tests"));
    EXPECT_NE(one, GemmRegistry::named("another"));
    EXPECT_EQ(one->name(), "shared by tests");
    one->add(unopened_kernel(sample_key()));
    EXPECT_EQ(GemmRegistry::named("shared by tests")->size(), 1u);
    EXPECT_EQ(GemmRegistry::named("another")->size(), 0u);
}

TEST(RegistryMerge, AddsTheKernelsOfAnother) {
    GemmRegistry mine("mine"), other("other");
    mine.add(unopened_kernel(sample_key()));
    other.add(unopened_kernel(key_with_tile(1, 1, 1)));
    other.add(unopened_kernel(key_with_tile(256, 1, 1)));
    EXPECT_EQ(mine.merge(other), 2u);
    EXPECT_EQ(tiles_of(mine), (std::vector<std::string>{"1x1x1", "128x64x32", "256x1x1"}));
    EXPECT_EQ(other.size(), 2u);
}

TEST(RegistryMerge, AddsAllOrNone) {
    GemmRegistry mine("mine"), other("other");
    mine.add(unopened_kernel(sample_key()));
    other.add(unopened_kernel(key_with_tile(1, 1, 1)));
    other.add(unopened_kernel(sample_key()));
    other.add(unopened_kernel(key_with_tile(256, 1, 1)));
    EXPECT_REFUSED_SAYING(ErrorCode::duplicate, "The registry mine already has the kernel ", mine.merge(other));
    EXPECT_EQ(tiles_of(mine), std::vector<std::string>{"128x64x32"});
    EXPECT_EQ(mine.find_name(name_for(key_with_tile(1, 1, 1))), nullptr);
}

TEST(RegistryMerge, CountsOnlyWhatItAdded) {
    GemmRegistry mine("mine"), other("other");
    const auto kept = unopened_kernel(sample_key());
    mine.add(kept);
    other.add(unopened_kernel(sample_key()));
    other.add(unopened_kernel(key_with_tile(1, 1, 1)));
    EXPECT_EQ(mine.merge(other, Duplicates::keep), 1u);
    EXPECT_EQ(mine.find(sample_key()), kept);
    EXPECT_EQ(mine.merge(other, Duplicates::replace), 2u);
    EXPECT_NE(mine.find(sample_key()), kept);
}

TEST(RegistryMerge, WithItselfChangesNothing) {
    GemmRegistry mine("mine");
    mine.add(unopened_kernel(sample_key()));
    EXPECT_EQ(mine.merge(mine, Duplicates::keep), 0u);
    EXPECT_EQ(mine.merge(mine, Duplicates::replace), 1u);
    EXPECT_EQ(mine.size(), 1u);
}

class RegistryFilter : public testing::Test {
protected:
    void SetUp() override {
        const auto add = [&](auto change, std::initializer_list<const char*> gpus = {"gfx942"}) {
            GemmKey key = sample_key();
            change(key);
            registry.add(unopened_kernel(key, 0, gpus));
        };
        add([](GemmKey&) {}, {"gfx942", "gfx950"});
        add([](GemmKey& key) { key.variant = "preshuffle"; });
        add([](GemmKey& key) { key.dtype_a = "bf16"; });
        add([](GemmKey& key) { key.dtype_b = "bf16"; });
        add([](GemmKey& key) { key.dtype_c = "fp32"; });
        add([](GemmKey& key) { key.layout = "rrr"; });
        add([](GemmKey& key) { key.pipeline = "mem"; }, {"gfx1100"});
    }

    std::size_t count(const GemmFilter& filter, Name gpu = {}, const GemmRegistry::Predicate& predicate = {}) const { return registry.filtered(filter, gpu, predicate)->size(); }

    GemmRegistry registry{"mine"};
};

TEST_F(RegistryFilter, ThatIsEmptyKeepsAll) { EXPECT_EQ(count({}), 7u); }

TEST_F(RegistryFilter, KeepsThoseWithTheWord) {
    GemmFilter variant, dtype_a, dtype_b, dtype_c, layout, pipeline;
    variant.variant = "preshuffle", dtype_a.dtype_a = "bf16", dtype_b.dtype_b = "bf16", dtype_c.dtype_c = "fp32", layout.layout = "rrr", pipeline.pipeline = "mem";
    for (const GemmFilter& filter : {variant, dtype_a, dtype_b, dtype_c, layout, pipeline}) EXPECT_EQ(count(filter), 1u);
    dtype_a.layout = "rrr";
    EXPECT_EQ(count(dtype_a), 0u);
    GemmFilter nothing;
    nothing.layout = "ccc";
    EXPECT_EQ(count(nothing), 0u);
}

TEST_F(RegistryFilter, KeepsThoseWithCodeForTheGpu) {
    EXPECT_EQ(count({}, "gfx942"), 6u);
    EXPECT_EQ(count({}, "gfx950"), 1u);
    EXPECT_EQ(count({}, "gfx1100"), 1u);
    EXPECT_EQ(count({}, "gfx90a"), 0u);
}

TEST_F(RegistryFilter, KeepsThoseThatSatisfyThePredicate) {
    EXPECT_EQ(count({}, {}, [](const Kernel<GemmKey>& kernel) { return kernel.resources().size() == 2; }), 1u);
    EXPECT_EQ(count({}, "gfx942", [](const Kernel<GemmKey>& kernel) { return kernel.key().layout == Name("rcr"); }), 5u);
}

TEST_F(RegistryFilter, SharesItsKernelsAndLeavesTheOriginal) {
    const auto chosen = registry.filtered(GemmFilter{});
    EXPECT_EQ(chosen->name(), "mine");
    const auto all = registry.kernels(), same = chosen->kernels();
    EXPECT_TRUE(std::equal(all.begin(), all.end(), same.begin(), same.end()));
    chosen->remove(all[0]->name());
    EXPECT_EQ(registry.size(), 7u);
}

TEST_F(RegistryFilter, HasStatisticsOfWhatIsThere) {
    const Statistics counted = registry.statistics();
    EXPECT_EQ(counted.kernels, 7u);
    EXPECT_EQ(counted.opened, 0u);
    EXPECT_EQ(counted.spilling, 0u);
    EXPECT_EQ(counted.gpus, (std::map<std::string, std::size_t>{{"gfx942", 6}, {"gfx950", 1}, {"gfx1100", 1}}));
    EXPECT_EQ(counted.fields.at("pipeline"), (std::map<std::string, std::size_t>{{"compv3", 6}, {"mem", 1}}));
    EXPECT_EQ(counted.fields.at("dtype_a"), (std::map<std::string, std::size_t>{{"fp16", 6}, {"bf16", 1}}));
    EXPECT_EQ(counted.fields.size(), 9u);
}

TEST(RegistryStatistics, CountAKernelThatSpillsOnAnyGpuOnce) {
    GemmRegistry registry("mine");
    std::vector<Resources> resources = {test::sample_resources("gfx942"), test::sample_resources("gfx950"), test::sample_resources("gfx90a")};
    resources[0].vgpr_spills = 3, resources[1].sgpr_spills = 1;
    registry.add(std::make_shared<Kernel<GemmKey>>(sample_key(), "spilling", LibraryFile{}, resources, 0));
    registry.add(unopened_kernel(key_with_tile(1, 1, 1)));
    EXPECT_EQ(registry.statistics().spilling, 1u);
}

}  // namespace
}  // namespace ckdispatch

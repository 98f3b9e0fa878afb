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
    std::vector<GemmKey> keys = {key_with_tile(16, 64, 128), key_with_tile(64, 64, 32), key_with_tile(64, 64, 64),
                                 key_with_tile(128, 32, 64), key_with_tile(128, 128, 32)};
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
    EXPECT_REFUSED(ErrorCode::duplicate,
                   "The registry mine already has the kernel " + name_for(sample_key()) +
                       "; remove it, or ask to replace or to keep duplicates.",
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
        const auto impostor = std::make_shared<Kernel<GemmKey>>(key_with_tile(1, 1, 1), name_for(sample_key()),
                                                                LibraryFile{}, std::vector<Resources>{}, 0);
        EXPECT_REFUSED(ErrorCode::damaged,
                       "The registry mine was given a second kernel called " + name_for(sample_key()) +
                           " with another spec; a name belongs to one spec.",
                       registry.add(impostor, duplicates));
        EXPECT_EQ(registry.size(), 1u);
    }
}

TEST(Registry, ForgetsTheOldNameOfAKernelThatWasReplacedUnderAnother) {
    GemmRegistry registry("mine");
    registry.add(unopened_kernel(sample_key()));
    registry.add(std::make_shared<Kernel<GemmKey>>(sample_key(), "renamed", LibraryFile{}, std::vector<Resources>{}, 0),
                 Duplicates::replace);
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

}  // namespace
}  // namespace ckdispatch

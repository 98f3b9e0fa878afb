// SPDX-License-Identifier: MIT
// Which tensors share memory, against a look at every byte.
#include "ckdispatch/core/regions.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>

namespace ckdispatch {
namespace {

void* address(std::uint64_t place) { return reinterpret_cast<void*>(std::uintptr_t(place)); }

Region written(Region region) { return region.written = true, region; }

std::optional<Clash> clash(const std::vector<Region>& regions, const std::vector<void*>& tensors) {
    return first_clash(regions, tensors.data(), [](const Clash&) { return false; });
}

bool clash_at(const Region& one, std::uint64_t at, const Region& other, std::uint64_t other_at) {
    return clash({written(one), other}, {address(at), address(other_at)}).has_value();
}

std::set<std::uint64_t> every_byte(const Region& region, std::uint64_t at) {
    std::set<std::uint64_t> bytes;
    for (std::uint64_t set = 0; set < region.sets; ++set)
        for (std::uint64_t i = 0; i < region.matrices; ++i)
            for (std::uint64_t j = 0; j < region.lines; ++j)
                for (std::uint64_t k = 0; k < region.width; ++k)
                    bytes.insert(at + set * region.set_pitch + i * region.matrix_pitch + j * region.pitch + k);
    return bytes;
}

TEST(Region, ReachesToItsLastByte) {
    EXPECT_EQ(region_of({"fp16", 10, 3, 12, 1, 0}).reach, 2u * (2 * 12 + 10));
    EXPECT_EQ(region_of({"fp32", 10, 3, 12, 4, 100}).reach, 4u * (3 * 100 + 2 * 12 + 10));
    // One line that is repeated, and one matrix that is shared.
    EXPECT_EQ(region_of({"fp16", 10, 3, 0, 5, 0}).reach, 20u);
    EXPECT_EQ(region_of({"pk_fp4", 10, 3, 12, 1, 0}).reach, 17u);
}

TEST(Region, WithoutGapsIsOneLine) {
    EXPECT_TRUE(region_of({"fp16", 8, 4, 8, 3, 32}) == region_of({"fp16", 96, 1, 0, 1, 0}));
    EXPECT_EQ(region_of({"fp16", 8, 4, 8, 3, 40}).matrices, 3u);
    EXPECT_EQ(region_of({"fp16", 8, 4, 9, 1, 0}).lines, 4u);
}

TEST(Region, ThatNoMemoryHoldsMeetsAll) {
    const std::int64_t far = (std::int64_t(1) << 31) - 1;
    const Region region = region_of({"fp32", far, far, far, far, std::int64_t(1) << 29});
    EXPECT_EQ(region_of({"fp32", 1, far, std::int64_t(1) << 33, 1, 0}).reach,
              std::numeric_limits<std::uint64_t>::max());
    EXPECT_TRUE(clash_at(region, 0x1000, region_of({"fp16", 1, 1, 0, 1, 0}), 0x7fffffff0000));
}

TEST(Tensors, ThatFollowEachOtherDoNotClash) {
    const Region row = region_of({"fp16", 100, 1, 0, 1, 0});
    EXPECT_FALSE(clash_at(row, 0x1000, row, 0x1000 + 200));
    EXPECT_FALSE(clash_at(row, 0x1000 + 200, row, 0x1000));
    EXPECT_TRUE(clash_at(row, 0x1000, row, 0x1000 + 198));
    EXPECT_TRUE(clash_at(row, 0x1000 + 198, row, 0x1000));
    // The last bytes that there are.
    EXPECT_FALSE(clash_at(row, std::numeric_limits<std::uint64_t>::max() - 199, row, 0x1000));
}

TEST(Tensors, ThatAreColumnsOfOneAllocationDoNotClash) {
    // 64 rows of 300 elements: A, B and C are 100 columns each.
    const Region part = region_of({"fp16", 100, 64, 300, 1, 0});
    EXPECT_FALSE(clash_at(part, 0x1000 + 400, part, 0x1000));
    EXPECT_FALSE(clash_at(part, 0x1000, part, 0x1000 + 200));
    EXPECT_TRUE(clash_at(part, 0x1000 + 398, part, 0x1000 + 200));
    // From the last column of a row on into the next row.
    EXPECT_TRUE(clash_at(part, 0x1000 + 402, part, 0x1000 + 600));
}

TEST(Tensors, OfDifferentDistancesAreTakenToClashWhereTheyAlternate) {
    const auto found =
        clash({written(region_of({"fp16", 100, 64, 300, 1, 0})), region_of({"fp16", 100, 64, 301, 1, 0})},
              {address(0x1000), address(0x1000 + 200)});
    ASSERT_TRUE(found.has_value());
    EXPECT_FALSE(found->certain);
}

TEST(Tensors, ThatAreOnlyReadDoNotClash) {
    const Region row = region_of({"fp16", 100, 1, 0, 1, 0});
    EXPECT_FALSE(clash({row, row, written(row)}, {address(0x1000), address(0x1000), address(0x2000)}));
    EXPECT_FALSE(clash({row, row, written(row)}, {nullptr, address(0x1000), nullptr}));
}

TEST(Tensors, ThatAreTheSameSaySo) {
    const Region square = region_of({"fp16", 64, 64, 80, 1, 0});
    EXPECT_TRUE(clash({written(square), square}, {address(0x1000), address(0x1000)})->same);
    EXPECT_FALSE(clash({written(square), square}, {address(0x1000), address(0x1002)})->same);
    EXPECT_FALSE(
        clash({written(square), region_of({"fp16", 64, 64, 64, 1, 0})}, {address(0x1000), address(0x1000)})->same);
    // Whoever asks may allow it, and hears of the next.
    const std::vector<Region> three = {written(square), square, square};
    void* const tensors[] = {address(0x1000), address(0x1000), address(0x1002)};
    const auto next = first_clash(three, tensors, [](const Clash& clash) { return clash.same; });
    ASSERT_TRUE(next.has_value());
    EXPECT_EQ(next->other, 2u);
}

TEST(Tensors, ClashAsTheirBytesDo) {
    std::minstd_rand random(7);
    const auto up_to = [&](std::uint64_t most) { return std::int64_t(random() % most); };
    int shared = 0, apart = 0;
    for (int i = 0; i < 20000; ++i) {
        const std::int64_t stride = 1 + up_to(12), matrix_stride = 1 + up_to(40);
        const auto some = [&] {
            return region_of({"int8", 1 + up_to(12), 1 + up_to(4), stride, 1 + up_to(4), matrix_stride});
        };
        const Region one = some(), other = some();
        const std::uint64_t at = 1000 + std::uint64_t(up_to(200)), other_at = 1000 + std::uint64_t(up_to(200));
        const auto mine = every_byte(one, at), others = every_byte(other, other_at);
        bool same_byte = false;
        for (const std::uint64_t byte : mine) same_byte = same_byte || others.count(byte);
        const auto found = clash({written(one), other}, {address(at), address(other_at)});
        if (found && !found->certain) continue;
        ASSERT_EQ(found.has_value(), same_byte) << i;
        (same_byte ? shared : apart) += 1;
    }
    EXPECT_GT(shared, 1000);
    EXPECT_GT(apart, 1000);
}

TEST(Tensors, OfThreeDistancesClashAsTheirBytesDo) {
    std::minstd_rand random(13);
    const auto up_to = [&](std::uint64_t most) { return std::int64_t(random() % most); };
    int shared = 0, apart = 0;
    for (int i = 0; i < 5000; ++i) {
        // The same distances in both, in any order.
        const std::int64_t strides[] = {1 + up_to(12), 1 + up_to(40), 1 + up_to(200)};
        const auto some = [&](int turn) {
            Lines all{"int8", 1 + up_to(6), 1 + up_to(4), strides[turn], 1 + up_to(3), strides[(turn + 1) % 3], false};
            all.sets = 1 + up_to(3), all.set_stride = strides[(turn + 2) % 3];
            return region_of(all);
        };
        const Region one = some(0), other = some(int(up_to(3)));
        const std::uint64_t at = 1000 + std::uint64_t(up_to(300)), other_at = 1000 + std::uint64_t(up_to(300));
        const auto mine = every_byte(one, at), others = every_byte(other, other_at);
        bool same_byte = false;
        for (const std::uint64_t byte : mine) same_byte = same_byte || others.count(byte);
        const auto found = clash({written(one), other}, {address(at), address(other_at)});
        if (found && !found->certain) continue;
        ASSERT_EQ(found.has_value(), same_byte) << i;
        (same_byte ? shared : apart) += 1;
    }
    EXPECT_GT(shared, 500);
    EXPECT_GT(apart, 500);
}

TEST(Tensors, OfManyGroupsClashLikeFew) {
    std::minstd_rand random(11);
    int clashes = 0;
    for (int i = 0; i < 500; ++i) {
        std::vector<Region> regions;
        std::vector<void*> tensors;
        for (int t = 0; t < 30; ++t) {
            regions.push_back(region_of({"int8", 1 + std::int64_t(random() % 8)}));
            regions.back().written = t % 3 == 2;
            tensors.push_back(address(1 + random() % 4000));
        }
        bool expected = false;
        for (std::size_t a = 0; a < regions.size(); ++a)
            for (std::size_t b = 0; b < regions.size(); ++b)
                expected = expected ||
                           (a != b && regions[a].written &&
                            clash_at(regions[a], std::uintptr_t(tensors[a]), regions[b], std::uintptr_t(tensors[b])));
        ASSERT_EQ(clash(regions, tensors).has_value(), expected) << i;
        clashes += expected;
    }
    EXPECT_GT(clashes, 50);
    EXPECT_LT(clashes, 450);
}

TEST(Workspace, TouchesATensorWhereTheyShareBytes) {
    const Region part = region_of({"fp16", 100, 64, 300, 1, 0});
    EXPECT_TRUE(touches(part, address(0x1000), address(0x1000), 1));
    EXPECT_FALSE(touches(part, address(0x1000), address(0x1000 + 200), 400));
    EXPECT_TRUE(touches(part, address(0x1000), address(0x1000 + 200), 401));
    EXPECT_FALSE(touches(part, address(0x1000), address(0x800), 0x800));
}

}  // namespace
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// Where temporaries are in a workspace, and what is copied between tensors of different extents.
#include "ckdispatch/core/plan.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace ckdispatch {
namespace {

Temporary needed(std::uint64_t bytes, std::size_t first, std::size_t last,
                 std::uint64_t alignment = Temporary::kAlignment) {
    return {bytes, alignment, first, last, 0};
}

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t step) { return (bytes + step - 1) / step * step; }

bool live_together(const Temporary& a, const Temporary& b) { return a.first <= b.last && b.first <= a.last; }

void expect_apart(const std::vector<Temporary>& all, std::uint64_t end) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i].offset % all[i].alignment, 0u) << i;
        EXPECT_LE(all[i].offset + all[i].bytes, end) << i;
        for (std::size_t j = 0; j < i; ++j) {
            const bool apart =
                all[i].offset + all[i].bytes <= all[j].offset || all[j].offset + all[j].bytes <= all[i].offset;
            EXPECT_TRUE(apart || !live_together(all[i], all[j])) << i << " and " << j;
        }
    }
}

TEST(Workspace, OfNothingIsEmpty) {
    std::vector<Temporary> none;
    EXPECT_EQ(lay_out(none), 0u);
}

TEST(Workspace, HoldsWhatLivesAtTheSameTimeSideBySide) {
    std::vector<Temporary> all{needed(1000, 0, 2), needed(10, 1, 1), needed(300, 2, 3)};
    EXPECT_EQ(lay_out(all), 1024u + 300);
    EXPECT_EQ(all[0].offset, 0u);
    EXPECT_EQ(all[1].offset, 1024u);
    EXPECT_EQ(all[2].offset, 1024u);
}

TEST(Workspace, IsUsedAgainWhereNothingLivesAnyMore) {
    std::vector<Temporary> all{needed(1000, 0, 0), needed(2000, 1, 1), needed(500, 2, 2)};
    EXPECT_EQ(lay_out(all), 2000u);
    for (const Temporary& one : all) EXPECT_EQ(one.offset, 0u);
}

TEST(Workspace, HasGapsFilledByWhatFits) {
    std::vector<Temporary> all{needed(512, 0, 0), needed(256, 0, 9), needed(600, 1, 1), needed(512, 2, 2)};
    EXPECT_EQ(lay_out(all), 512u + 256 + 600);
    EXPECT_EQ(all[2].offset, 768u);
    EXPECT_EQ(all[3].offset, 0u);
}

TEST(Workspace, IsInTheOrderOfUseHoweverItIsListed) {
    std::vector<Temporary> all{needed(100, 5, 5), needed(200, 0, 0)};
    EXPECT_EQ(lay_out(all), 200u);
}

TEST(Workspace, ThatNoMemoryHoldsStaysTooLarge) {
    constexpr std::uint64_t kEverything = std::numeric_limits<std::uint64_t>::max();
    std::vector<Temporary> all{needed(kEverything - 10, 0, 0), needed(1000, 0, 0)};
    EXPECT_EQ(lay_out(all), kEverything);
}

TEST(Workspace, OfAnyTemporariesKeepsThemApartAndIsNoLargerThanAllOfThem) {
    std::minstd_rand random(1);
    const auto below = [&](unsigned most) { return std::size_t(random() % most); };
    for (int round = 0; round < 2000; ++round) {
        std::vector<Temporary> all;
        std::uint64_t sum = 0;
        for (std::size_t i = 0, count = 1 + below(12); i < count; ++i) {
            const std::size_t first = below(8);
            all.push_back(needed(1 + below(5000), first, first + below(4), std::uint64_t(1) << below(10)));
            sum += rounded(all.back().bytes, 512);
        }
        const std::uint64_t end = lay_out(all);
        expect_apart(all, end);
        EXPECT_LE(end, sum);
    }
}

TEST(Workspace, OfManyStagesIsFoundAtOnce) {
    std::vector<Temporary> all;
    for (std::size_t i = 0; i < 65536; ++i) all.push_back(needed(1 + i % 1000, i, i));
    EXPECT_EQ(lay_out(all), 1000u);
}

Lines lines(std::int64_t width, std::int64_t count, std::int64_t stride, std::int64_t matrices = 1,
            std::int64_t matrix_stride = 0, Name dtype = "fp16") {
    return {dtype, width, count, stride, matrices, matrix_stride, false};
}

TEST(Copying, IsOfWhatBothHave) {
    const Transfer one = copying(Argument::temporary(1), lines(16, 8, 16), Argument::tensor(0), lines(10, 6, 12));
    EXPECT_EQ(one.to.kind, Argument::Kind::temporary);
    EXPECT_EQ(one.width, 20u);
    EXPECT_EQ(one.rows, 6u);
    EXPECT_EQ(one.to_pitch, 32u);
    EXPECT_EQ(one.from_pitch, 24u);
    EXPECT_EQ(one.blocks, 1u);
    EXPECT_EQ(one.bytes(), 120u);
}

TEST(Copying, TakesMatricesOneByOneUnlessTheirLinesGoOn) {
    const Transfer apart =
        copying(Argument::temporary(0), lines(16, 8, 16, 5, 128), Argument::tensor(0), lines(10, 6, 12, 5, 72));
    EXPECT_EQ(apart.blocks, 5u);
    EXPECT_EQ(apart.to_block, 256u);
    EXPECT_EQ(apart.from_block, 144u);
    const Transfer together =
        copying(Argument::temporary(0), lines(16, 6, 16, 5, 96), Argument::tensor(0), lines(10, 6, 12, 5, 72));
    EXPECT_EQ(together.blocks, 1u);
    EXPECT_EQ(together.rows, 30u);
}

TEST(Copying, KeepsWhatIsSharedOne) {
    const Transfer matrix =
        copying(Argument::temporary(0), lines(16, 8, 16, 5, 0), Argument::tensor(0), lines(10, 6, 12, 5, 0));
    EXPECT_EQ(matrix.blocks * matrix.rows, 6u);
    const Transfer line =
        copying(Argument::temporary(0), lines(16, 8, 0, 5, 0), Argument::tensor(0), lines(10, 6, 0, 5, 0));
    EXPECT_EQ(line.bytes(), 20u);
    EXPECT_EQ(line.to_pitch, 20u);
    // One line for each matrix.
    const Transfer lines_of_each =
        copying(Argument::temporary(0), lines(16, 8, 0, 5, 16), Argument::tensor(0), lines(10, 6, 0, 5, 12));
    EXPECT_EQ(lines_of_each.rows, 5u);
    EXPECT_EQ(lines_of_each.blocks, 1u);
    EXPECT_EQ(lines_of_each.to_pitch, 32u);
    EXPECT_EQ(lines_of_each.from_pitch, 24u);
}

TEST(Copying, TakesLinesThatOverlapOneByOne) {
    const Transfer windows =
        copying(Argument::temporary(0), lines(16, 1, 16, 5, 16), Argument::tensor(0), lines(10, 1, 10, 5, 3));
    EXPECT_EQ(windows.rows, 1u);
    EXPECT_EQ(windows.blocks, 5u);
    EXPECT_EQ(windows.from_block, 6u);
    EXPECT_GE(windows.from_pitch, windows.width);
    EXPECT_GE(windows.to_pitch, windows.width);
}

TEST(Copying, CountsBytesOfPackedElements) {
    const Transfer one = copying(Argument::temporary(0), lines(64, 8, 64, 1, 0, "pk_fp4"), Argument::tensor(0),
                                 lines(34, 6, 40, 1, 0, "pk_fp4"));
    EXPECT_EQ(one.width, 17u);
    EXPECT_EQ(one.to_pitch, 32u);
    EXPECT_EQ(one.from_pitch, 20u);
}

TEST(Clearing, IsOfBytes) {
    const Transfer one = clearing(Argument::temporary(3), 77);
    EXPECT_EQ(one.from.kind, Argument::Kind::nothing);
    EXPECT_EQ(one.bytes(), 77u);
}

}  // namespace
}  // namespace ckdispatch

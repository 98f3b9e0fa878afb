// SPDX-License-Identifier: MIT
#include "ckdispatch/product/tiles.hpp"

#include <gtest/gtest.h>

namespace ckdispatch {
namespace {

TEST(TiledProducts, PayForWholeTiles) {
    TiledProducts tiles({64, 32, 16}, 1);
    tiles.add(65, 33, 17);
    const Work work = tiles.work(2, 1, 4);
    EXPECT_EQ(work.workgroups, 4);
    EXPECT_EQ(work.loops, 2);
    EXPECT_EQ(work.flops, 2.0 * 64 * 32 * 16 * 2);
    EXPECT_EQ(work.element_bytes, 2);
    EXPECT_EQ(work.l2_bytes, 2.0 * 16 * (64 * 2 + 32 * 1) + 64 * 32 * 4);
}

TEST(TiledProducts, HaveWorkgroupsForEachPart) {
    TiledProducts tiles({64, 32, 16}, 4);
    tiles.add(64, 32, 16 * 40);
    EXPECT_EQ(tiles.work(2, 2, 2).workgroups, 4);
    EXPECT_EQ(tiles.work(2, 2, 2).loops, 10);
}

TEST(TiledProducts, OfDifferentSizesHaveTheirMean) {
    TiledProducts tiles({64, 32, 16}, 1);
    tiles.add(64, 32, 16, 3);
    tiles.add(64, 32, 16 * 5);
    EXPECT_EQ(tiles.work(2, 2, 2).workgroups, 4);
    EXPECT_EQ(tiles.work(2, 2, 2).loops, 2);
}

TEST(TileShare, RisesWithWhatAWaveUsesAgain) {
    EXPECT_GT(tile_share({256, 256, 32}, {2, 2, 1}, "compv3"), tile_share({128, 128, 32}, {2, 2, 1}, "compv3"));
    EXPECT_GT(tile_share({128, 128, 32}, {1, 1, 1}, "compv3"), tile_share({128, 128, 32}, {2, 2, 1}, "compv3"));
    EXPECT_LT(tile_share({4096, 4096, 32}, {1, 1, 1}, "compv3"), 1);
}

TEST(TileShare, IsThatOfThePipeline) {
    const auto share = [](Name pipeline) { return tile_share({128, 128, 32}, {2, 2, 1}, pipeline); };
    EXPECT_LT(share("mem"), share("compv3"));
    EXPECT_GT(share("compv4"), share("compv3"));
    EXPECT_EQ(tiles_in_flight("mem"), 4);
    EXPECT_EQ(tiles_in_flight("compv3"), 2);
}

}  // namespace
}  // namespace ckdispatch

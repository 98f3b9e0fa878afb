// SPDX-License-Identifier: MIT
#include "ckdispatch/product/tiles.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace ckdispatch {
namespace {

TiledKernel kernel(const char* pipeline = "compv3") {
    return {{64, 32, 16}, {2, 1, 1}, {32, 32, 8}, pipeline, "fp16", "fp8", 2, 1, 4, 16};
}

TEST(TiledProducts, PayForWholeTiles) {
    TiledProducts tiles(kernel(), 1);
    tiles.add(65, 33, 17);
    const Work work = tiles.work();
    EXPECT_EQ(work.workgroups, 4);
    EXPECT_EQ(work.waves, 2);
    EXPECT_EQ(work.trips, 2);
    EXPECT_EQ(work.flops, 2.0 * 64 * 32 * 16);
    EXPECT_EQ(work.element_bytes, 2);
    EXPECT_EQ(work.dtype, "fp16");
    EXPECT_TRUE(work.warp_tile == (Extent3{32, 32, 8}));
    EXPECT_EQ(work.loads_a, 64 * 16 / 4);
    EXPECT_EQ(work.loads_b, 32 * 16 / 16);
    EXPECT_EQ(work.lds_reads, (64 * 1 * 2 + 32 * 2 * 1) * 16 / 16);
    EXPECT_EQ(work.tile_bytes, 16 * (64 * 2 + 32 * 1));
    EXPECT_EQ(work.outputs, 64 * 32);
    EXPECT_FALSE(work.two_buffers);
}

TEST(TiledProducts, LoadAtMostSixteenBytesAtATime) {
    TiledKernel wide = kernel();
    wide.a_at_a_time = 1 << 20, wide.b_at_a_time = 0;
    TiledProducts tiles(wide, 1);
    tiles.add(64, 32, 16);
    EXPECT_EQ(tiles.work().loads_a, 64 * 16 / 8);
    EXPECT_EQ(tiles.work().loads_b, 32 * 16);
}

TEST(TiledProducts, HaveWorkgroupsForEachPart) {
    TiledProducts tiles(kernel(), 4);
    tiles.add(64, 32, 16 * 40);
    EXPECT_EQ(tiles.work().workgroups, 4);
    EXPECT_EQ(tiles.work().trips, 10);
}

TEST(TiledProducts, OfDifferentSizesHaveTheirMean) {
    TiledProducts tiles(kernel(), 1);
    tiles.add(64, 32, 16, 3);
    tiles.add(64, 32, 16 * 5);
    EXPECT_EQ(tiles.work().workgroups, 4);
    EXPECT_EQ(tiles.work().trips, 2);
}

TEST(TiledProducts, HaveTwoBuffersInOnePipeline) {
    TiledProducts tiles(kernel("compv4"), 1);
    tiles.add(64, 32, 16);
    EXPECT_TRUE(tiles.work().two_buffers);
}

TEST(TiledProducts, TellModelsHowFullTheirTilesAre) {
    TiledProducts tiles(kernel("compv4"), 1);
    tiles.add(48, 40, 20);
    const std::array<double, kMostDetails> expected = {48.0 / 64, 40.0 / 64, 20.0 / 32, 64, 32,
                                                       16,        2,         1,         1,  std::log(2.0)};
    EXPECT_EQ(tiles.work().details, expected);
}

TEST(TiledProducts, OfNothingHaveNoWork) {
    TiledProducts tiles(kernel(), 1);
    EXPECT_EQ(tiles.work().workgroups, 0);
    EXPECT_EQ(tiles.work().trips, 0);
    for (const double detail : tiles.work().details) EXPECT_TRUE(std::isfinite(detail));
}

}  // namespace
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// How a GEMM kernel divides its work, for every small number of tiles, loops, workgroups and parts.
#include "ck_kernel/plan/gemm/product.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <tuple>

namespace ck_kernel::gemm {
namespace {

// A fp16 kernel with tiles of 64x64x32, waves of 2x2x1 and warp tiles of 16x16x16.
constexpr Config config(Pipeline pipeline, bool pad_k, bool a_rows = true, bool b_rows = false) {
    return {Variant::standard,
            {64, 64, 32},
            {2, 2, 1},
            {16, 16, 16},
            {2, a_rows},
            {2, b_rows},
            {2, true},
            {2, true},
            /*d_count*/ 0,
            /*sum_bytes*/ 4,
            pad_k,
            pad_k,
            pad_k,
            pipeline,
            Epilogue::cshuffle,
            /*prefetch_stages*/ pipeline == Pipeline::mem ? 4 : 0,
            /*persistent*/ false,
            SplitK::atomic};
}

template <typename Function>
void for_every_stream(Function&& check) {
    for (std::int64_t tiles = 1; tiles <= 7; ++tiles)
        for (std::int64_t depth = 1; depth <= 8; ++depth)
            for (std::int64_t workgroups = 1; workgroups <= tiles * depth; ++workgroups)
                check(tiles, depth, workgroups);
}

TEST(StreamK, SharesFollowOneAnotherAndDifferByOneLoopAtMost) {
    for_every_stream([](std::int64_t tiles, std::int64_t depth, std::int64_t workgroups) {
        const std::int64_t loops = tiles * depth;
        std::int64_t next = 0;
        for (std::int64_t i = 0; i < workgroups; ++i) {
            const Share share = share_of(loops, workgroups, i);
            ASSERT_EQ(share.begin, next);
            ASSERT_GE(share.end - share.begin, loops / workgroups);
            ASSERT_LE(share.end - share.begin, (loops + workgroups - 1) / workgroups);
            next = share.end;
        }
        ASSERT_EQ(next, loops);
    });
}

TEST(StreamK, TheOwnerOfALoopIsTheWorkgroupWhoseShareHasIt) {
    for_every_stream([](std::int64_t tiles, std::int64_t depth, std::int64_t workgroups) {
        const std::int64_t loops = tiles * depth;
        for (std::int64_t i = 0; i < workgroups; ++i) {
            const Share share = share_of(loops, workgroups, i);
            for (std::int64_t loop = share.begin; loop < share.end; ++loop)
                ASSERT_EQ(owner_of(loops, workgroups, loop), i) << loops << " among " << workgroups;
        }
    });
}

TEST(StreamK, NoTwoPartsOfTilesShareAPlaceInTheWorkspace) {
    for_every_stream([](std::int64_t tiles, std::int64_t depth, std::int64_t workgroups) {
        const std::int64_t loops = tiles * depth;
        std::set<std::tuple<std::int64_t, std::int64_t>> parts;
        std::set<std::int64_t> places;
        for (std::int64_t i = 0; i < workgroups; ++i) {
            const Share share = share_of(loops, workgroups, i);
            for (std::int64_t loop = share.begin; loop < share.end; ++loop) parts.insert({i, loop / depth});
        }
        for (const auto& [workgroup, tile] : parts) {
            places.insert(workgroup + tile);
            ASSERT_LT(workgroup + tile, stream_places(tiles, workgroups));
        }
        ASSERT_EQ(places.size(), parts.size()) << tiles << " x " << depth << " among " << workgroups;
    });
}

TEST(StreamK, SharesOfVeryManyLoopsDoNotOverflow) {
    constexpr std::int64_t most = INT32_MAX;
    EXPECT_EQ(share_of(most, most, most - 1).begin, most - 1);
    EXPECT_EQ(share_of(most, most, most - 1).end, most);
    EXPECT_EQ(owner_of(most, most, most - 1), most - 1);
}

TEST(SplitK, TheDepthsOfThePartsAddUpToK) {
    const Config c = config(Pipeline::compv4, true);
    for (std::int64_t k = 1; k <= 600; ++k)
        for (std::int64_t parts = 1; parts <= 20; ++parts) {
            const KParts split = k_parts(c, k, parts);
            ASSERT_EQ(split.depth * (parts - 1) + split.last, k);
            ASSERT_EQ(split.depth % c.warp_tile.k, 0);
            ASSERT_LE(split.last, split.depth);
        }
}

TEST(SplitK, PartsWithoutAFlawAreThereAndTakeTheSameLoops) {
    for (const Pipeline pipeline : {Pipeline::mem, Pipeline::compv3, Pipeline::compv4, Pipeline::compv6})
        for (const bool pad_k : {false, true}) {
            const Config c = config(pipeline, pad_k);
            for (std::int64_t k = 1; k <= 600; ++k)
                for (std::int64_t parts = 2; parts <= 20; ++parts) {
                    const KParts split = k_parts(c, k, parts);
                    if (parts_flaw(c, k, parts) != PartsFlaw::none) continue;
                    ASSERT_GE(split.last, 1);
                    ASSERT_TRUE(loop_variant(c, ceil_div(split.depth, c.tile.k)) ==
                                loop_variant(c, ceil_div(split.last, c.tile.k)));
                    ASSERT_TRUE(pad_k || split.depth % c.tile.k == 0);
                }
        }
}

TEST(SplitK, NothingIsWrongWithKInOnePartUnlessItIsTooShallow) {
    for (std::int64_t k = 1; k <= 200; ++k) {
        EXPECT_EQ(parts_flaw(config(Pipeline::compv3, false), k, 1), PartsFlaw::none);
        EXPECT_EQ(parts_flaw(config(Pipeline::compv6, false), k, 1) == PartsFlaw::none, k > 32);
        EXPECT_EQ(parts_flaw(config(Pipeline::compv6, true), k, 1), PartsFlaw::none);
    }
}

TEST(SplitK, PartsOfBrokenTilesMatterOnlyWhereKLiesAlongMemory) {
    EXPECT_EQ(parts_flaw(config(Pipeline::compv3, false), 96, 2), PartsFlaw::broken_tiles);
    EXPECT_EQ(parts_flaw(config(Pipeline::compv3, true), 96, 2), PartsFlaw::none);
    EXPECT_EQ(parts_flaw(config(Pipeline::compv3, false, /*a_rows*/ false, /*b_rows*/ true), 96, 2), PartsFlaw::none);
}

TEST(Tiles, AreCountedInWholeOnesWithoutOverflow) {
    const Config c = config(Pipeline::compv3, true);
    EXPECT_EQ(tile_count(c, 1, 1), 1);
    EXPECT_EQ(tile_count(c, 64, 65), 2);
    EXPECT_EQ(tile_count(c, INT32_MAX, INT32_MAX), std::int64_t{1} << 50);
}

TEST(Vectors, OfWhatWaitsInAWorkspaceAreThoseOfTheAccumulator) {
    Config c = config(Pipeline::compv3, true);
    EXPECT_EQ(vector_c(c), 8);
    c.split_k = SplitK::workspace;
    EXPECT_EQ(vector_c(c), 4);
}

TEST(Vectors, OfDTensorsFollowTheirOwnDtypeAndLayout) {
    Config c = config(Pipeline::compv3, true);
    EXPECT_EQ(vector_d(c), 8);
    c.d.bytes = 4;
    EXPECT_EQ(vector_d(c), 4);
    c.d.row_major = false;
    EXPECT_EQ(vector_d(c), 1);
    c.d.row_major = true;
    c.epilogue = Epilogue::direct;
    EXPECT_EQ(vector_d(c), 1);
}

TEST(Loops, OfThreeTilesHaveNoMainLoopWhereOneTurnWouldBeTooMany) {
    for (const Pipeline pipeline : {Pipeline::compv4, Pipeline::comp_async}) {
        const Config c = config(pipeline, true);
        EXPECT_TRUE((loop_variant(c, 3) == LoopVariant{false, Tail::three}));
        EXPECT_TRUE((loop_variant(c, 4) == LoopVariant{true, Tail::two}));
        EXPECT_TRUE((loop_variant(c, 5) == LoopVariant{true, Tail::three}));
    }
}

}  // namespace
}  // namespace ck_kernel::gemm

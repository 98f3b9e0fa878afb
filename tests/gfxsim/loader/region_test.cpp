// SPDX-License-Identifier: MIT
// Where the simulator's memory lies.
#include "gfxsim/loader/region.hpp"

#include <gtest/gtest.h>

#include <new>

namespace gfxsim {
namespace {

constexpr u64 kTebibyte = u64(1) << 40;

TEST(Region, LiesInTheLowerHalfOf48Bits) {
    const Region region(1, Region::Fill::zero);
    EXPECT_LT(region.address() + region.size(), u64(1) << 47);
    EXPECT_EQ(region.data()[0], 0);
}

TEST(Region, AddressesAreUsedAgainWhenAllHaveBeen) {
    const Region kept(1);
    // Twice as much as there are addresses; what is not touched takes no memory.
    for (int turn = 0; turn < 64; ++turn) {
        const Region region(4 * kTebibyte, Region::Fill::zero);
        EXPECT_LT(region.address() + region.size(), u64(1) << 47);
        EXPECT_TRUE(kept.address() + kept.size() <= region.address() ||
                    region.address() + region.size() <= kept.address());
    }
    EXPECT_EQ(kept.data()[0], kPoisonByte);
}

TEST(Region, OfMoreThanAnyHostHasIsRefused) {
    EXPECT_THROW(Region(32 * kTebibyte, Region::Fill::zero), std::bad_alloc);
}

}  // namespace
}  // namespace gfxsim

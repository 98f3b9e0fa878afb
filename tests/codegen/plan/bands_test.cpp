// SPDX-License-Identifier: MIT
// Bands of a large image compute together what the whole image is.
#include "ck_kernel/host/grouped_conv/bands.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>

namespace {

using ck_kernel::grouped_conv::Band;

// Input, place in the filter and output that meet.
using Meetings = std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>>;

void add_meetings(const Band& band, Meetings& all) {
    const ck_grouped_conv_axis& a = band.axis;
    for (std::int64_t output = 0; output < a.output; ++output)
        for (std::int64_t place = 0; place < a.filter; ++place) {
            const std::int64_t input = output * a.stride + place * a.dilation - a.left_pad;
            if (input >= 0 && input < a.input) {
                const bool is_new = all.insert({band.input + input, place, band.output + output}).second;
                EXPECT_TRUE(is_new) << "a term would be added twice";
            }
        }
}

ck_grouped_conv_axis random_axis(std::mt19937& random) {
    const auto draw = [&](std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(random);
    };
    ck_grouped_conv_axis axis{};
    axis.filter = draw(1, 5), axis.stride = draw(1, 5), axis.dilation = draw(1, 4);
    axis.left_pad = draw(0, 12), axis.right_pad = draw(0, 12);
    const std::int64_t reach = ck_kernel::grouped_conv::reach(axis);
    axis.input = std::max<std::int64_t>(1, reach - axis.left_pad - axis.right_pad) + draw(0, 60);
    axis.output = (axis.input + axis.left_pad + axis.right_pad - reach) / axis.stride + 1;
    return axis;
}

void expect_valid(const ck_grouped_conv_axis& axis) {
    EXPECT_GE(axis.input, 1);
    EXPECT_GE(axis.left_pad, 0);
    EXPECT_GE(axis.right_pad, 0);
}

// AtOnce(axis, inputs, outputs) and BandAt(axis, first, most) are those of a direction, which counts along `extent`.
template <class AtOnce, class BandAt>
void expect_the_whole(unsigned seed, std::int64_t ck_grouped_conv_axis::* extent, AtOnce&& at_once, BandAt&& band_at) {
    std::mt19937 random(seed);
    int divided = 0;
    for (int i = 0; i < 4000; ++i) {
        const auto whole = random_axis(random);
        const std::int64_t inputs = 4 + i % 40, outputs = 1 + i % 23;
        const std::int64_t most = at_once(whole, inputs, outputs);
        if (most <= 0) continue;
        Meetings expected, got;
        add_meetings({whole, 0, 0}, expected);
        for (std::int64_t first = 0; first < whole.*extent;) {
            const Band band = band_at(whole, first, most);
            expect_valid(band.axis);
            EXPECT_LE(band.axis.input, inputs);
            EXPECT_LE(band.axis.output, outputs);
            add_meetings(band, got);
            ASSERT_GT(band.axis.*extent, 0);
            first += band.axis.*extent;
            divided += first < whole.*extent;
        }
        ASSERT_EQ(got, expected);
    }
    EXPECT_GT(divided, 1000);
}

TEST(Bands, ForwardBandsMeetWhatTheWholeMeetsWithinTheLimits) {
    using namespace ck_kernel::grouped_conv;
    expect_the_whole(1, &ck_grouped_conv_axis::output, outputs_at_once, forward_band);
}

TEST(Bands, BackwardBandsMeetWhatTheWholeMeetsWithinTheLimits) {
    using namespace ck_kernel::grouped_conv;
    expect_the_whole(2, &ck_grouped_conv_axis::input, inputs_at_once, backward_band);
}

}  // namespace

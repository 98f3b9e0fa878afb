// SPDX-License-Identifier: MIT
// Each mistake is refused with one sentence.
#include <gtest/gtest.h>

#include <string>

#include "ckdispatch/grouped_conv/problem_builder.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

constexpr std::int64_t kTwoTo31 = std::int64_t(1) << 31;
const std::string kOne = "A grouped convolution";

GroupedConvProblemBuilder fp16() {
    return GroupedConvProblemBuilder().sizes(8, 2, 64, 128).input({56, 56}).filter({3, 3}).dtype("fp16");
}

TEST(GroupedConvProblem, OfAnUnknownDirectionIsRefused) {
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        kOne + " of the direction 'backward' was asked for; there are forward, backward_data and backward_weight.",
        fp16().direction("backward").build());
}

TEST(GroupedConvProblem, OfASizeThatIsNoneIsRefused) {
    const std::int64_t sizes[][4] = {{0, 2, 64, 128},        {8, 0, 64, 128},       {8, 2, 0, 128},
                                     {8, 2, 64, 0},          {-1, 2, 64, 128},      {kTwoTo31, 2, 64, 128},
                                     {8, kTwoTo31, 64, 128}, {8, 2, kTwoTo31, 128}, {8, 2, 64, kTwoTo31}};
    for (const auto& s : sizes)
        EXPECT_REFUSED(ErrorCode::invalid_argument,
                       kOne + " of n, g, c and k = " + std::to_string(s[0]) + ", " + std::to_string(s[1]) + ", " +
                           std::to_string(s[2]) + " and " + std::to_string(s[3]) +
                           " was asked for; each must be from 1 to 2^31-1.",
                       fp16().sizes(s[0], s[1], s[2], s[3]).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " of n, g, c and k = 1, 1, 0 and 0 was asked for; each must be from 1 to 2^31-1.",
                   GroupedConvProblemBuilder().input({56, 56}).filter({3, 3}).dtype("fp16").build());
}

TEST(GroupedConvProblem, OfAnExtentThatIsNoneIsRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " was asked for with the input 56x0; each must be from 1 to 2^31-1.",
                   fp16().input({56, 0}).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " was asked for with the input 2147483648x56; each must be from 1 to 2^31-1.",
                   fp16().input({kTwoTo31, 56}).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " was asked for with the filter -3x3; each must be from 1 to 2^31-1.",
                   fp16().filter({-3, 3}).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " was asked for with the strides 0x1; each must be from 1 to 2^31-1.",
                   fp16().stride({0, 1}).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " was asked for with the dilations 1x0; each must be from 1 to 2^31-1.",
                   fp16().dilation({1, 0}).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " was asked for with the left pads -1x0; each must be from 0 to 2^31-1.",
                   fp16().pads({-1, 0}, {0, 0}).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " was asked for with the right pads 0x2147483648; each must be from 0 to 2^31-1.",
                   fp16().pads({0, 0}, {0, kTwoTo31}).build());
}

TEST(GroupedConvProblem, WithMoreOrFewerExtentsThanDimensionsIsRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " of 2 spatial dimensions was asked for with no filter; it has an extent for each.",
                   fp16().filter({}).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " of 2 spatial dimensions was asked for with the filter 3x3x3; it has an extent for each.",
                   fp16().filter({3, 3, 3}).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " of 2 spatial dimensions was asked for with the strides 2; there is one for each.",
                   fp16().stride({2}).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " of 2 spatial dimensions was asked for with the dilations 2x2x2; there is one for each.",
                   fp16().dilation({2, 2, 2}).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " of 2 spatial dimensions was asked for with the left pads 1; there is one for each.",
                   fp16().pads({1}, {1, 1}).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " of 1 spatial dimension was asked for with the right pads 1x1; there is one for each.",
                   fp16().input({56}).filter({3}).pads({1}, {1, 1}).build());
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        kOne + " was asked for with the output 54; from its input, filter, strides, dilations and pads follows 54x54.",
        fp16().output({54}).build());
}

TEST(GroupedConvProblem, OfNoDimensionOrMoreThanThreeIsRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " of 0 spatial dimensions was asked for; there are from one to three.",
                   fp16().input({}).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " of 4 spatial dimensions was asked for; there are from one to three.",
                   fp16().input({5, 5, 5, 5}).filter({1, 1, 1, 1}).build());
}

TEST(GroupedConvProblem, OfALayoutThatIsNoneOrNotItsOwnIsRefused) {
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        kOne + " of the layout 'nchw' was asked for; the layouts are nwgc, nhwgc, ndhwgc, ngcw, ngchw, ngcdhw.",
        fp16().layout("nchw").build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " of 2 spatial dimensions was asked for in the layout ndhwgc, which has 3.",
                   fp16().layout("ndhwgc").build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " of 1 spatial dimension was asked for in the layout nhwgc, which has 2.",
                   fp16().input({56}).filter({3}).layout("nhwgc").build());
}

TEST(GroupedConvProblem, OfAGradientWithChannelsFirstIsRefused) {
    for (const char* direction : {"backward_data", "backward_weight"})
        EXPECT_REFUSED(ErrorCode::invalid_argument,
                       kOne + " " + direction +
                           " was asked for in the layout ngchw, which has channels first and is forward only; nhwgc is "
                           "for all directions.",
                       fp16().direction(direction).layout("ngchw").build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " of 2 spatial dimensions was asked for in the layout ngcw, which has 1.",
                   fp16().layout("ngcw").build());
}

TEST(GroupedConvProblem, WithAFilterThatDoesNotFitIsRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne +
                       " was asked for whose filter covers 57 positions along h, where the input has 56 with its pads; "
                       "the filter must fit into it.",
                   fp16().filter({57, 3}).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne +
                       " was asked for whose filter covers 61 positions along w, where the input has 60 with its pads; "
                       "the filter must fit into it.",
                   fp16().dilation({1, 30}).pads({0, 1}, {0, 3}).build());
    EXPECT_EQ(fp16().filter({56, 56}).build().outputs(), 1);
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument, "along d", fp16().input({2, 9, 9}).filter({3, 3, 3}).build());
}

TEST(GroupedConvProblem, WithAnOutputThatDoesNotFollowIsRefused) {
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        kOne +
            " was asked for with the output 54x56; from its input, filter, strides, dilations and pads follows 54x54.",
        fp16().output({54, 56}).build());
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        kOne +
            " was asked for with the output 0x54; from its input, filter, strides, dilations and pads follows 54x54.",
        fp16().output({0, 54}).build());
}

TEST(GroupedConvProblem, WhoseShapesContradictEachOtherIsRefused) {
    const auto of = [](GroupedConvProblemBuilder::Extents x, GroupedConvProblemBuilder::Extents w,
                       GroupedConvProblemBuilder::Extents y = {}) {
        return GroupedConvProblemBuilder().shapes(std::move(x), std::move(w), std::move(y)).dtype("fp16");
    };
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        kOne + " was asked for whose x has 64 channels in a group and whose w has 32; they must be the same.",
        of({8, 56, 56, 2, 64}, {2, 128, 3, 3, 32}).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " was asked for whose x has 2 groups and whose w has 1; they must be the same.",
                   of({8, 56, 56, 2, 64}, {1, 128, 3, 3, 64}).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " was asked for whose x has 8 images and whose y has 7; they must be the same.",
                   of({8, 56, 56, 2, 64}, {2, 128, 3, 3, 64}, {7, 54, 54, 2, 128}).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " was asked for whose x has 2 groups and whose y has 1; they must be the same.",
                   of({8, 56, 56, 2, 64}, {2, 128, 3, 3, 64}, {8, 54, 54, 1, 128}).build());
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        kOne + " was asked for whose w has 128 channels out of a group and whose y has 64; they must be the same.",
        of({8, 56, 56, 2, 64}, {2, 128, 3, 3, 64}, {8, 54, 54, 2, 64}).build());
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        kOne +
            " was asked for with the output 54x53; from its input, filter, strides, dilations and pads follows 54x54.",
        of({8, 56, 56, 2, 64}, {2, 128, 3, 3, 64}, {8, 54, 53, 2, 128}).build());
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        kOne + " of the layout nhwgc was asked for with w of the shape 128x3x3x64; it has the extents gkyxc.",
        of({8, 56, 56, 2, 64}, {128, 3, 3, 64}).build());
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        kOne + " of the layout nhwgc was asked for with y of the shape 8x54x54x128; it has the extents nhwgk.",
        of({8, 56, 56, 2, 64}, {2, 128, 3, 3, 64}, {8, 54, 54, 128}).build());
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        kOne + " of the layout nwgc was asked for with x of the shape 8x56x56x2x64; it has the extents nwgc.",
        of({8, 56, 56, 2, 64}, {2, 128, 3, 3, 64}).layout("nwgc").build());
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        kOne + " of the layout ngchw was asked for with w of the shape 2x128x64x3; it has the extents gkcyx.",
        of({8, 2, 64, 56, 56}, {2, 128, 64, 3}).layout("ngchw").build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " was asked for whose x has 64 channels in a group and whose w has 3; they must be the same.",
                   of({8, 2, 64, 56, 56}, {2, 128, 3, 3, 64}).layout("ngchw").build());
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        kOne + " was asked for with x of the shape 8x2x64; without a layout it has n, one to three positions, g and c.",
        of({8, 2, 64}, {2, 128, 64}).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument, kOne + " was asked for by shapes and by sizes; shapes say all.",
                   of({8, 56, 56, 2, 64}, {2, 128, 3, 3, 64}).input({56, 56}).build());
}

TEST(GroupedConvProblem, OfAnUnknownDtypeIsRefusedWithTheKnownOnes) {
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument,
                          kOne + " of the dtype 'float' was asked for; the dtypes are fp16, ",
                          fp16().dtype("float").build());
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument, kOne + " of the dtype 'half' was asked for; the dtypes are ",
                          fp16().dtypes("fp16", "half").build());
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument, kOne + " of the dtype 'half' was asked for; the dtypes are ",
                          fp16().dtypes("fp16", "fp16", "half").build());
    EXPECT_REFUSED(ErrorCode::invalid_argument, kOne + " of fp16 and int8 was asked for; no GPU multiplies that pair.",
                   fp16().dtypes("fp16", "int8").build());
}

// Offsets within an image and within the filters of a group have 32 bits; images and groups do not.
TEST(GroupedConvProblem, TooLargeToBeAddressedIsRefused) {
    const auto of = [](std::int64_t n, std::int64_t g, std::int64_t c, std::int64_t k, std::int64_t size,
                       std::int64_t filter) {
        return GroupedConvProblemBuilder().sizes(n, g, c, k).input({size, size}).filter({filter, filter}).dtype("fp16");
    };
    EXPECT_EQ(of(1, 5, 32768, 32768, 1, 1).build().elements(1), std::int64_t(5) << 30);
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne +
                       " was asked for with the filters of a group of more than 2 GiB, further than kernels reach in "
                       "it; divide its channels among several groups or convolutions.",
                   of(1, 5, 32768, 32769, 1, 1).build());
    // An image may be larger: it is for kernels to say whether they divide it.
    const std::string end =
        " of more than 256 TiB, which no GPU addresses; divide its images or its positions among several.";
    EXPECT_EQ(of(32, 1, 4, 1, 1 << 20, 1).build().elements(0), std::int64_t(1) << 47);
    EXPECT_REFUSED(ErrorCode::invalid_argument, kOne + " was asked for with x" + end,
                   of(33, 1, 4, 1, 1 << 20, 1).build());
    EXPECT_EQ(of(32, 4, 1, 1, 1 << 20, 1).build().elements(2), std::int64_t(1) << 47);
    EXPECT_REFUSED(ErrorCode::invalid_argument, kOne + " was asked for with y" + end,
                   of(33, 1, 1, 4, 1 << 20, 1).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument, kOne + " was asked for with w" + end,
                   of(1, 1 << 18, 32768, 32768, 1, 1).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument, kOne + " was asked for with x" + end,
                   of(2147483647, 2147483647, 1, 1, 2147483647, 1).build());
}

TEST(GroupedConvProblem, WithAnOperationOnAGradientIsRefused) {
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        kOne + " backward_data was asked for with the operation Relu; that is applied to y, in forward alone.",
        fp16().direction("backward_data").fused("Relu", 0).build());
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " backward_weight was asked for with a bias; that is applied to y, in forward alone.",
                   fp16().direction("backward_weight").fused("MultiDAdd", 1).build());
    EXPECT_EQ(fp16().direction("backward_data").fused("PassThrough", 0).build().d_count, 0);
}

TEST(GroupedConvProblem, WithMoreThanABiasIsRefused) {
    for (const int count : {-1, 2})
        EXPECT_REFUSED(ErrorCode::invalid_argument,
                       kOne + " with " + std::to_string(count) + " D tensors was asked for; there may be one, a bias.",
                       fp16().fused("MultiDAdd", count).build());
}

TEST(GroupedConvProblem, WithPartsThatItDoesNotHaveIsRefused) {
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   kOne + " forward was asked for with its sum in 2 parts; only that of backward_weight is split.",
                   fp16().split_k(2).build());
    EXPECT_REFUSED(
        ErrorCode::invalid_argument,
        kOne + " backward_data was asked for with its sum in -1 parts; only that of backward_weight is split.",
        fp16().direction("backward_data").split_k(-1).build());
    for (const std::int64_t parts : {-1, 8 * 54 * 54 + 1})
        EXPECT_REFUSED(ErrorCode::invalid_argument,
                       kOne + " with a sum of n * outputs = 23328 split into " + std::to_string(parts) +
                           " parts was asked for; parts are from 1 to that, or 0 for the dispatcher to choose.",
                       fp16().direction("backward_weight").split_k(parts).build());
}

TEST(GroupedConvProblem, WithAnAlignmentThatIsNoneIsRefused) {
    for (const int alignment : {-16, 0, 3, 32})
        EXPECT_REFUSED(ErrorCode::invalid_argument,
                       kOne + " with addresses aligned to " + std::to_string(alignment) +
                           " bytes was asked for; an alignment is 1, 2, 4, 8 or 16.",
                       fp16().alignment(alignment).build());
}

}  // namespace
}  // namespace ckdispatch

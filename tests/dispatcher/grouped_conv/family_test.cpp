// SPDX-License-Identifier: MIT
// Convolution as the selector sees it: which problems a key computes, in which ways, and how a launch is laid out.
#include "ckdispatch/grouped_conv/family.hpp"
#include "ck_families.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/dispatcher/support/keys.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::sample_conv_key;

GroupedConvProblemBuilder fp16(const char* direction = "forward") {
    return GroupedConvProblemBuilder()
        .direction(direction)
        .sizes(2, 4, 8, 16)
        .input({12, 10})
        .filter({3, 3})
        .dtype("fp16");
}

std::string mismatch(const GroupedConvKey& key, const GroupedConvProblemBuilder& builder) {
    return GroupedConvFamily::mismatch(key, builder.build(), gpu_facts("gfx942")).why;
}

GroupedConvKey split_key(const char* way) {
    GroupedConvKey key = sample_conv_key("backward_weight");
    key.split_k = way;
    return key;
}

GroupedConvKey special_key(const char* specialization) {
    GroupedConvKey key = sample_conv_key();
    key.specialization = specialization;
    return key;
}

std::vector<std::int64_t> parts_of(const GroupedConvKey& key, const GroupedConvProblemBuilder& builder) {
    std::vector<std::int64_t> parts;
    for (const GroupedConvWay& way : GroupedConvFamily::ways(key, builder.build(), 304)) parts.push_back(way.parts);
    return parts;
}

void* address(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

TEST(GroupedConvMismatch, IsNoneForItsOwnSignature) {
    for (const char* direction : {"forward", "backward_data", "backward_weight"})
        EXPECT_EQ(mismatch(sample_conv_key(direction), fp16(direction)), "") << direction;
}

TEST(GroupedConvMismatch, NamesWhatTheKernelComputes) {
    EXPECT_EQ(mismatch(sample_conv_key(), fp16("backward_data")), "computes forward, not backward_data.");
    EXPECT_EQ(mismatch(sample_conv_key("backward_weight"), fp16()), "computes backward_weight, not forward.");
    EXPECT_EQ(mismatch(sample_conv_key(), fp16().input({12}).filter({3})), "computes 2 spatial dimensions, not 1.");
    EXPECT_EQ(mismatch(sample_conv_key(), fp16().layout("ngchw")), "computes the layout nhwgc, not ngchw.");
    EXPECT_EQ(mismatch(sample_conv_key(), fp16().dtypes("bf16", "fp16", "fp16")), "computes with x in fp16, not bf16.");
    EXPECT_EQ(mismatch(sample_conv_key(), fp16().dtypes("fp16", "bf16", "fp16")), "computes with w in fp16, not bf16.");
    EXPECT_EQ(mismatch(sample_conv_key(), fp16().dtypes("fp16", "fp16", "fp32")), "computes with y in fp16, not fp32.");
    EXPECT_EQ(mismatch(sample_conv_key(), fp16().fused("Relu", 0)), "computes the convolution alone, not Relu.");
    EXPECT_EQ(mismatch(sample_conv_key(), fp16().fused("MultiDAddRelu", 1)),
              "computes the convolution alone, not MultiDAddRelu with a bias.");
    GroupedConvKey fused = sample_conv_key();
    fused.fused_op = "MultiDAdd", fused.d_count = 1;
    EXPECT_EQ(mismatch(fused, fp16()), "computes MultiDAdd with a bias, not the convolution alone.");
    EXPECT_EQ(mismatch(fused, fp16().fused("MultiDAdd", 1)), "");
}

TEST(GroupedConvMismatch, RefusesWhatTheRuntimeDoesNotKnow) {
    EXPECT_EQ(mismatch(sample_conv_key("sideways"), fp16()),
              "is of the variant sideways, which this runtime does not know.");
    EXPECT_EQ(mismatch(special_key("filter_7x7"), fp16()),
              "is specialised for filter_7x7, which this runtime does not know.");
    GroupedConvKey key = sample_conv_key();
    key.ndim_spatial = 3;
    EXPECT_EQ(mismatch(key, fp16()), "computes 3 spatial dimensions, not 2.");
    key = sample_conv_key();
    key.merged_groups = 0;
    EXPECT_EQ(mismatch(key, fp16()), "merges 0 groups, which this runtime does not know.");
    // Channels are rounded up to whole vectors, by a division.
    key = sample_conv_key();
    key.vector_b = 0;
    EXPECT_EQ(mismatch(key, fp16()), "moves vectors of 0, which this runtime does not know.");
}

TEST(GroupedConvMismatch, IsThatOfSpecialisationsToo) {
    const auto point = [] { return fp16().filter({1, 1}); };
    EXPECT_EQ(mismatch(special_key("filter_1x1_stride1_pad0"), point()), "");
    EXPECT_EQ(mismatch(special_key("filter_1x1_pad0"), point()), "");
    EXPECT_EQ(mismatch(special_key("filter_1x1_pad0"), point().stride({2, 2})), "");
    const std::string strict = "computes filters of 1 with strides of 1 and without pads alone.",
                      loose = "computes filters of 1 without pads alone.";
    EXPECT_EQ(mismatch(special_key("filter_1x1_stride1_pad0"), point().stride({1, 2})), strict);
    EXPECT_EQ(mismatch(special_key("filter_1x1_stride1_pad0"), point().pads({0, 0}, {0, 1})), strict);
    EXPECT_EQ(mismatch(special_key("filter_1x1_stride1_pad0"), fp16().filter({1, 3})), strict);
    EXPECT_EQ(mismatch(special_key("filter_1x1_pad0"), point().pads({1, 0}, {0, 0})), loose);
    EXPECT_EQ(mismatch(special_key("filter_1x1_pad0"), fp16().filter({3, 1})), loose);
}

TEST(GroupedConvMismatch, OfFiltersOfThreeIsThatOfChannelsToo) {
    const std::string why = "computes filters of 3 with one channel in a group alone.";
    EXPECT_EQ(mismatch(special_key("filter_3x3"), fp16().sizes(2, 4, 1, 16)), "");
    EXPECT_EQ(mismatch(special_key("filter_3x3"), fp16().sizes(2, 4, 1, 16).stride({2, 2}).pad({1, 1})), "");
    EXPECT_EQ(mismatch(special_key("filter_3x3"), fp16()), why);
    EXPECT_EQ(mismatch(special_key("filter_3x3"), fp16().sizes(2, 4, 1, 16).filter({3, 2})), why);
    GroupedConvKey line = special_key("filter_3x3");
    line.layout = "nwgc", line.ndim_spatial = 1;
    EXPECT_EQ(mismatch(line, fp16().sizes(2, 4, 1, 16).input({12}).filter({3})), "");
}

TEST(GroupedConvMismatch, RefusesGroupsThatCannotBeMerged) {
    GroupedConvKey key = sample_conv_key();
    key.merged_groups = 2;
    EXPECT_EQ(mismatch(key, fp16()), "");
    key.merged_groups = 8;
    EXPECT_EQ(mismatch(key, fp16()), "merges 8 groups, and there are 4.");
}

TEST(GroupedConvMismatch, IsThatOfPartsOfTheSumToo) {
    const auto weight = [](std::int64_t parts) { return fp16("backward_weight").split_k(parts); };
    EXPECT_EQ(mismatch(split_key("none"), weight(4)), "computes the sum whole, not in 4 parts.");
    EXPECT_EQ(mismatch(split_key("none"), weight(0)), "");
    for (const char* way : {"atomic", "workspace"}) {
        EXPECT_EQ(mismatch(split_key(way), weight(1)),
                  "adds up parts of the sum; for the sum as a whole others are better.");
        EXPECT_EQ(mismatch(split_key(way), weight(4)), "");
        EXPECT_EQ(mismatch(split_key(way), weight(0)), "");
        EXPECT_EQ(mismatch(split_key(way), weight(2).deterministic(true)), "");
    }
    EXPECT_EQ(mismatch(split_key("atomic"), weight(3).deterministic(true)),
              "adds its parts in any order, and the result was to be the same every time.");
    EXPECT_EQ(mismatch(split_key("workspace"), weight(3).deterministic(true)), "");
}

TEST(GroupedConvWays, AreTheOneThatWasAskedFor) {
    EXPECT_EQ(parts_of(sample_conv_key(), fp16()), std::vector<std::int64_t>{1});
    EXPECT_EQ(parts_of(split_key("workspace"), fp16("backward_weight").split_k(5)), std::vector<std::int64_t>{5});
}

// The sum is over 2 * 10 * 8 outputs, of which a tile has 32.
TEST(GroupedConvWays, HaveATileOfTheSumForEachPartWhereTheDispatcherMayChoose) {
    EXPECT_EQ(parts_of(split_key("workspace"), fp16("backward_weight").split_k(0)), (std::vector<std::int64_t>{2, 4}));
    EXPECT_EQ(parts_of(split_key("none"), fp16("backward_weight").split_k(0)), std::vector<std::int64_t>{1});
    EXPECT_EQ(parts_of(split_key("workspace"), fp16("backward_weight").sizes(200, 1, 8, 8).split_k(0)),
              (std::vector<std::int64_t>{2, 4, 8, 16, 32}));
    EXPECT_TRUE(parts_of(split_key("workspace"), fp16("backward_weight").input({3, 4}).split_k(0)).empty());
}

TEST(GroupedConvWays, AreNoMoreThanTwoPartsInAnyOrderWhereTheSameBitsAreWanted) {
    EXPECT_EQ(parts_of(split_key("atomic"), fp16("backward_weight").split_k(0).deterministic(true)),
              std::vector<std::int64_t>{2});
    EXPECT_EQ(parts_of(split_key("workspace"), fp16("backward_weight").split_k(0).deterministic(true)),
              (std::vector<std::int64_t>{2, 4}));
}

TEST(GroupedConvBinding, HasTheProblemOfTheKernelAbi) {
    void* const tensors[] = {address(0x1000), address(0x2000), address(0x3000), address(0x4000)};
    const auto problem = fp16().stride({2, 1}).dilation({1, 2}).pads({1, 0}, {2, 3}).fused("MultiDAdd", 1).build();
    EXPECT_EQ(GroupedConvFamily::launches(problem, GroupedConvWay{1}), 1);
    const auto bound = GroupedConvFamily::bind(problem, {4}, tensors, 0);
    EXPECT_EQ(bound.base.struct_size, sizeof(ck_grouped_conv_problem));
    EXPECT_EQ(bound.base.family, CK_FAMILY_GROUPED_CONV);
    EXPECT_EQ(bound.n, 2);
    EXPECT_EQ(bound.g, 4);
    EXPECT_EQ(bound.c, 8);
    EXPECT_EQ(bound.k, 16);
    EXPECT_EQ(bound.axis[0].input, 12);
    EXPECT_EQ(bound.axis[0].filter, 3);
    EXPECT_EQ(bound.axis[0].output, 7);
    EXPECT_EQ(bound.axis[0].stride, 2);
    EXPECT_EQ(bound.axis[0].dilation, 1);
    EXPECT_EQ(bound.axis[0].left_pad, 1);
    EXPECT_EQ(bound.axis[0].right_pad, 2);
    EXPECT_EQ(bound.axis[1].output, 9);
    EXPECT_EQ(bound.axis[1].dilation, 2);
    EXPECT_EQ(bound.axis[1].right_pad, 3);
    // What is not there is zero.
    EXPECT_EQ(bound.axis[2].input, 0);
    EXPECT_EQ(bound.axis[2].stride, 0);
    EXPECT_EQ(bound.k_batch, 4);
    EXPECT_EQ(bound.x, tensors[0]);
    EXPECT_EQ(bound.w, tensors[1]);
    EXPECT_EQ(bound.y, tensors[2]);
    EXPECT_EQ(bound.d[0], tensors[3]);
    EXPECT_EQ(GroupedConvFamily::bind(fp16().build(), {1}, tensors, 0).d[0], nullptr);
}

TEST(GroupedConvProbe, HasAddressesOfTheStatedAlignmentAndNoMore) {
    for (const int alignment : {1, 2, 4, 8, 16}) {
        const auto bound = GroupedConvFamily::probe(fp16().fused("MultiDAdd", 1).alignment(alignment).build(), {1});
        for (const void* pointer : {static_cast<const void*>(bound.x), static_cast<const void*>(bound.w),
                                    static_cast<const void*>(bound.y), bound.d[0]}) {
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pointer) % std::uintptr_t(alignment), 0u);
            EXPECT_NE(reinterpret_cast<std::uintptr_t>(pointer) % std::uintptr_t(2 * alignment), 0u);
        }
    }
}

TEST(GroupedConvTensors, AreThreeAndTheBias) {
    EXPECT_EQ(GroupedConvFamily::tensor_count(fp16().build()), 3u);
    EXPECT_EQ(GroupedConvFamily::tensor_count(fp16().fused("MultiDAdd", 1).build()), 4u);
    EXPECT_TRUE(GroupedConvFamily::divide(fp16().build()).pieces.empty());
}

TEST(GroupedConvTensors, HaveTheBytesOfTheirElements) {
    const auto p = fp16().dtypes("fp8", "fp16", "fp32").fused("MultiDAdd", 1).build();
    EXPECT_EQ(GroupedConvFamily::tensor_bytes(p, 0), 2u * 12 * 10 * 4 * 8);
    EXPECT_EQ(GroupedConvFamily::tensor_bytes(p, 1), 2u * 4 * 16 * 3 * 3 * 8);
    EXPECT_EQ(GroupedConvFamily::tensor_bytes(p, 2), 4u * 2 * 10 * 8 * 4 * 16);
    EXPECT_EQ(GroupedConvFamily::tensor_bytes(p, 3), 4u * 4 * 16);
}

TEST(GroupedConvAlignment, IsThatOfTheLeastAlignedAddress) {
    const auto alignment_with = [](std::uintptr_t x, std::uintptr_t w, std::uintptr_t y, std::uintptr_t bias,
                                   int stated = 16) {
        void* const tensors[] = {address(x), address(w), address(y), address(bias)};
        return GroupedConvFamily::aligned(fp16().fused("MultiDAdd", 1).alignment(stated).build(), tensors).alignment;
    };
    EXPECT_EQ(alignment_with(0x1000, 0x2000, 0x3000, 0x4000), 16);
    EXPECT_EQ(alignment_with(0x1008, 0x2000, 0x3000, 0x4000), 8);
    EXPECT_EQ(alignment_with(0x1000, 0x2004, 0x3000, 0x4000), 4);
    EXPECT_EQ(alignment_with(0x1000, 0x2000, 0x3002, 0x4000), 2);
    EXPECT_EQ(alignment_with(0x1000, 0x2000, 0x3000, 0x4001), 1);
    EXPECT_EQ(alignment_with(0x1000, 0x2000, 0x3000, 0x4000, 4), 4);
}

TEST(GroupedConvAlignment, NeedsAnAddressForEachTensor) {
    const std::string names[] = {"x", "w", "y", "the bias"};
    for (std::size_t missing = 0; missing < 4; ++missing) {
        void* tensors[] = {address(16), address(16), address(16), address(16)};
        tensors[missing] = nullptr;
        EXPECT_REFUSED(ErrorCode::invalid_argument,
                       "A grouped convolution was to be run with no address for " + names[missing] + ".",
                       GroupedConvFamily::aligned(fp16().fused("MultiDAdd", 1).build(), tensors));
    }
}

}  // namespace
}  // namespace ckdispatch

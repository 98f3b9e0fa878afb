// SPDX-License-Identifier: MIT
// How filters and strides divide the positions of an image, against counting them one by one.
#include "ckdispatch/grouped_conv/residues.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <set>

#include "ckdispatch/grouped_conv/problem_builder.hpp"

namespace ckdispatch {
namespace {

GroupedConvAxis axis(std::int64_t input, std::int64_t filter, std::int64_t stride, std::int64_t dilation,
                     std::int64_t left, std::int64_t right) {
    return GroupedConvProblemBuilder()
        .sizes(1, 1, 1, 1)
        .input({input})
        .filter({filter})
        .stride({stride})
        .dilation({dilation})
        .pads({left}, {right})
        .dtype("fp16")
        .build()
        .axes[0];
}

/// All of it by looking at every pair.
struct Counted {
    explicit Counted(const GroupedConvAxis& a) {
        std::map<std::int64_t, std::pair<double, double>> by_residue;  // inputs and filter positions
        for (std::int64_t f = 0; f < a.filter; ++f) by_residue[f * a.dilation % a.stride].second += 1;
        for (std::int64_t i = 0; i < a.input; ++i) {
            const auto found = by_residue.find((i + a.left_pad) % a.stride);
            if (found != by_residue.end()) found->second.first += 1;
        }
        for (const auto& [residue, one] : by_residue)
            if (one.first > 0) ++classes[one];
        for (std::int64_t o = 0; o < a.output; ++o)
            for (std::int64_t f = 0; f < a.filter; ++f)
                if (const std::int64_t i = o * a.stride + f * a.dilation - a.left_pad; i >= 0 && i < a.input)
                    read.insert(i);
        all_met = std::int64_t(by_residue.size()) == a.stride;
    }
    std::map<std::pair<double, double>, double> classes;
    std::set<std::int64_t> read;
    bool all_met;
};

TEST(Residues, AreThoseThatAreCounted) {
    for (const std::int64_t input : {1, 7, 16, 29})
        for (const std::int64_t filter : {1, 2, 3, 5})
            for (const std::int64_t stride : {1, 2, 3, 4, 6})
                for (const std::int64_t dilation : {1, 2, 3})
                    for (const std::int64_t pad : {0, 1, 4}) {
                        if (dilation * (filter - 1) + 1 > input + 2 * pad) continue;
                        const GroupedConvAxis one = axis(input, filter, stride, dilation, pad, pad);
                        const Residues residues = residues_of(one);
                        const Counted counted(one);
                        std::map<std::pair<double, double>, double> classes;
                        for (const Residues::Class& same : residues.classes)
                            classes[{same.inputs, same.filters}] += same.count;
                        EXPECT_EQ(classes, counted.classes)
                            << input << " " << filter << " " << stride << " " << dilation << " " << pad;
                        EXPECT_EQ(residues.classes.size(), classes.size());
                        EXPECT_EQ(residues.all_met, counted.all_met)
                            << input << " " << filter << " " << stride << " " << dilation << " " << pad;
                        // Where a filter is so wide that its positions leave gaps between them, those may count as
                        // read.
                        const double read = double(counted.read.size());
                        const bool gaps = stride / std::gcd(stride, dilation) * dilation > one.output * stride;
                        EXPECT_EQ(gaps ? read : residues.read, read)
                            << input << " " << filter << " " << stride << " " << dilation << " " << pad;
                        EXPECT_GE(residues.read, read);
                        EXPECT_LE(residues.read, std::min(input, one.output * filter));
                    }
}

TEST(Residues, OfAPlainFilterAreOneClassWithAllInputs) {
    const Residues residues = residues_of(axis(56, 3, 1, 1, 1, 1));
    ASSERT_EQ(residues.classes.size(), 1u);
    EXPECT_EQ(residues.classes[0].count, 1);
    EXPECT_EQ(residues.classes[0].inputs, 56);
    EXPECT_EQ(residues.classes[0].filters, 3);
    EXPECT_EQ(residues.read, 56);
    EXPECT_TRUE(residues.all_met);
}

TEST(Residues, OfEnormousStridesAreNotCountedOneByOne) {
    const auto begin = std::chrono::steady_clock::now();
    const Residues residues = residues_of(axis(1 << 30, 1 << 29, 1 << 29, 1, 0, 0));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
    ASSERT_EQ(residues.classes.size(), 1u);
    EXPECT_EQ(residues.classes[0].count, 1 << 29);
    EXPECT_EQ(residues.classes[0].inputs, 2);
    EXPECT_EQ(residues.classes[0].filters, 1);
    EXPECT_EQ(residues.read, 1 << 30);
}

}  // namespace
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// lightgbm_cases.json is written by record_lightgbm.py: what LightGBM itself computed must come out bit for bit.
#include "ckdispatch/core/trees.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/dispatcher/support/lightgbm.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Feature 0 at most 1, then feature 1 at most 2: leaves of 10, 20 and 30.
Tree sample_tree() { return {{0, 1}, {1, 2}, {-1, -2}, {1, -3}, {10, 20, 30}}; }

Tree leaf_alone(double value) { return {{}, {}, {}, {}, {value}}; }

/// What a walk from the root to a leaf gives.
double walked(const std::vector<Tree>& trees, const double* row) {
    double sum = 0;
    for (const Tree& tree : trees) {
        int node = tree.feature.empty() ? -1 : 0;
        while (node >= 0) {
            const auto n = std::size_t(node);
            node = row[tree.feature[n]] <= tree.threshold[n] ? tree.left[n] : tree.right[n];
        }
        sum += tree.leaf[std::size_t(-1 - node)];
    }
    return sum;
}

TEST(Trees, GiveWhatLightGbmGives) {
    for (const test::LightGbmCase& one : test::lightgbm_cases()) {
        const Trees trees(one.trees, one.features);
        std::vector<double> sums(one.sums.size());
        trees.sums(one.rows.data(), sums.size(), sums.data());
        for (std::size_t i = 0; i < sums.size(); ++i) {
            EXPECT_EQ(sums[i], one.sums[i]) << one.name << ", row " << i;
            EXPECT_EQ(trees.sum(&one.rows[i * one.features]), one.sums[i]) << one.name << ", row " << i << " alone";
        }
    }
}

TEST(Trees, GoToTheLeftUpToTheThreshold) {
    const Trees trees({sample_tree()}, 2);
    const struct {
        double row[2], sum;
    } all[] = {
        {{1, 5}, 10},          {{std::nextafter(1, 2), 2}, 20}, {{1.5, std::nextafter(2, 3)}, 30},
        {{-kInfinity, 0}, 10}, {{kInfinity, kInfinity}, 30},    {{NAN, 9}, 10},  // 0
        {{2, NAN}, 20},
    };
    for (const auto& one : all) EXPECT_EQ(trees.sum(one.row), one.sum) << one.row[0] << ", " << one.row[1];
}

TEST(Trees, TakeForZeroWhatLightGbmTakesForZero) {
    const double zero = 1e-35f;
    const Trees trees({{{0}, {-zero}, {-1}, {-2}, {1, 2}}}, 1);
    EXPECT_EQ(trees.sum(&zero), 2);
    const double below = -zero, further_below = std::nextafter(-zero, -1);
    EXPECT_EQ(trees.sum(&below), 2);
    EXPECT_EQ(trees.sum(&further_below), 1);
}

TEST(Trees, OfOneLeafAreThatLeaf) {
    const double row = 0;
    EXPECT_EQ(Trees({leaf_alone(2.5), leaf_alone(-1)}, 1).sum(&row), 1.5);
}

/// Grown as LightGBM does: some leaf becomes a node with two.
Tree random_tree(std::minstd_rand& random, std::size_t leaves, int features) {
    Tree tree;
    for (std::size_t node = 0; node + 1 < leaves; ++node) {
        const int divided = -1 - int(random() % (node + 1));
        for (auto* side : {&tree.left, &tree.right})
            for (int& child : *side)
                if (child == divided) child = int(node);
        tree.feature.push_back(int(random() % unsigned(features)));
        tree.threshold.push_back(double(random() % 250) / 8);
        tree.left.push_back(divided);
        tree.right.push_back(-2 - int(node));
    }
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) tree.leaf.push_back(double(random()) / 1e9 - 1);
    return tree;
}

TEST(Trees, GiveForAnyNumberOfRowsWhatAWalkGives) {
    std::minstd_rand random(1);
    for (const std::size_t count : {1, 2, 15, 16, 17, 100, 127, 128, 129, 300}) {
        const int features = 1 + int(random() % 40);
        std::vector<Tree> all;
        for (std::size_t i = 1 + random() % Trees::kMostTrees; i > 0; --i)
            all.push_back(random_tree(random, 1 + random() % Trees::kMostLeaves, features));
        const Trees trees(all, std::size_t(features));
        std::vector<double> rows(count * std::size_t(features)), sums(count);
        for (double& number : rows) number = double(random() % 256) / 8;
        // As for the kernels of one problem.
        for (std::size_t row = 1; row < count; ++row) rows[row * std::size_t(features)] = rows[0];
        trees.sums(rows.data(), count, sums.data());
        for (std::size_t row = 0; row < count; ++row)
            ASSERT_EQ(sums[row], walked(all, &rows[row * std::size_t(features)])) << "row " << row << " of " << count;
    }
}

TEST(Trees, OfTheLargestSizeAreTaken) {
    std::vector<Tree> all;
    std::minstd_rand random(2);
    for (std::size_t i = 0; i < Trees::kMostTrees; ++i)
        all.push_back(random_tree(random, Trees::kMostLeaves, int(Trees::kMostFeatures)));
    const Trees trees(all, Trees::kMostFeatures);
    EXPECT_EQ(trees.size(), Trees::kMostTrees);
    std::vector<double> row(Trees::kMostFeatures, 3.0);
    EXPECT_EQ(trees.sum(row.data()), walked(all, row.data()));
}

TEST(Trees, HaveNothingToDoForNoRows) { Trees({sample_tree()}, 2).sums(nullptr, 0, nullptr); }

TEST(Trees, RefuseWhatIsNoTree) {
    const auto changed = [](auto&& change) {
        Tree tree = sample_tree();
        change(tree);
        return std::vector<Tree>{tree};
    };
    const struct {
        const char* sentence;
        std::vector<Tree> trees;
    } all[] = {
        {"it has 0 trees; there are 1 to 200.", {}},
        {"it has 201 trees; there are 1 to 200.", std::vector<Tree>(201, sample_tree())},
        {"tree 0 has 32 leaves; there are at most 31.", changed([](Tree& tree) { tree.leaf.resize(32); })},
        {"tree 0 has 2 features, 1 thresholds, 2 ways to the left, 2 to the right and 3 leaves; there is one of each "
         "for a node, and one leaf more.",
         changed([](Tree& tree) { tree.threshold.pop_back(); })},
        {"tree 0 has 0 features, 0 thresholds, 0 ways to the left, 0 to the right and 0 leaves; there is one of each "
         "for a node, and one leaf more.",
         {Tree{}}},
        {"tree 0 looks at feature 2 of 2.", changed([](Tree& tree) { tree.feature[1] = 2; })},
        {"tree 0 looks at feature -1 of 2.", changed([](Tree& tree) { tree.feature[0] = -1; })},
        {"tree 0 has a threshold that is no finite number.", changed([](Tree& tree) { tree.threshold[0] = NAN; })},
        {"tree 0 has a threshold that is no finite number.",
         changed([](Tree& tree) { tree.threshold[1] = -kInfinity; })},
        {"tree 0 has a leaf whose value is no number, or too large for a sum.",
         changed([](Tree& tree) { tree.leaf[2] = NAN; })},
        {"tree 0 has a leaf whose value is no number, or too large for a sum.",
         changed([](Tree& tree) { tree.leaf[2] = -1.7e308; })},
        {"tree 0 leads from node 1 to node 0; only a later one can follow.",
         changed([](Tree& tree) { tree.left[1] = 0; })},
        {"tree 0 leads from node 1 to node 1; only a later one can follow.",
         changed([](Tree& tree) { tree.right[1] = 1; })},
        {"tree 0 leads from node 0 to node 2, and has 2.", changed([](Tree& tree) { tree.right[0] = 2; })},
        {"tree 0 leads from node 1 to leaf 3, and has 3.", changed([](Tree& tree) { tree.right[1] = -4; })},
        {"tree 0 leads from node 1 to leaf 2147483647, and has 3.",
         changed([](Tree& tree) { tree.right[1] = std::numeric_limits<int>::min(); })},
        {"tree 0 leads from node 1 to leaf 0, to which another way leads already.",
         changed([](Tree& tree) { tree.right[1] = -1; })},
        {"tree 0 leads from node 0 to node 1, to which another way leads already.",
         changed([](Tree& tree) { tree.left[0] = 1; })},
        {"tree 1 looks at feature 7 of 2.", {sample_tree(), {{7}, {0}, {-1}, {-2}, {1, 2}}}},
    };
    for (const auto& one : all) EXPECT_REFUSED(ErrorCode::damaged, one.sentence, Trees(one.trees, 2));
    EXPECT_REFUSED(ErrorCode::damaged, "it is for rows of 257 features; there are at most 256.",
                   Trees({sample_tree()}, 257));
}

TEST(Trees, RefuseAFeatureWithMoreThresholdsThanAByteTells) {
    const auto stumps = [](int count) {
        std::vector<Tree> trees;
        for (int i = 0; i < count; i += 2)
            trees.push_back({{0, 0}, {double(i), double(std::min(i + 1, count - 1))}, {-1, -2}, {1, -3}, {0, 1, 2}});
        return trees;
    };
    const double row = 254.5;
    EXPECT_EQ(Trees(stumps(255), 1).sum(&row), walked(stumps(255), &row));
    EXPECT_REFUSED(ErrorCode::damaged, "its feature 0 has 256 different thresholds; there are at most 255.",
                   Trees(stumps(256), 1));
}

}  // namespace
}  // namespace ckdispatch

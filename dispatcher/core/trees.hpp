// SPDX-License-Identifier: MIT
// Regression trees whose leaves are added up, as gradient boosting makes them: evaluated for many rows at once, bit for
// bit as LightGBM does it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ckdispatch {

/// One tree. Its node 0 is the root; one without nodes is its only leaf.
struct Tree {
    std::vector<int> feature;       ///< which number of a row each node looks at
    std::vector<double> threshold;  ///< a row whose number is at most this goes to the left
    std::vector<int> left,
        right;  ///< the node that is next, which comes later in the list; -1 is leaf 0, -2 is leaf 1, and so on
    std::vector<double> leaf;  ///< what a row that ends there adds to its sum
};

class Trees {
public:
    static constexpr std::size_t kMostTrees = 200;
    static constexpr std::size_t kMostLeaves = 31;
    static constexpr std::size_t kMostFeatures = 256;
    static constexpr std::size_t kMostThresholds =
        255;  ///< different ones of a feature: as many as LightGBM's bins divide it by

    /// For rows of so many features. Throws DamagedError, which begins with the number of the tree, if one is no
    /// tree or is too large.
    Trees(const std::vector<Tree>& trees, std::size_t features);

    std::size_t features() const { return features_; }
    std::size_t size() const { return node_counts_.size(); }

    /// The sum of each of `count` rows, which follow each other in memory. What is no number counts as 0, and so does
    /// what is within 1e-35 of it.
    void sums(const double* rows, std::size_t count, double* sums) const;

    /// Of one row. Many rows together take little more time than one.
    double sum(const double* row) const {
        double result = 0;
        sums(row, 1, &result);
        return result;
    }

private:
    /// A feature that some node looks at. A row is at the same side of all of the feature's thresholds as its rank
    /// says: how many of them are below it.
    struct Column {
        std::size_t feature;
        std::size_t thresholds;  ///< where they begin
        std::size_t span;        ///< a power of two; there is one threshold less, in rising order and then infinite
    };
    /// Of one tree the last comes first, so that what follows a node is known when it is its turn. Offsets are in
    /// bytes.
    struct Node {
        std::uint16_t column;       ///< of the ranks of its feature
        std::uint16_t left, right;  ///< of the leaves that rows end in there
        std::int16_t bound;         ///< ranks above it go to the right
    };

    template <int Vectors>
    void add_up(const signed char* ranks, double* sums) const;
    void rank(const double* rows, std::size_t count, signed char* ranks) const;

    std::size_t features_;
    std::vector<Column> columns_;
    std::vector<double> thresholds_;
    std::vector<Node> nodes_;
    std::vector<std::uint8_t> node_counts_;  ///< of each tree
    std::vector<double> leaves_;             ///< as many for each tree as the largest may have
};

}  // namespace ckdispatch

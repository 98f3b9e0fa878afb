// SPDX-License-Identifier: MIT
#include "ckdispatch/core/trees.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>

#include "ckdispatch/core/error.hpp"

namespace ckdispatch {
namespace {

// Sixteen rows: SSE2 and NEON have it, so every processor does.
using Lanes __attribute__((vector_size(16), may_alias)) = signed char;

constexpr int kLanes = sizeof(Lanes);
constexpr int kVectors = 8;
constexpr int kRows = kVectors * kLanes;  ///< that are evaluated at once
constexpr int kTogether = 8;              ///< trees whose leaves are added before the sums go back to memory
constexpr int kAtOnce = 8;         ///< searches that run side by side, because each waits for memory most of the time
constexpr int kLowestRank = -128;  ///< ranks are signed: SSE2 compares no others

// Rows that end in a leaf, and then those of nodes.
constexpr int kSlots = int(2 * Trees::kMostLeaves - 1);

// LightGBM's: within these bounds a number is zero. It is written there as a float.
constexpr double kZero = 1e-35f;

// Of so many and so large ones a sum is finite.
constexpr double kLargestLeaf = 1e300;

[[noreturn]] void refuse(const std::string& sentence) { throw DamagedError(sentence); }

void check_child(int child, std::size_t parent, std::vector<bool>& nodes, std::vector<bool>& leaves,
                 const std::string& what) {
    const bool leaf = child < 0;
    const std::size_t place = std::size_t(leaf ? -1 - std::int64_t(child) : child);
    std::vector<bool>& seen = leaf ? leaves : nodes;
    const std::string way = what + " leads from node " + std::to_string(parent) + " to " + (leaf ? "leaf " : "node ") +
                            std::to_string(place);
    if (place >= seen.size()) refuse(way + ", and has " + std::to_string(seen.size()) + ".");
    if (!leaf && place <= parent) refuse(way + "; only a later one can follow.");
    if (seen[place]) refuse(way + ", to which another way leads already.");
    seen[place] = true;
}

void check(const Tree& tree, std::size_t features, const std::string& what) {
    const std::size_t nodes = tree.feature.size();
    if (tree.leaf.size() > Trees::kMostLeaves)
        refuse(what + " has " + std::to_string(tree.leaf.size()) + " leaves; there are at most " +
               std::to_string(Trees::kMostLeaves) + ".");
    if (tree.threshold.size() != nodes || tree.left.size() != nodes || tree.right.size() != nodes ||
        tree.leaf.size() != nodes + 1)
        refuse(what + " has " + std::to_string(nodes) + " features, " + std::to_string(tree.threshold.size()) +
               " thresholds, " + std::to_string(tree.left.size()) + " ways to the left, " +
               std::to_string(tree.right.size()) + " to the right and " + std::to_string(tree.leaf.size()) +
               " leaves; there is one of each for a node, and one leaf more.");
    std::vector<bool> seen(nodes), leaves(tree.leaf.size());
    for (std::size_t i = 0; i < nodes; ++i) {
        if (tree.feature[i] < 0 || std::size_t(tree.feature[i]) >= features)
            refuse(what + " looks at feature " + std::to_string(tree.feature[i]) + " of " + std::to_string(features) +
                   ".");
        if (!std::isfinite(tree.threshold[i])) refuse(what + " has a threshold that is no finite number.");
        check_child(tree.left[i], i, seen, leaves, what);
        check_child(tree.right[i], i, seen, leaves, what);
    }
    for (const double value : tree.leaf)
        if (!(std::fabs(value) <= kLargestLeaf))
            refuse(what + " has a leaf whose value is no number, or too large for a sum.");
}

/// Where among `span` - 1 thresholds each of some numbers is: how many are below it.
template <int Count>
void search(const double* thresholds, std::size_t span, const double* numbers, signed char* ranks) {
    std::size_t below[Count] = {};
    for (std::size_t step = span / 2; step; step /= 2)
#pragma GCC unroll 8
        for (int i = 0; i < Count; ++i) below[i] += thresholds[below[i] + step - 1] < numbers[i] ? step : 0;
    for (int i = 0; i < Count; ++i) ranks[i] = static_cast<signed char>(int(below[i]) + kLowestRank);
}

}  // namespace

Trees::Trees(const std::vector<Tree>& trees, std::size_t features) : features_(features) {
    if (trees.empty() || trees.size() > kMostTrees)
        refuse("it has " + std::to_string(trees.size()) + " trees; there are 1 to " + std::to_string(kMostTrees) + ".");
    if (features > kMostFeatures)
        refuse("it is for rows of " + std::to_string(features) + " features; there are at most " +
               std::to_string(kMostFeatures) + ".");
    std::map<int, std::vector<double>> of_feature;
    for (std::size_t i = 0; i < trees.size(); ++i) {
        check(trees[i], features, "tree " + std::to_string(i));
        for (std::size_t n = 0; n < trees[i].feature.size(); ++n)
            of_feature[trees[i].feature[n]].push_back(trees[i].threshold[n]);
    }

    std::map<int, std::size_t> column_of;
    for (auto& [feature, all] : of_feature) {
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        if (all.size() > kMostThresholds)
            refuse("its feature " + std::to_string(feature) + " has " + std::to_string(all.size()) +
                   " different thresholds; there are at most " + std::to_string(kMostThresholds) + ".");
        column_of[feature] = columns_.size();
        std::size_t span = 2;
        while (span <= all.size()) span *= 2;
        columns_.push_back({std::size_t(feature), thresholds_.size(), span});
        thresholds_.insert(thresholds_.end(), all.begin(), all.end());
        thresholds_.resize(columns_.back().thresholds + span - 1, std::numeric_limits<double>::infinity());
    }

    for (const Tree& tree : trees) {
        const std::size_t nodes = tree.feature.size();
        const auto place = [&](int child) {
            return std::uint16_t(kRows * (child < 0 ? -1 - child : int(kMostLeaves + nodes) - 1 - child));
        };
        for (std::size_t n = nodes; n-- > 0;) {
            const std::vector<double>& all = of_feature[tree.feature[n]];
            const auto bound = std::lower_bound(all.begin(), all.end(), tree.threshold[n]) - all.begin();
            nodes_.push_back({std::uint16_t(kRows * column_of[tree.feature[n]]), place(tree.left[n]),
                              place(tree.right[n]), std::int16_t(bound + kLowestRank)});
        }
        node_counts_.push_back(std::uint8_t(nodes));
        leaves_.insert(leaves_.end(), tree.leaf.begin(), tree.leaf.end());
        leaves_.resize(node_counts_.size() * kMostLeaves);
    }
}

void Trees::sums(const double* rows, std::size_t count, double* sums) const {
    using AddUp = void (Trees::*)(const signed char*, double*) const;
    static constexpr AddUp add_up[] = {&Trees::add_up<1>, &Trees::add_up<2>, &Trees::add_up<3>, &Trees::add_up<4>,
                                       &Trees::add_up<5>, &Trees::add_up<6>, &Trees::add_up<7>, &Trees::add_up<8>};
    alignas(Lanes) signed char ranks[kMostFeatures * kRows];
    double results[kRows];
    for (std::size_t first = 0; first < count; first += kRows) {
        const std::size_t some = std::min<std::size_t>(count - first, kRows);
        rank(rows + first * features_, some, ranks);
        (this->*add_up[(some - 1) / kLanes])(ranks, results);
        std::copy_n(results, some, sums + first);
    }
}

void Trees::rank(const double* rows, std::size_t count, signed char* ranks) const {
    const std::size_t whole = (count + kLanes - 1) / kLanes * kLanes;
    for (const Column& column : columns_) {
        double numbers[kRows];
        bool same = true;
        for (std::size_t row = 0; row < whole; ++row) {
            const double given = rows[std::min(row, count - 1) * features_ + column.feature];
            numbers[row] = std::fabs(given) > kZero ? given : 0;  // also of what is no number
            same = same & (numbers[row] == numbers[0]);
        }
        // The rows of one problem have much in common.
        const double* thresholds = &thresholds_[column.thresholds];
        if (same) {
            search<1>(thresholds, column.span, numbers, ranks);
            std::memset(ranks, ranks[0], whole);
        } else {
            for (std::size_t row = 0; row < whole; row += kAtOnce)
                search<kAtOnce>(thresholds, column.span, numbers + row, ranks + row);
        }
        ranks += kRows;
    }
}

/// Each node, from the last to the root, finds the leaf that every row would end in if it came by: no row waits for
/// another's branches.
template <int Vectors>
void Trees::add_up(const signed char* ranks, double* sums) const {
    constexpr int rows = Vectors * kLanes;
    alignas(Lanes) signed char ends[kSlots * kRows];
    alignas(Lanes) std::uint8_t found[kTogether * kRows];
    for (int leaf = 0; leaf < int(kMostLeaves); ++leaf) std::memset(ends + leaf * kRows, leaf, rows);
    std::fill_n(sums, rows, 0.0);

    const Node* node = nodes_.data();
    const double* leaves = leaves_.data();
    for (std::size_t first = 0; first < size(); first += kTogether) {
        const int together = int(std::min<std::size_t>(size() - first, kTogether));
        for (int tree = 0; tree < together; ++tree) {
            signed char* slot = ends + kMostLeaves * kRows;
            const signed char* last = ends;  // leaf 0 if there is no node
            for (int i = node_counts_[first + std::size_t(tree)]; i > 0; --i, ++node, slot += kRows) {
                const auto* rank = reinterpret_cast<const Lanes*>(ranks + node->column);
                const auto* left = reinterpret_cast<const Lanes*>(ends + node->left);
                const auto* right = reinterpret_cast<const Lanes*>(ends + node->right);
                auto* end = reinterpret_cast<Lanes*>(slot);
                const Lanes bound = Lanes{} + static_cast<signed char>(node->bound);
#pragma GCC unroll 8
                for (int v = 0; v < Vectors; ++v) {
                    const Lanes above = rank[v] > bound;
                    end[v] = left[v] ^ ((left[v] ^ right[v]) & above);
                }
                last = slot;
            }
            std::memcpy(found + tree * kRows, last, rows);
        }
        // Tree by tree in their order: another would round differently.
        for (int row = 0; row < rows; row += 4) {
            double a = sums[row], b = sums[row + 1], c = sums[row + 2], d = sums[row + 3];
            const double* values = leaves;
            const std::uint8_t* leaf = found + row;
            for (int tree = 0; tree < together; ++tree, values += kMostLeaves, leaf += kRows)
                a += values[leaf[0]], b += values[leaf[1]], c += values[leaf[2]], d += values[leaf[3]];
            sums[row] = a, sums[row + 1] = b, sums[row + 2] = c, sums[row + 3] = d;
        }
        leaves += together * int(kMostLeaves);
    }
}

}  // namespace ckdispatch

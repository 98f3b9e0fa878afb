// SPDX-License-Identifier: MIT
// What learned models know of a launch: numbers without a unit, from what the cost model knows. docs/models.md has the
// table.
#pragma once

#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "ckdispatch/core/cost.hpp"

namespace ckdispatch {

/// The same for every family; those of Work::details come after them.
inline constexpr const char* kCommonFeatures[] = {
    "share_launch", "share_waiting",  "share_issue",        "share_store", "share_turn", "log_rounds",
    "log_per_unit", "fill_units",     "fill_rounds",        "fill_last",   "log_trips",  "odd_trips",
    "resident",     "waves_per_simd", "log_bytes_per_flop", "log_memory",  "log_l2",     "log_working_set"};
inline constexpr std::size_t kCommonFeatureCount = std::size(kCommonFeatures);

using Features = std::array<double, kCommonFeatureCount + kMostDetails>;

Features features_of(const Work& work, const Rounds& rounds, const Terms& terms, const CostModel& costs);

/// Given the names of the family's details.
inline std::vector<std::string> feature_names(const std::vector<std::string>& details) {
    std::vector<std::string> names(std::begin(kCommonFeatures), std::end(kCommonFeatures));
    names.insert(names.end(), details.begin(), details.end());
    return names;
}

}  // namespace ckdispatch

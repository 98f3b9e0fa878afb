// SPDX-License-Identifier: MIT
// Learned models of a test's own making. For tests that have the runtime's private headers.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ckdispatch/core/features.hpp"
#include "ckdispatch/core/json.hpp"
#include "ckdispatch/core/model.hpp"

namespace ckdispatch::test {

/// A model of one tree of two leaves: what has more than `threshold` of a feature takes `above` times as long, and the
/// rest `below` times.
struct Stump {
    std::string feature = "tile_m";
    double threshold = 100;
    double below = 1, above = 1;
};

/// Its ranges hold every number, unless a test narrows them.
inline Json model_document(std::string_view family, std::string_view gpu, const Stump& stump = {},
                           const Json& serves = Json::object()) {
    Json constants;
    for (const std::string_view term : arch::cost_terms) constants[std::string(term)] = 0.5;
    constants["launch"] = 4;
    const Json leaves = {std::log(stump.below), std::log(stump.above)};
    const Json tree = {
        {"feature", {0}}, {"threshold", {stump.threshold}}, {"left", {-1}}, {"right", {-2}}, {"leaf", leaves}};
    return {
        {"schema_version", 1},    {"family", std::string(family)}, {"gpu", std::string(gpu)},
        {"serves", serves},       {"features", {stump.feature}},   {"ranges", {{stump.feature, {-1e300, 1e300}}}},
        {"constants", constants}, {"trees", Json::array({tree})},  {"manifest", {{"provenance", "simulated"}}},
    };
}

template <class Family>
std::shared_ptr<const Model> model_of(const Json& document) {
    return Model::parse(document.dump(), "The model of the test", feature_names(Family::details()));
}

}  // namespace ckdispatch::test

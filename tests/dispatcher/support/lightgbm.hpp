// SPDX-License-Identifier: MIT
// What LightGBM computed once: tests/dispatcher/core/record_lightgbm.py wrote it down. For tests that have the
// runtime's private headers.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "ckdispatch/core/json.hpp"
#include "ckdispatch/core/trees.hpp"
#include "tests/dispatcher/support/temporary.hpp"

namespace ckdispatch::test {

struct LightGbmCase {
    std::string name;
    std::size_t features;
    std::vector<Tree> trees;
    std::vector<double> rows;  ///< one after the other
    std::vector<double> sums;
};

/// The path of a file beside the tests of the core.
inline std::string recorded(const std::string& name) { return "tests/dispatcher/core/" + name; }

inline std::vector<LightGbmCase> lightgbm_cases() {
    const auto content = read_bytes(recorded("lightgbm_cases.json"));
    const Json document = Json::parse(content.begin(), content.end());
    std::vector<LightGbmCase> cases;
    for (const Json& json : document.at("cases")) {
        LightGbmCase one{json.at("name"), json.at("rows").at(0).size(), {}, {}, json.at("sums")};
        for (const Json& tree : json.at("trees"))
            one.trees.push_back(
                {tree.at("feature"), tree.at("threshold"), tree.at("left"), tree.at("right"), tree.at("leaf")});
        for (const Json& row : json.at("rows"))
            // JSON has no infinity, and nothing that is no number: these are texts.
            for (const Json& number : row)
                one.rows.push_back(number.is_string() ? std::strtod(std::string(number).c_str(), nullptr)
                                                      : number.get<double>());
        cases.push_back(std::move(one));
    }
    return cases;
}

}  // namespace ckdispatch::test

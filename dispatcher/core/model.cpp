// SPDX-License-Identifier: MIT
#include "ckdispatch/core/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "ckdispatch/core/error.hpp"
#include "ckdispatch/core/files.hpp"
#include "ckdispatch/core/gpus.hpp"
#include "ckdispatch/core/json.hpp"

namespace ckdispatch {
namespace {

constexpr int kSchemaVersion = 1;
constexpr std::uint64_t kMostBytes = std::uint64_t(8) << 20;  ///< twenty times as many as 200 trees of 31 leaves have
constexpr std::size_t kMostNames = 256;                       ///< of constants, and of fields
constexpr std::size_t kLongestWord = 256;
const double kLargestSum = std::log(8.0);

[[noreturn]] void refuse(const std::string& sentence) { throw DamagedError(sentence); }

/// A field that this runtime does not know could change what the others mean.
void check_fields(const Json& object, std::initializer_list<const char*> known, const std::string& what) {
    for (const char* name : known) (void)member(object, name, what);
    for (const auto& entry : object.items())
        if (std::find(known.begin(), known.end(), entry.key()) == known.end())
            refuse(what + " has a field '" + entry.key() + "', which no model has.");
}

[[noreturn]] void expected(const std::string& kind, const Json& json, const char* name, const std::string& what) {
    refuse(what + " has " + shown(json).substr(0, 60) + " in '" + name + "', where " + kind + " is expected.");
}

void check_size(const Json& several, const char* name, const std::string& what, std::size_t most) {
    if (several.size() > most)
        refuse(what + " has " + std::to_string(several.size()) + " entries in '" + name + "'; there are at most " +
               std::to_string(most) + ".");
}

const Json& list_member(const Json& object, const char* name, const std::string& what, std::size_t most) {
    const Json& list = member(object, name, what);
    if (!list.is_array()) expected("a list", list, name, what);
    check_size(list, name, what, most);
    return list;
}

/// Names and what they stand for.
const Json& map_member(const Json& object, const char* name, const std::string& what) {
    const Json& map = member(object, name, what);
    if (!map.is_object()) expected("an object", map, name, what);
    return map;
}

/// As above, for what is looked at entry by entry.
const Json& short_map_member(const Json& object, const char* name, const std::string& what) {
    const Json& map = map_member(object, name, what);
    check_size(map, name, what, kMostNames);
    return map;
}

double number(const Json& json, const char* name, const std::string& what) {
    if (!json.is_number() || !std::isfinite(json.get<double>())) expected("a number", json, name, what);
    return json.get<double>();
}

std::string word(const Json& json, const char* name, const std::string& what) {
    std::string text = json.is_string() ? json.get<std::string>() : "";
    if (text.empty() || text.size() > kLongestWord)
        expected("a word of at most " + std::to_string(kLongestWord) + " letters", json, name, what);
    return text;
}

std::vector<double> numbers(const Json& object, const char* name, const std::string& what, std::size_t most) {
    std::vector<double> all;
    for (const Json& one : list_member(object, name, what, most)) all.push_back(number(one, name, what));
    return all;
}

std::vector<int> places(const Json& object, const char* name, const std::string& what) {
    std::vector<int> all;
    for (const Json& one : list_member(object, name, what, Trees::kMostLeaves - 1)) {
        if (!is_within(one, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()))
            expected("a whole number", one, name, what);
        all.push_back(one.get<int>());
    }
    return all;
}

/// `place` has where each feature of the file is in a row.
Tree read_tree(const Json& json, const std::vector<std::size_t>& place, const std::string& what) {
    check_fields(json, {"feature", "threshold", "left", "right", "leaf"}, what);
    Tree tree;
    tree.leaf = numbers(json, "leaf", what, Trees::kMostLeaves);
    tree.feature = places(json, "feature", what);
    tree.threshold = numbers(json, "threshold", what, Trees::kMostLeaves - 1);
    tree.left = places(json, "left", what);
    tree.right = places(json, "right", what);
    for (int& feature : tree.feature) {
        if (feature < 0 || std::size_t(feature) >= place.size())
            refuse(what + " looks at feature " + std::to_string(feature) + ", and there are " +
                   std::to_string(place.size()) + ".");
        feature = int(place[std::size_t(feature)]);
    }
    return tree;
}

std::vector<std::string> read_features(const Json& document, const std::string& what) {
    std::vector<std::string> names;
    for (const Json& one : list_member(document, "features", what, Trees::kMostFeatures)) {
        names.push_back(word(one, "features", what));
        if (std::find(names.begin(), names.end() - 1, names.back()) != names.end() - 1)
            refuse(what + " has the feature '" + names.back() + "' twice.");
    }
    if (names.empty()) refuse(what + " has no features.");
    return names;
}

std::vector<std::size_t> places_in(const std::vector<std::string>& known, const std::vector<std::string>& names,
                                   const std::string& what) {
    std::vector<std::size_t> places;
    for (const std::string& name : names) {
        const auto found = std::find(known.begin(), known.end(), name);
        if (found == known.end())
            throw InvalidArgumentError(what + " needs the feature '" + name +
                                       "', which this runtime does not compute; it was made for another version.");
        places.push_back(std::size_t(found - known.begin()));
    }
    return places;
}

std::vector<Tree> read_trees(const Json& document, const std::vector<std::size_t>& place, const std::string& what) {
    std::vector<Tree> trees;
    for (const Json& one : list_member(document, "trees", what, Trees::kMostTrees))
        trees.push_back(read_tree(one, place, what + "'s tree " + std::to_string(trees.size())));
    return trees;
}

void check_gpu(const std::string& gpu, const std::string& what) {
    try {
        (void)gpu_facts(gpu);
    } catch (const Error&) {
        throw InvalidArgumentError(what + " is for the GPU '" + gpu + "', which this runtime does not know; it knows " +
                                   known_gpus() + ".");
    }
}

std::string called(const std::string& path) { return "The model " + path; }
std::string_view text_of(const std::vector<std::uint8_t>& content) {
    return {reinterpret_cast<const char*>(content.data()), content.size()};
}

Json document_of(std::string_view content, const std::string& what) {
    Json document = parse_json(content, what);
    // Before anything else: what another version has is its own affair.
    if (member(document, "schema_version", what) != kSchemaVersion)
        throw AbiMismatchError(what + " has another schema version than " + std::to_string(kSchemaVersion) +
                               ", which this runtime reads.");
    return document;
}

}  // namespace

std::shared_ptr<const Model> Model::read(const std::string& path, const std::vector<std::string>& known_features) {
    const auto content = read_file(path, called(path), kMostBytes);
    return parse(text_of(content), called(path), known_features);
}

std::string Model::family_of(const std::string& path) {
    const auto content = read_file(path, called(path), kMostBytes);
    return text_member(document_of(text_of(content), called(path)), "family", called(path));
}

std::shared_ptr<const Model> Model::parse(std::string_view content, const std::string& what,
                                          const std::vector<std::string>& known_features) {
    const Json document = document_of(content, what);
    check_fields(document,
                 {"schema_version", "family", "gpu", "serves", "features", "ranges", "constants", "trees", "manifest"},
                 what);

    const std::vector<std::string> features = read_features(document, what);
    const std::vector<std::size_t> place = places_in(known_features, features, what);
    const std::vector<Tree> trees = read_trees(document, place, what);
    std::shared_ptr<Model> model;
    try {
        model.reset(new Model(known_features.size(), trees));
    } catch (const Error& error) {
        throw_error(error.code(), what + " cannot be used: " + error.what());
    }
    model->features_ = features;
    model->family_ = word(document["family"], "family", what);
    model->gpu_ = word(document["gpu"], "gpu", what);
    check_gpu(model->gpu_, what);
    for (const auto& [field, value] : short_map_member(document, "serves", what).items())
        model->serves_[field] = word(value, "serves", what);
    for (const auto& [name, value] : short_map_member(document, "constants", what).items())
        model->constants_[name] = number(value, "constants", what);

    const Json& ranges = short_map_member(document, "ranges", what);
    for (std::size_t i = 0; i < features.size(); ++i) {
        const std::vector<double> range = numbers(ranges, features[i].c_str(), what + "'s 'ranges'", 2);
        if (range.size() != 2 || range[0] > range[1])
            refuse(what + " has a range of '" + features[i] + "' that is not the least number and the largest.");
        model->ranges_.push_back({place[i], range[0], range[1]});
    }
    if (ranges.size() != features.size()) refuse(what + " has ranges of features that it does not have.");

    model->manifest_ = shown(map_member(document, "manifest", what));
    return model;
}

void Model::corrections(const double* rows, std::size_t count, double* results) const {
    trees_.sums(rows, count, results);
    for (std::size_t i = 0; i < count; ++i) results[i] = std::exp(std::clamp(results[i], -kLargestSum, kLargestSum));
}

bool Model::seen(const double* row) const {
    // What is no number is within no range.
    const auto within = [&](const Range& range) {
        return row[range.feature] >= range.least && row[range.feature] <= range.most;
    };
    return std::all_of(ranges_.begin(), ranges_.end(), within);
}

}  // namespace ckdispatch

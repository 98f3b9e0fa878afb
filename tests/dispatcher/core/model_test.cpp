// SPDX-License-Identifier: MIT
// lightgbm_model.json is written by record_lightgbm.py through the Python package, so it is also what shows that both
// agree on the file.
#include "ckdispatch/core/model.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ckdispatch/core/json.hpp"
#include "tests/dispatcher/support/lightgbm.hpp"
#include "tests/dispatcher/support/refusal.hpp"
#include "tests/dispatcher/support/temporary.hpp"

namespace ckdispatch {
namespace {

using Names = std::vector<std::string>;

const Names kInOrder = {"width", "depth", "rounds", "share", "flag", "offset"};

/// One tree of two leaves on each of two features.
Json sample_document() {
    const auto stump = [](int feature, double low, double high) {
        return Json{
            {"feature", {feature}}, {"threshold", {0.5}}, {"left", {-1}}, {"right", {-2}}, {"leaf", {low, high}}};
    };
    return {
        {"schema_version", 1},
        {"family", "grouped_conv"},
        {"gpu", "gfx950"},
        {"serves", {{"variant", "forward"}, {"ndim_spatial", "2"}}},
        {"features", {"depth", "width"}},
        {"ranges", {{"width", {0, 4}}, {"depth", {-1.5, 1e6}}}},
        {"constants", {{"launch_microseconds", 4}, {"memory_share", 0.75}}},
        {"trees", {stump(0, 1.0, 2.0), stump(1, -0.5, 5.0)}},
        {"manifest", {{"provenance", "measured"}, {"tables", {{"times.csv", "ab"}}}}},
    };
}

class ModelFile : public testing::Test {
protected:
    std::shared_ptr<const Model> read(const Names& known = {"depth", "width"}) const {
        return Model::read(path, known);
    }
    std::shared_ptr<const Model> read(const Json& document, const Names& known = {"depth", "width"}) const {
        files.write("model.json", document.dump());
        return read(known);
    }

    test::TemporaryFolder files;
    const std::string path = files.at("model.json");
};

TEST_F(ModelFile, TellsWhatItIsFor) {
    const auto model = read(sample_document());
    EXPECT_EQ(model->family(), "grouped_conv");
    EXPECT_EQ(model->gpu(), "gfx950");
    EXPECT_EQ(model->serves(), (std::map<std::string, std::string>{{"ndim_spatial", "2"}, {"variant", "forward"}}));
    EXPECT_EQ(model->features(), (Names{"depth", "width"}));
    EXPECT_EQ(model->constants(), (std::map<std::string, double>{{"launch_microseconds", 4}, {"memory_share", 0.75}}));
    EXPECT_EQ(model->manifest(), R"({"provenance":"measured","tables":{"times.csv":"ab"}})");
}

TEST_F(ModelFile, CorrectsByTheExponentialOfTheSum) {
    const auto model = read(sample_document());
    const double row[] = {0.25, 0.25};
    EXPECT_DOUBLE_EQ(model->correction(row), std::exp(0.5));
}

TEST_F(ModelFile, CorrectsByNoMoreThanEight) {
    const auto model = read(sample_document());
    const double up[] = {1, 1};
    EXPECT_DOUBLE_EQ(model->correction(up), 8);
    Json document = sample_document();
    document["trees"][0]["leaf"] = {-1e300, -50};
    const auto other = read(document);
    for (const auto& row : {std::array<double, 2>{0, 0}, {1, 0}})
        EXPECT_DOUBLE_EQ(other->correction(row.data()), 0.125);
}

TEST_F(ModelFile, FindsItsFeaturesInRowsOfMore) {
    const auto model = read(sample_document(), {"unused", "width", "other", "depth"});
    const double row[] = {99, 0, 99, 1};
    EXPECT_DOUBLE_EQ(model->correction(row), std::exp(1.5));
}

TEST_F(ModelFile, KnowsWhatTrainingSaw) {
    const auto model = read(sample_document());
    const struct {
        double row[2];
        bool seen;
    } all[] = {
        {{0, 0}, true},    {{-1.5, 4}, true}, {{1e6, 2}, true},  {{-1.6, 2}, false}, {{0, 4.1}, false},
        {{1e7, 2}, false}, {{0, -1}, false},  {{NAN, 2}, false}, {{0, NAN}, false},  {{INFINITY, 0}, false},
    };
    for (const auto& one : all) EXPECT_EQ(model->seen(one.row), one.seen) << one.row[0] << ", " << one.row[1];
}

TEST(RecordedModel, CorrectsAsLightGbmPredicts) {
    const test::LightGbmCase expected = test::lightgbm_cases().front();
    const auto model = Model::read(test::recorded("lightgbm_model.json"), kInOrder);
    EXPECT_EQ(model->features(), kInOrder);
    const std::size_t count = expected.sums.size();
    std::vector<double> corrections(count);
    model->corrections(expected.rows.data(), count, corrections.data());
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(corrections[i], std::exp(expected.sums[i])) << i;
}

TEST(RecordedModel, IsTheSameForRowsInAnotherOrder) {
    const test::LightGbmCase expected = test::lightgbm_cases().front();
    const auto model = Model::read(test::recorded("lightgbm_model.json"), {kInOrder.rbegin(), kInOrder.rend()});
    for (std::size_t i = 0; i < expected.sums.size(); ++i) {
        const std::vector<double> row(expected.rows.begin() + std::ptrdiff_t(i * 6),
                                      expected.rows.begin() + std::ptrdiff_t(i * 6 + 6));
        EXPECT_EQ(model->correction(std::vector<double>(row.rbegin(), row.rend()).data()), std::exp(expected.sums[i]))
            << i;
    }
}

struct Tried {
    const char* what;
    std::function<void()> prepare;
    ErrorCode code;
    const char* sentence;  ///< with FILE for the path; of one that quotes much, or lists what there is, the beginning
};

TEST_F(ModelFile, ThatIsNoneIsRefusedWithASentence) {
    const auto text = [&](const std::string& content) {
        return [this, content] { files.write("model.json", content); };
    };
    const auto changed = [&](const std::function<void(Json&)>& body) {
        return [this, body] {
            Json document = sample_document();
            body(document);
            files.write("model.json", document.dump());
        };
    };
    const auto without = [&](const char* name) { return changed([name](Json& all) { all.erase(name); }); };
    const auto tree = [&](const std::function<void(Json&)>& body) {
        return changed([body](Json& all) { body(all["trees"][1]); });
    };
    const auto word = [&](const std::string& old, const std::string& other) {
        return [this, old, other] {
            std::string content = sample_document().dump();
            files.write("model.json", content.replace(content.find(old), old.size(), other));
        };
    };
    constexpr auto damaged = ErrorCode::damaged, misfit = ErrorCode::invalid_argument;
    const Tried all[] = {
        {"nothing", [] {}, ErrorCode::not_found, "The model FILE cannot be read: No such file or directory."},
        {"a folder", [&] { ::mkdir(path.c_str(), 0700); }, ErrorCode::io_failed,
         "The model FILE cannot be read: it is no regular file."},
        {"a pipe that nobody writes to", [&] { ::mkfifo(path.c_str(), 0600); }, ErrorCode::io_failed,
         "The model FILE cannot be read: it is no regular file."},
        {"zeros without end", [&] { std::filesystem::create_symlink("/dev/zero", path); }, ErrorCode::io_failed,
         "The model FILE cannot be read: it is no regular file."},
        {"8 MiB and a byte", [&] { std::filesystem::resize_file(files.write("model.json", ""), (8 << 20) + 1); },
         ErrorCode::io_failed,
         "The model FILE cannot be read: it has 8388609 bytes, and more than 8388608 are not looked at."},
        {"an empty file", text(""), damaged, "The model FILE is not valid JSON."},
        {"half of a file", text(sample_document().dump().substr(0, 300)), damaged, "The model FILE is not valid JSON."},
        {"zeros", text(std::string(1000, '\0')), damaged, "The model FILE is not valid JSON."},
        {"a text that is no UTF-8", word("forward", "f\xff"), damaged, "The model FILE is not valid JSON."},
        {"NaN", word("0.75", "NaN"), damaged, "The model FILE is not valid JSON."},
        {"Infinity", word("0.75", "-Infinity"), damaged, "The model FILE is not valid JSON."},
        {"a number beyond all", word("0.75", "1e999"), damaged, "The model FILE is not valid JSON."},
        {"lists in lists", text(std::string(100000, '[')), damaged,
         "The model FILE is nested more than 64 levels deep."},
        {"a manifest in a manifest", changed([](Json& all) {
             for (int i = 0; i < 100; ++i) all["manifest"] = Json{{"in", all["manifest"]}};
         }),
         damaged, "The model FILE is nested more than 64 levels deep."},
        {"a number", text("1"), damaged, "The model FILE has no 'schema_version'."},
        {"a list", text("[]"), damaged, "The model FILE has no 'schema_version'."},
        {"nothing inside", text("{}"), damaged, "The model FILE has no 'schema_version'."},
        {"the next version", text(R"({"schema_version": 2})"), ErrorCode::abi_mismatch,
         "The model FILE has another schema version than 1, which this runtime reads."},
        {"a version that is a text", changed([](Json& all) { all["schema_version"] = "1"; }), ErrorCode::abi_mismatch,
         "The model FILE has another schema version than 1, which this runtime reads."},
        {"no family", without("family"), damaged, "The model FILE has no 'family'."},
        {"no GPU", without("gpu"), damaged, "The model FILE has no 'gpu'."},
        {"nothing it serves", without("serves"), damaged, "The model FILE has no 'serves'."},
        {"no features", without("features"), damaged, "The model FILE has no 'features'."},
        {"no ranges", without("ranges"), damaged, "The model FILE has no 'ranges'."},
        {"no constants", without("constants"), damaged, "The model FILE has no 'constants'."},
        {"no trees", without("trees"), damaged, "The model FILE has no 'trees'."},
        {"no manifest", without("manifest"), damaged, "The model FILE has no 'manifest'."},
        {"a field more", changed([](Json& all) { all["scale"] = 2; }), damaged,
         "The model FILE has a field 'scale', which no model has."},
        {"a family that is a number", changed([](Json& all) { all["family"] = 1; }), damaged,
         "The model FILE has 1 in 'family', where a word of at most 256 letters is expected."},
        {"a family without a name", changed([](Json& all) { all["family"] = ""; }), damaged,
         "The model FILE has \"\" in 'family', where a word of at most 256 letters is expected."},
        {"a family of 1 MB", changed([](Json& all) { all["family"] = std::string(1000000, 'x'); }), damaged,
         "The model FILE has \"xxxxx"},
        {"a GPU that nobody made", changed([](Json& all) { all["gpu"] = "gfx000"; }), misfit,
         "The model FILE is for the GPU 'gfx000', which this runtime does not know; it knows gfx"},
        {"a list that it serves", changed([](Json& all) { all["serves"] = {"variant"}; }), damaged,
         "The model FILE has [\"variant\"] in 'serves', where an object is expected."},
        {"a number that it serves", changed([](Json& all) { all["serves"]["ndim_spatial"] = 2; }), damaged,
         "The model FILE has 2 in 'serves', where a word of at most 256 letters is expected."},
        {"features that are a text", changed([](Json& all) { all["features"] = "depth"; }), damaged,
         "The model FILE has \"depth\" in 'features', where a list is expected."},
        {"a feature that is a number", changed([](Json& all) { all["features"][0] = 3; }), damaged,
         "The model FILE has 3 in 'features', where a word of at most 256 letters is expected."},
        {"no feature at all", changed([](Json& all) { all["features"] = Json::array(); }), damaged,
         "The model FILE has no features."},
        {"300 features", changed([](Json& all) { all["features"] = Names(300, "depth"); }), damaged,
         "The model FILE has 300 entries in 'features'; there are at most 256."},
        {"a feature twice", changed([](Json& all) { all["features"][1] = "depth"; }), damaged,
         "The model FILE has the feature 'depth' twice."},
        {"a feature of another version", changed([](Json& all) { all["features"][1] = "colour"; }), misfit,
         "The model FILE needs the feature 'colour', which this runtime does not compute; it was made for another "
         "version."},
        {"ranges that are a list", changed([](Json& all) { all["ranges"] = {{0, 4}, {0, 1}}; }), damaged,
         "The model FILE has [[0,4],[0,1]] in 'ranges', where an object is expected."},
        {"no range of a feature", changed([](Json& all) { all["ranges"].erase("width"); }), damaged,
         "The model FILE's 'ranges' has no 'width'."},
        {"a range of another feature", changed([](Json& all) { all["ranges"]["colour"] = {0, 1}; }), damaged,
         "The model FILE has ranges of features that it does not have."},
        {"half of a range", changed([](Json& all) { all["ranges"]["width"] = Json::array({0}); }), damaged,
         "The model FILE has a range of 'width' that is not the least number and the largest."},
        {"a range upside down", changed([](Json& all) { all["ranges"]["width"] = {4, 0}; }), damaged,
         "The model FILE has a range of 'width' that is not the least number and the largest."},
        {"a range of texts", changed([](Json& all) { all["ranges"]["width"] = {"0", "4"}; }), damaged,
         "The model FILE's 'ranges' has \"0\" in 'width', where a number is expected."},
        {"a constant that is a text", changed([](Json& all) { all["constants"]["memory_share"] = "0.75"; }), damaged,
         "The model FILE has \"0.75\" in 'constants', where a number is expected."},
        {"a constant that is nothing", changed([](Json& all) { all["constants"]["memory_share"] = nullptr; }), damaged,
         "The model FILE has null in 'constants', where a number is expected."},
        {"constants without end", changed([](Json& all) {
             for (int i = 0; i < 1000; ++i) all["constants"][std::to_string(i)] = i;
         }),
         damaged, "The model FILE has 1002 entries in 'constants'; there are at most 256."},
        {"trees that are an object", changed([](Json& all) { all["trees"] = all["trees"][0]; }), damaged,
         "The model FILE has {\"feature\":[0],\"leaf\":[1.0,2.0],"},
        {"no tree at all", changed([](Json& all) { all["trees"] = Json::array(); }), damaged,
         "The model FILE cannot be used: it has 0 trees; there are 1 to 200."},
        {"201 trees", changed([](Json& all) { all["trees"] = std::vector<Json>(201, all["trees"][0]); }), damaged,
         "The model FILE has 201 entries in 'trees'; there are at most 200."},
        {"a tree that is a number", changed([](Json& all) { all["trees"][1] = 5; }), damaged,
         "The model FILE's tree 1 has no 'feature'."},
        {"a tree without thresholds", tree([](Json& one) { one.erase("threshold"); }), damaged,
         "The model FILE's tree 1 has no 'threshold'."},
        {"a tree with more", tree([](Json& one) { one["gain"] = {1}; }), damaged,
         "The model FILE's tree 1 has a field 'gain', which no model has."},
        {"leaves that are a number", tree([](Json& one) { one["leaf"] = 1; }), damaged,
         "The model FILE's tree 1 has 1 in 'leaf', where a list is expected."},
        {"a leaf that is a text", tree([](Json& one) { one["leaf"][0] = "1"; }), damaged,
         "The model FILE's tree 1 has \"1\" in 'leaf', where a number is expected."},
        {"a leaf that is true", tree([](Json& one) { one["leaf"][0] = true; }), damaged,
         "The model FILE's tree 1 has true in 'leaf', where a number is expected."},
        {"a leaf that no sum can have", tree([](Json& one) { one["leaf"][0] = 1e305; }), damaged,
         "The model FILE cannot be used: tree 1 has a leaf whose value is no number, or too large for a sum."},
        {"a threshold that is a list", tree([](Json& one) { one["threshold"][0] = Json::array(); }), damaged,
         "The model FILE's tree 1 has [] in 'threshold', where a number is expected."},
        {"32 leaves", tree([](Json& one) { one["leaf"] = std::vector<double>(32, 1); }), damaged,
         "The model FILE's tree 1 has 32 entries in 'leaf'; there are at most 31."},
        {"31 nodes", tree([](Json& one) { one["feature"] = std::vector<int>(31, 0); }), damaged,
         "The model FILE's tree 1 has 31 entries in 'feature'; there are at most 30."},
        {"a leaf too few", tree([](Json& one) { one["leaf"] = Json::array({1}); }), damaged,
         "The model FILE cannot be used: tree 1 has 1 features, 1 thresholds, 1 ways to the left, 1 to the right and 1 "
         "leaves; "
         "there is one of each for a node, and one leaf more."},
        {"a feature that is a share", tree([](Json& one) { one["feature"][0] = 0.5; }), damaged,
         "The model FILE's tree 1 has 0.5 in 'feature', where a whole number is expected."},
        {"a feature beyond all", tree([](Json& one) { one["feature"][0] = 2; }), damaged,
         "The model FILE's tree 1 looks at feature 2, and there are 2."},
        {"a feature below zero", tree([](Json& one) { one["feature"][0] = -1; }), damaged,
         "The model FILE's tree 1 looks at feature -1, and there are 2."},
        {"a feature of 64 bits", tree([](Json& one) { one["feature"][0] = std::uint64_t(1) << 63; }), damaged,
         "The model FILE's tree 1 has 9223372036854775808 in 'feature', where a whole number is expected."},
        {"a circle", tree([](Json& one) { one["left"][0] = 0; }), damaged,
         "The model FILE cannot be used: tree 1 leads from node 0 to node 0; only a later one can follow."},
        {"a node that is not there", tree([](Json& one) { one["right"][0] = 7; }), damaged,
         "The model FILE cannot be used: tree 1 leads from node 0 to node 7, and has 1."},
        {"a leaf that is not there", tree([](Json& one) { one["right"][0] = -3; }), damaged,
         "The model FILE cannot be used: tree 1 leads from node 0 to leaf 2, and has 2."},
        {"a leaf twice", tree([](Json& one) { one["right"][0] = -1; }), damaged,
         "The model FILE cannot be used: tree 1 leads from node 0 to leaf 0, to which another way leads already."},
        {"a manifest that is a text", changed([](Json& all) { all["manifest"] = "measured"; }), damaged,
         "The model FILE has \"measured\" in 'manifest', where an object is expected."},
    };
    for (const Tried& one : all) {
        std::filesystem::remove_all(path);
        one.prepare();
        try {
            (void)read();
            ADD_FAILURE() << one.what << " was taken.";
        } catch (const Error& error) {
            std::string said = error.what();
            for (std::size_t at = 0; (at = said.find(path, at)) != said.npos;) said.replace(at, path.size(), "FILE");
            EXPECT_EQ(error.code(), one.code) << one.what << ": " << said;
            EXPECT_EQ(said.substr(0, std::strlen(one.sentence)), one.sentence) << one.what;
            EXPECT_LT(said.size(), 5000u) << one.what;
        }
    }
}

}  // namespace
}  // namespace ckdispatch

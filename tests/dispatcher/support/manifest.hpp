// SPDX-License-Identifier: MIT
// A manifest that a test may change. For tests that have the runtime's private headers.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "ckdispatch/core/json.hpp"
#include "tests/dispatcher/support/built.hpp"

namespace ckdispatch::test {

constexpr const char* kEssential = "gemm_fp16_rcr_essential";

inline Json read_json(const std::string& path) {
    const auto content = read_bytes(path);
    return Json::parse(content.begin(), content.end());
}

/// A folder with one kernel of the set and its manifest, to be changed.
class ManifestTest : public testing::Test {
protected:
    void SetUp() override {
        const std::string folder = std::filesystem::path(built_manifest(kEssential)).parent_path();
        document = read_json(built_manifest(kEssential));
        document["kernels"] = Json::array({document["kernels"][0]});
        library = entry()["path"];
        files.write(library, read_bytes(folder + "/" + library));
    }

    Json& entry() { return document["kernels"][0]; }
    std::string name() { return entry()["name"]; }

    std::string written() { return files.write("set.manifest.json", document.dump()); }

    /// What the sentences about it begin with.
    std::string it() const { return "The manifest " + files.at("set.manifest.json"); }

    TemporaryFolder files;
    Json document;
    std::string library;
};

}  // namespace ckdispatch::test

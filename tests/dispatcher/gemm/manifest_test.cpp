// SPDX-License-Identifier: MIT
// Manifests that are read without opening a library, and those that are refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "ckdispatch/gemm/family.hpp"
#include "tests/dispatcher/support/manifest.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

class Manifest : public test::ManifestTest {
protected:
    void expect_refused(ErrorCode code, const std::string& rest) {
        GemmRegistry registry("mine");
        EXPECT_REFUSED(code, it() + rest, registry.load_manifest(written()));
        EXPECT_EQ(registry.size(), 0u);
    }
};

TEST(BuiltManifest, IsLoadedWithoutOpeningALibrary) {
    GemmRegistry registry("mine");
    const Json document = test::read_json(test::built_manifest(test::kEssential));
    EXPECT_EQ(registry.load_manifest(test::built_manifest(test::kEssential)), document["kernels"].size());
    EXPECT_EQ(registry.size(), document["kernels"].size());
    EXPECT_EQ(registry.statistics().opened, 0u);
    for (const Json& entry : document["kernels"]) {
        const auto kernel = registry.find_name(entry["name"]);
        ASSERT_NE(kernel, nullptr) << entry["name"];
        EXPECT_EQ(kernel->file().sha256, entry["library_sha256"]);
        EXPECT_EQ(kernel->resources_on("gfx942")->lds_bytes, entry["summary"]["gfx942"]["lds_bytes"]);
        EXPECT_EQ(kernel->resources_on("gfx942")->wave_size, 64);
    }
}

TEST(BuiltManifest, AgreesWithEveryLibraryThatItNames) {
    GemmRegistry registry("mine");
    registry.load_manifest(test::built_manifest(test::kEssential));
    for (const auto& kernel : registry.kernels()) {
        EXPECT_EQ(kernel->library().name(), kernel->name());
        EXPECT_TRUE(kernel->opened());
        ASSERT_EQ(kernel->library().resources().size(), 1u);
        const Resources &said = *kernel->resources_on("gfx942"), &held = kernel->library().resources().front();
        EXPECT_EQ(said.vgprs, held.vgprs);
        EXPECT_EQ(said.sgprs, held.sgprs);
        EXPECT_EQ(said.workgroup_size, held.workgroup_size);
    }
    EXPECT_EQ(registry.statistics().opened, registry.size());
}

TEST(BuiltManifest, GivesItsKernelsThePriority) {
    GemmRegistry registry("mine");
    registry.load_manifest(test::built_manifest(test::kEssential), Duplicates::refuse, 12);
    for (const auto& kernel : registry.kernels()) EXPECT_EQ(kernel->priority(), 12);
}

TEST(BuiltManifest, IsRefusedTheSecondTimeAndKeptOrReplacedWhenToldSo) {
    GemmRegistry registry("mine");
    const std::size_t count = registry.load_manifest(test::built_manifest(test::kEssential));
    EXPECT_REFUSED_SAYING(ErrorCode::duplicate, "The registry mine already has the kernel ",
                          registry.load_manifest(test::built_manifest(test::kEssential)));
    EXPECT_EQ(registry.load_manifest(test::built_manifest(test::kEssential), Duplicates::keep), 0u);
    EXPECT_EQ(registry.load_manifest(test::built_manifest(test::kEssential), Duplicates::replace), count);
    EXPECT_EQ(registry.size(), count);
}

TEST_F(Manifest, InAnotherFolderFindsItsLibraryThere) {
    GemmRegistry registry("mine");
    registry.load_manifest(written());
    EXPECT_EQ(registry.kernels()[0]->library().path(), files.at(library));
}

TEST_F(Manifest, OfTheWorkingFolderFindsItsLibraryThere) {
    written();
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(files.path());
    GemmRegistry registry("mine");
    registry.load_manifest("set.manifest.json");
    EXPECT_EQ(registry.kernels()[0]->library().name(), name());
    std::filesystem::current_path(before);
}

TEST_F(Manifest, MayNameALibraryInAFolderBelow) {
    std::filesystem::create_directory(files.at("below"));
    std::filesystem::rename(files.at(library), files.at("below/..lib..so"));
    entry()["path"] = "below/..lib..so";
    GemmRegistry registry("mine");
    registry.load_manifest(written());
    EXPECT_EQ(registry.kernels()[0]->library().path(), files.at("below/..lib..so"));
}

TEST_F(Manifest, ThatIsMissingIsRefused) {
    GemmRegistry registry("mine");
    EXPECT_REFUSED(ErrorCode::not_found, it() + " cannot be read: No such file or directory.",
                   registry.load_manifest(files.at("set.manifest.json")));
}

TEST_F(Manifest, ThatIsAFolderIsRefused) {
    GemmRegistry registry("mine");
    EXPECT_REFUSED(ErrorCode::io_failed, "The manifest " + files.path() + " cannot be read: it is no regular file.",
                   registry.load_manifest(files.path()));
}

TEST_F(Manifest, ThatIsNoJsonIsRefused) {
    GemmRegistry registry("mine");
    for (const std::string& text :
         {std::string(), std::string("nonsense"), document.dump().substr(0, 100), std::string("\0", 1)})
        EXPECT_REFUSED(ErrorCode::damaged, it() + " is not valid JSON.",
                       registry.load_manifest(files.write("set.manifest.json", text)));
}

TEST_F(Manifest, CutAnywhereIsRefused) {
    GemmRegistry registry("mine");
    const std::string whole = document.dump();
    for (std::size_t size = 0; size < whole.size(); size += 7)
        EXPECT_REFUSED(ErrorCode::damaged, it() + " is not valid JSON.",
                       registry.load_manifest(files.write("set.manifest.json", whole.substr(0, size))));
    EXPECT_EQ(registry.size(), 0u);
}

TEST_F(Manifest, ThatIsNoManifestIsRefused) {
    for (const Json& other : {Json::array(), Json("text"), Json(nullptr), Json::object()}) {
        document = other;
        expect_refused(ErrorCode::damaged, " has no 'schema_version'.");
    }
    document = {{"schema_version", 1}};
    expect_refused(ErrorCode::damaged, " has no 'kernels'.");
    document["kernels"] = {{"a", 1}};
    expect_refused(ErrorCode::damaged, " has 'kernels' that are no list.");
    document["kernels"] = {1, 2};
    expect_refused(ErrorCode::damaged, " has no 'spec'.");
}

TEST_F(Manifest, ThatNamesNoKernelIsRefused) {
    document["kernels"] = Json::array();
    expect_refused(ErrorCode::damaged, " names no kernel.");
}

TEST_F(Manifest, OfAnotherSchemaIsRefused) {
    document["schema_version"] = 2;
    expect_refused(ErrorCode::abi_mismatch, " has another schema version than 1, which this runtime reads.");
    document.erase("schema_version");
    expect_refused(ErrorCode::damaged, " has no 'schema_version'.");
}

TEST_F(Manifest, WithoutAMemberOfAKernelIsRefused) {
    for (const char* member : {"name", "spec", "path", "library_sha256", "summary"}) {
        const Json whole = document;
        entry().erase(member);
        expect_refused(ErrorCode::damaged, " has no '" + std::string(member) + "'.");
        document = whole;
    }
}

TEST_F(Manifest, WithoutAHashIsRefused) {
    for (const char* hash : {"", "abc", "DD3BCC13D6B9C4C0E950D54DDAE61CBEA8342F49EBB8E8D718DB1758B810D97F"}) {
        entry()["library_sha256"] = hash;
        expect_refused(ErrorCode::damaged, " has a 'library_sha256' that is no SHA-256.");
    }
}

TEST_F(Manifest, ThatLeadsOutOfItsFolderIsRefused) {
    for (const char* path :
         {"/etc/passwd", "../lib.so", "below/../../lib.so", "..", "a/..", "a/../b.so", "./../lib.so", "", "//lib.so"}) {
        entry()["path"] = path;
        expect_refused(ErrorCode::damaged,
                       " names the library " + std::string(path) + ", which is outside its folder.");
    }
}

TEST_F(Manifest, WithAZeroInAPathIsRefused) {
    entry()["path"] = std::string("lib.so\0/../x", 12);
    GemmRegistry registry("mine");
    EXPECT_REFUSED_SAYING(ErrorCode::damaged, it() + " names the library lib.so", registry.load_manifest(written()));
}

TEST_F(Manifest, WithASpecOfAnotherNameIsRefused) {
    entry()["spec"]["name"] = "another";
    expect_refused(ErrorCode::damaged, " names " + name() + " and holds the spec of another.");
}

TEST_F(Manifest, WithASpecThatIsNoneIsRefused) {
    entry()["spec"] = "rcr";
    expect_refused(ErrorCode::damaged, " has no 'name'.");
}

TEST_F(Manifest, WithASpecThatLacksAFieldIsRefused) {
    entry()["spec"].erase("pipeline");
    expect_refused(ErrorCode::damaged, " has no 'pipeline'.");
}

TEST_F(Manifest, WithASpecOfANewerGeneratorIsRefused) {
    entry()["spec"]["stages"] = 3;
    expect_refused(ErrorCode::abi_mismatch,
                   " has fields that this runtime does not know; it comes from another version of the generator.");
}

TEST_F(Manifest, ThatSaysOfNoGpuWhatAKernelUsesIsRefused) {
    entry()["summary"] = Json::object();
    expect_refused(ErrorCode::damaged, " says of no GPU what the kernel uses.");
}

TEST_F(Manifest, OfAGpuThatNobodyKnowsIsRefused) {
    entry()["summary"]["gfx000"] = entry()["summary"]["gfx942"];
    expect_refused(ErrorCode::damaged, " names the GPU gfx000, which this runtime does not know.");
}

TEST_F(Manifest, WithAFigureThatIsNoCountIsRefused) {
    entry()["summary"]["gfx942"]["lds_bytes"] = "many";
    expect_refused(ErrorCode::damaged, " has a 'lds_bytes' that is no count.");
}

TEST_F(Manifest, WithOneBadKernelAddsNone) {
    GemmRegistry registry("mine");
    Json bad = entry();
    bad.erase("path");
    document["kernels"].push_back(bad);
    EXPECT_REFUSED(ErrorCode::damaged, it() + " has no 'path'.", registry.load_manifest(written()));
    EXPECT_EQ(registry.size(), 0u);
}

}  // namespace
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// Manifests that say something else than the libraries that they name.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "ckdispatch/gemm/family.hpp"
#include "tests/dispatcher/support/manifest.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

class LyingManifest : public test::ManifestTest {
protected:
    /// The sentence with which the kernel's library is refused when it is first needed.
    void expect_library_refused(ErrorCode code, const std::string& sentence) {
        GemmRegistry registry("mine");
        ASSERT_EQ(registry.load_manifest(written()), 1u);
        const auto kernel = registry.kernels()[0];
        EXPECT_REFUSED(code, sentence, kernel->library());
        // The second time too.
        EXPECT_REFUSED(code, sentence, kernel->library());
        EXPECT_FALSE(kernel->opened());
    }
};

TEST_F(LyingManifest, WhoseLibraryIsMissingIsRefusedWhenItIsNeeded) {
    std::filesystem::remove(files.at(library));
    expect_library_refused(ErrorCode::not_found,
                           "The library " + files.at(library) + " cannot be read: No such file or directory.");
}

TEST_F(LyingManifest, WithAnotherHashIsRefusedBeforeTheLibraryIsLoaded) {
    const std::string built = entry()["library_sha256"];
    entry()["library_sha256"] = std::string(64, '0');
    expect_library_refused(ErrorCode::damaged, "The library " + files.at(library) +
                                                   " is not the one that was built: its SHA-256 is " + built +
                                                   ", not " + std::string(64, '0') + "; build it again.");
}

TEST_F(LyingManifest, WithAnotherSpecThanTheLibrarysIsRefused) {
    entry()["spec"]["tile"] = {16, 16, 16};
    expect_library_refused(ErrorCode::damaged, "The library " + files.at(library) + " was registered as " + name() +
                                                   " and describes itself as another kernel, " + name() + ".");
}

TEST_F(LyingManifest, WithAnotherNameThanTheLibrarysIsRefused) {
    const std::string own = name();
    entry()["name"] = entry()["spec"]["name"] = "gemm_other";
    expect_library_refused(ErrorCode::damaged,
                           "The library " + files.at(library) +
                               " was registered as gemm_other and describes itself as another kernel, " + own + ".");
}

TEST_F(LyingManifest, WithAnotherGpuThanTheLibrarysIsRefused) {
    entry()["summary"] = {{"gfx950", entry()["summary"]["gfx942"]}};
    const std::string lds = std::to_string(entry()["summary"]["gfx950"]["lds_bytes"].get<int>());
    expect_library_refused(ErrorCode::damaged, "The library " + files.at(library) +
                                                   " was registered with code for gfx950 that uses " + lds +
                                                   " bytes of LDS, and holds none.");
}

TEST_F(LyingManifest, WithOtherLdsThanTheLibrarysIsRefused) {
    entry()["summary"]["gfx942"]["lds_bytes"] = 64;
    expect_library_refused(ErrorCode::damaged,
                           "The library " + files.at(library) +
                               " was registered with code for gfx942 that uses 64 bytes of LDS, and holds none.");
}

TEST_F(LyingManifest, ThatLiesIsAReasonNotToSelectItsKernel) {
    entry()["library_sha256"] = std::string(64, '0');
    const auto registry = std::make_shared<GemmRegistry>("mine");
    registry->load_manifest(written());
    const GemmSelector selector(registry, "gfx942");
    const auto ranking = selector.rank(GemmProblemBuilder().sizes(256, 256, 256).dtype("fp16").build());
    EXPECT_TRUE(ranking.fit.empty());
    ASSERT_EQ(ranking.refused.size(), 1u);
    EXPECT_EQ(ranking.refused[0].code, ErrorCode::damaged);
    EXPECT_NE(ranking.refused[0].reason.find("is not the one that was built"), std::string::npos);
}

}  // namespace
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// Kernel libraries: real ones, files that are none, and copies of a real one that lie.
#include "ckdispatch/core/library.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ckdispatch/core/json.hpp"
#include "ckdispatch/core/sha256.hpp"
#include "ckdispatch/gemm/registry.hpp"
#include "tests/dispatcher/support/built.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::built_library;
using test::Bytes;
using test::TemporaryFolder;

constexpr const char* kKernel = "compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_32x32x16";

std::string digest(const Bytes& content) { return sha256(content.data(), content.size()); }

class Library : public testing::Test {
protected:
    /// The real library with each text exchanged for another of the same length, opened from a file of its own.
    std::shared_ptr<const KernelLibrary> opened_with(std::string_view text, std::string_view other) {
        return KernelLibrary::open({written_with(text, other), ""});
    }

    std::string written_with(std::string_view text, std::string_view other) {
        Bytes content = real;
        test::exchange(content, text, other);
        return written(content);
    }
    // A file of its own each time: a library that is loaded may not change.
    std::string written(const Bytes& content) {
        return path = files.write("lib" + std::to_string(++count) + ".so", content);
    }

    TemporaryFolder files;
    const Bytes real = test::read_bytes(built_library(kKernel));
    std::string path;

private:
    int count = 0;
};

TEST_F(Library, ThatIsRealTellsWhatItIs) {
    const auto library = KernelLibrary::open({built_library(kKernel), ""});
    EXPECT_EQ(library->family(), "gemm");
    EXPECT_EQ(library->name(), std::string("gemm_fp16_rcr_") + kKernel);
    EXPECT_EQ(library->path(), built_library(kKernel));
    EXPECT_EQ(library->sha256(), digest(real));
    EXPECT_EQ(parse_json(library->spec(), "It")["tile"], Json({64, 64, 64}));
    EXPECT_EQ(library->api().abi_version, CK_KERNEL_ABI_VERSION);
}

TEST_F(Library, ThatIsRealHasTheResourcesOfItsCodeObject) {
    const auto library = KernelLibrary::open({built_library(kKernel), ""});
    ASSERT_EQ(library->resources().size(), 1u);
    const Resources& used = library->resources().front();
    const Json said = parse_json(library->api().describe(), "It")["resources"]["gfx942"];
    EXPECT_EQ(used.gpu.text(), "gfx942");
    EXPECT_EQ(used.wave_size, 64);
    EXPECT_EQ(used.workgroup_size, 256);
    EXPECT_EQ(used.vgprs, said["vgprs"]);
    EXPECT_EQ(used.agprs, said["agprs"]);
    EXPECT_EQ(used.sgprs, said["sgprs"]);
    EXPECT_EQ(used.lds_bytes, said["lds_bytes"]);
    EXPECT_EQ(used.vgpr_spills, 0);
}

TEST_F(Library, OfAGpuWithNarrowWavesSaysSo) {
    const auto library = KernelLibrary::open({built_library("64x128x32_2x4x1_16x16x16"), ""});
    ASSERT_EQ(library->resources().size(), 1u);
    EXPECT_EQ(library->resources().front().gpu.text(), "gfx1100");
    EXPECT_EQ(library->resources().front().wave_size, 32);
    EXPECT_EQ(library->resources().front().workgroup_size, 256);
}

TEST_F(Library, OfTheRightHashIsOpened) {
    EXPECT_EQ(KernelLibrary::open({written(real), digest(real)})->sha256(), digest(real));
}

TEST_F(Library, OfAnotherHashIsRefused) {
    EXPECT_REFUSED(ErrorCode::damaged,
                   "The library " + written(real) + " is not the one that was built: its SHA-256 is " + digest(real) +
                       ", not " + std::string(64, 'a') + "; build it again.",
                   KernelLibrary::open({path, std::string(64, 'a')}));
}

TEST_F(Library, ThatIsMissingIsRefused) {
    EXPECT_REFUSED(ErrorCode::not_found, "The library /nowhere/lib.so cannot be read: No such file or directory.",
                   KernelLibrary::open({"/nowhere/lib.so", ""}));
}

TEST_F(Library, ThatIsAFolderIsRefused) {
    EXPECT_REFUSED(ErrorCode::io_failed, "The library " + files.path() + " cannot be read: it is no regular file.",
                   KernelLibrary::open({files.path(), ""}));
}

TEST_F(Library, ThatIsNoneIsRefused) {
    for (const char* text : {"", "#!/bin/sh\necho hello\n", "\x7f",
                             "\x7f"
                             "EL"})
        EXPECT_REFUSED(ErrorCode::damaged, files.write("lib.so", text) + " is no kernel library: it is no ELF file.",
                       KernelLibrary::open({files.at("lib.so"), ""}));
}

TEST_F(Library, OfOtherWordsIsRefused) {
    Bytes content = real;
    content[4] = 1;  // a file of 32 bits
    EXPECT_REFUSED(ErrorCode::damaged,
                   written(content) + " is no kernel library: it is no 64-bit little-endian ELF file.",
                   KernelLibrary::open({path, ""}));
}

TEST_F(Library, WithoutCodeForAGpuIsRefused) {
    EXPECT_REFUSED(ErrorCode::damaged, built_library("ordinary") + " is no kernel library: it holds no code for a GPU.",
                   KernelLibrary::open({built_library("ordinary"), ""}));
    EXPECT_REFUSED(ErrorCode::damaged,
                   written_with(".hip_fatbin", ".hip_fatbox") + " is no kernel library: it holds no code for a GPU.",
                   KernelLibrary::open({path, ""}));
    EXPECT_REFUSED(ErrorCode::damaged,
                   written_with("__CLANG_OFFLOAD_BUNDLE__", "__CLANG_OFFLOAD_BUNDLES_") +
                       " is no kernel library: it holds no code for a GPU.",
                   KernelLibrary::open({path, ""}));
}

TEST_F(Library, WithCodeForOtherProcessorsIsRefused) {
    // The machine of the code object: EM_AMDGPU, 224, becomes another.
    Bytes content = real;
    test::exchange(content, std::string_view("\x03\x00\xe0\x00", 4), std::string_view("\x03\x00\xb7\x00", 4));
    EXPECT_REFUSED(ErrorCode::damaged,
                   written(content) + " is no kernel library: it has device code that is for no AMD GPU.",
                   KernelLibrary::open({path, ""}));
}

TEST_F(Library, WithoutMetadataIsRefused) {
    EXPECT_REFUSED(ErrorCode::damaged,
                   written_with("amdhsa.kernels", "amdhsa.kernelz") +
                       " is no kernel library: it has a code object whose metadata names no kernel.",
                   KernelLibrary::open({path, ""}));
    EXPECT_REFUSED(ErrorCode::damaged,
                   written_with(".max_flat_workgroup_size", ".max_flat_workgroup_sizf") +
                       " is no kernel library: it has a code object whose metadata does not say how large its waves "
                       "and workgroups are.",
                   KernelLibrary::open({path, ""}));
}

TEST_F(Library, WithoutTheFunctionOfTheAbiIsRefused) {
    EXPECT_REFUSED(ErrorCode::damaged,
                   "The library " + written_with("ck_kernel_get_api", "ck_kernel_got_api") +
                       " is no kernel library: it exports no ck_kernel_get_api.",
                   KernelLibrary::open({path, ""}));
}

TEST_F(Library, ThatTheLoaderCannotLoadIsRefusedWithItsReason) {
    EXPECT_REFUSED_SAYING(ErrorCode::damaged,
                          "The library " + written_with("libc.so.6", "libc.so.x") +
                              " cannot be loaded: libc.so.x: cannot open shared object file",
                          KernelLibrary::open({path, ""}));
}

// The first words of its ck_kernel_api: the version, and the size of the structure.
std::string_view api_words(const char (&words)[9]) { return {words, 8}; }

TEST_F(Library, OfAnotherAbiVersionIsRefused) {
    const auto versions = {std::pair{api_words("\x00\x00\x00\x00\x30\x00\x00\x00"), "0"},
                           std::pair{api_words("\x01\x00\x00\x00\x30\x00\x00\x00"), "1"}};
    for (const auto& version : versions)
        EXPECT_REFUSED(ErrorCode::abi_mismatch,
                       "The library " + written_with(api_words("\x02\x00\x00\x00\x30\x00\x00\x00"), version.first) +
                           " has the kernel ABI version " + version.second +
                           ", and this runtime needs 2; build it again with this version.",
                       KernelLibrary::open({path, ""}));
}

TEST_F(Library, OfASmallerStructureIsRefused) {
    EXPECT_REFUSED_SAYING(
        ErrorCode::abi_mismatch, " and this runtime needs 2; build it again with this version.",
        opened_with(api_words("\x02\x00\x00\x00\x30\x00\x00\x00"), api_words("\x02\x00\x00\x00\x20\x00\x00\x00")));
}

TEST_F(Library, FromBeforePhasesIsOpened) {
    EXPECT_NO_THROW(
        opened_with(api_words("\x02\x00\x00\x00\x30\x00\x00\x00"), api_words("\x02\x00\x00\x00\x28\x00\x00\x00")));
}

TEST_F(Library, WhoseDescriptionIsNoJsonIsRefused) {
    EXPECT_REFUSED(
        ErrorCode::damaged,
        "The description of " + written_with("{\"abi_version\":", "[\"abi_version\":") + " is not valid JSON.",
        KernelLibrary::open({path, ""}));
}

TEST_F(Library, WhoseDescriptionLacksSomethingIsRefused) {
    for (const char* member : {"spec", "targets", "resources"}) {
        const std::string text = "\"" + std::string(member) + "\":";
        std::string other = text;
        other[1] = 'x';
        EXPECT_REFUSED(ErrorCode::damaged,
                       "The description of " + written_with(text, other) + " has no '" + member + "'.",
                       KernelLibrary::open({path, ""}));
    }
}

TEST_F(Library, ThatDescribesCodeForAGpuThatItLacksIsRefused) {
    EXPECT_REFUSED(ErrorCode::damaged,
                   "The library " + written_with("\"targets\":\"gfx942:64\"", "\"targets\":\"gfx950:64\"") +
                       " contradicts itself: it describes code for gfx950:64, and holds none (or for waves of another "
                       "size); build it again.",
                   KernelLibrary::open({path, ""}));
}

TEST_F(Library, ThatDescribesWavesOfAnotherSizeIsRefused) {
    EXPECT_REFUSED(ErrorCode::damaged,
                   "The library " + written_with("\"targets\":\"gfx942:64\"", "\"targets\":\"gfx942:32\"") +
                       " contradicts itself: it describes code for gfx942:32, and holds none (or for waves of another "
                       "size); build it again.",
                   KernelLibrary::open({path, ""}));
}

TEST_F(Library, ThatDescribesLessThanItHoldsIsRefused) {
    EXPECT_REFUSED(ErrorCode::damaged,
                   "The library " + written_with("\"targets\":\"gfx942:64\"", "\"targets\":\"\"         ") +
                       " contradicts itself: it holds code for 1 GPUs and describes 0; build it again.",
                   KernelLibrary::open({path, ""}));
}

TEST_F(Library, ThatDescribesOtherLdsThanItsCodeUsesIsRefused) {
    EXPECT_REFUSED(
        ErrorCode::damaged,
        "The library " + written_with("\"lds_bytes\":16384", "\"lds_bytes\":16383") +
            " contradicts itself: its record of LDS for gfx942 is not what its code object uses; build it again.",
        KernelLibrary::open({path, ""}));
}

TEST_F(Library, WhoseRecordIsOfAnotherGpuIsRefused) {
    EXPECT_REFUSED(ErrorCode::damaged,
                   "The resource record of " + written_with("\"resources\":{\"gfx942\"", "\"resources\":{\"gfx940\"") +
                       " has no 'gfx942'.",
                   KernelLibrary::open({path, ""}));
}

// What the registry registers is the library's own word, whatever its file is called.
TEST_F(Library, IsRegisteredUnderItsOwnDescription) {
    GemmRegistry registry("mine");
    const auto kernel = registry.add_library({written_with("\"pipeline\":\"compv3\"", "\"pipeline\":\"compv9\""), ""},
                                             Duplicates::refuse, 4);
    EXPECT_EQ(kernel->key().pipeline.text(), "compv9");
    EXPECT_EQ(kernel->name(), std::string("gemm_fp16_rcr_") + kKernel);
    EXPECT_EQ(kernel->priority(), 4);
    EXPECT_TRUE(kernel->opened());
    EXPECT_EQ(registry.find(kernel->key()), kernel);
}

TEST_F(Library, OfAnotherFamilyIsNotRegistered) {
    GemmRegistry registry("mine");
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "The description of " + written_with("\"family\":\"gemm\"", "\"family\":\"gemn\"") +
                       " is of the family gemn, not gemm.",
                   registry.add_library({path, ""}));
    EXPECT_EQ(registry.size(), 0u);
}

TEST_F(Library, OfAnotherGeneratorIsNotRegistered) {
    GemmRegistry registry("mine");
    EXPECT_REFUSED(ErrorCode::damaged,
                   "The description of " + written_with("\"pad_k\":", "\"pad_q\":") + " has no 'pad_k'.",
                   registry.add_library({path, ""}));
    EXPECT_REFUSED(
        ErrorCode::damaged,
        "The description of " + written_with("\"tile\":[64,64,64]", "\"tile\":[64,64,00]") + " is not valid JSON.",
        registry.add_library({path, ""}));
    EXPECT_EQ(registry.size(), 0u);
}

}  // namespace
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// What is loaded are the bytes that were looked at: of a file that is built anew, exchanged at the wrong moment, or
// there twice.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "ckdispatch/core/image.hpp"
#include "ckdispatch/core/library.hpp"
#include "ckdispatch/core/sha256.hpp"
#include "tests/dispatcher/support/built.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::built_library;
using test::Bytes;
using test::TemporaryFolder;

constexpr const char *kOne = "compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_32x32x16",
                     *kOther = "mem_cshuffle_interwave_True_True_True_False_128x32x64_4x1x1_32x32x8";

class RebuiltLibrary : public testing::Test {
protected:
    /// As a linker or a cache does it: the new file takes the place of the old one at once.
    void put(const Bytes& content) const { std::filesystem::rename(files.write("new", content), path); }

    static std::size_t open_files() {
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
        return count;
    }

    TemporaryFolder files;
    const std::string path = files.at("lib.so");
    const Bytes one = test::read_bytes(built_library(kOne)), other = test::read_bytes(built_library(kOther));
};

TEST_F(RebuiltLibrary, IsAnother) {
    put(one);
    const auto before = KernelLibrary::open({path, ""});
    put(other);
    const auto after = KernelLibrary::open({path, ""});
    EXPECT_EQ(before->name(), std::string("gemm_fp16_rcr_") + kOne);
    EXPECT_EQ(after->name(), std::string("gemm_fp16_rcr_") + kOther);
    // The first is still what it was.
    EXPECT_NE(std::string(before->api().describe()).find(kOne), std::string::npos);
    put(one);
    EXPECT_EQ(&KernelLibrary::open({path, ""})->api(), &before->api());
}

TEST_F(RebuiltLibrary, MayBeWrittenOverWhileItIsLoaded) {
    put(one);
    const auto library = KernelLibrary::open({path, ""});
    std::ofstream(path, std::ios::binary | std::ios::trunc) << "no library";
    EXPECT_NE(std::string(library->api().describe()).find(kOne), std::string::npos);
}

TEST_F(RebuiltLibrary, OfTheSameBytesIsLoadedOnce) {
    put(one);
    const auto from_here = KernelLibrary::open({path, ""}), from_there = KernelLibrary::open({built_library(kOne), ""});
    EXPECT_EQ(&from_here->api(), &from_there->api());
    EXPECT_EQ(from_here->path(), path);
    EXPECT_EQ(from_there->path(), built_library(kOne));
}

TEST_F(RebuiltLibrary, LeavesNoFileOpen) {
    put(one);
    (void)KernelLibrary::open({path, ""});
    const std::size_t before = open_files();
    // A byte behind all that has a meaning makes it another library each time.
    Bytes content = one;
    for (int i = 0; i < 40; ++i) {
        content.push_back(std::uint8_t(i));
        put(content);
        EXPECT_NE(KernelLibrary::open({path, ""})->api().describe(), nullptr);
    }
    EXPECT_EQ(open_files(), before);
}

// Somebody exchanges the file again and again, between what has the hash and what runs code of its own as soon as it is
// loaded.
TEST_F(RebuiltLibrary, IsNeverLoadedInPlaceOfTheOneThatWasAskedFor) {
    ::unsetenv("CK_ORDINARY_RAN");
    Bytes wanted = one;
    const Bytes foreign = test::read_bytes(built_library("ordinary"));
    std::atomic<bool> done{false};
    put(wanted);
    std::thread exchanging([&] {
        files.write("foreign", foreign);
        while (!done) {
            std::filesystem::copy_file(files.at("foreign"), files.at("next"),
                                       std::filesystem::copy_options::overwrite_existing);
            std::filesystem::rename(files.at("next"), path);
            std::filesystem::rename(files.write("next", one), path);
        }
    });
    const std::string hash = sha256(wanted.data(), wanted.size());
    int opened = 0, refused = 0;
    for (int i = 0; i < 400; ++i) {
        try {
            EXPECT_EQ(KernelLibrary::open({path, hash})->name(), std::string("gemm_fp16_rcr_") + kOne);
            ++opened;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::damaged) << error.what();
            ++refused;
        }
    }
    done = true;
    exchanging.join();
    EXPECT_GT(opened, 0);
    EXPECT_EQ(opened + refused, 400);
    EXPECT_EQ(std::getenv("CK_ORDINARY_RAN"), nullptr) << "Code of a library with another hash ran.";
}

TEST_F(RebuiltLibrary, IsLoadedFromMemoryOrFromAFolderThatGoes) {
    ::setenv("TMPDIR", files.path().c_str(), 1);
    for (const ImageWay way : {ImageWay::memory, ImageWay::folder}) {
        void* const first = load_image(one, "/nowhere/lib.so", way);
        void* const second = load_image(other, "/nowhere/lib.so", way);
        ASSERT_NE(first, nullptr);
        EXPECT_NE(first, second);
        EXPECT_TRUE(std::filesystem::is_empty(files.path()));
    }
    ::setenv("TMPDIR", "/nowhere", 1);
    EXPECT_REFUSED(ErrorCode::io_failed,
                   "The library lib.so cannot be given to the loader: mkdtemp failed: No such file or directory; allow "
                   "memory files to be executed, or set TMPDIR to a folder from which programs may run.",
                   load_image(one, "lib.so", ImageWay::folder));
    ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
#include "ckdispatch/core/files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "tests/dispatcher/support/refusal.hpp"
#include "tests/dispatcher/support/temporary.hpp"

namespace ckdispatch {
namespace {

using test::TemporaryFolder;

constexpr std::uint64_t kMost = 1 << 20;

TEST(ReadFile, GivesEveryByte) {
    const TemporaryFolder folder;
    test::Bytes all;
    for (int i = 0; i < 100000; ++i) all.push_back(std::uint8_t(i * 31));
    EXPECT_EQ(read_file(folder.write("all", all), "It", kMost), all);
    EXPECT_EQ(read_file(folder.write("none", ""), "It", kMost), test::Bytes{});
}

TEST(ReadFile, SaysWhatIsMissing) {
    const TemporaryFolder folder;
    EXPECT_REFUSED(ErrorCode::not_found, "The manifest cannot be read: No such file or directory.",
                   read_file(folder.at("nothing"), "The manifest", kMost));
}

TEST(ReadFile, RefusesWhatIsNoFile) {
    const TemporaryFolder folder;
    ASSERT_EQ(::mkfifo(folder.at("pipe").c_str(), 0600), 0);
    EXPECT_REFUSED(ErrorCode::io_failed, "It cannot be read: it is no regular file.",
                   read_file(folder.path(), "It", kMost));
    EXPECT_REFUSED(ErrorCode::io_failed, "It cannot be read: it is no regular file.",
                   read_file(folder.at("pipe"), "It", kMost));
    EXPECT_REFUSED(ErrorCode::io_failed, "It cannot be read: it is no regular file.",
                   read_file("/dev/zero", "It", kMost));
}

TEST(ReadFile, RefusesMoreThanItMayRead) {
    const TemporaryFolder folder;
    const std::string path = folder.write("large", "");
    std::filesystem::resize_file(path, kMost);
    EXPECT_EQ(read_file(path, "It", kMost).size(), kMost);
    // A terabyte of nothing, which takes no room on the disk and would take all of the memory.
    std::filesystem::resize_file(path, std::uint64_t(1) << 40);
    EXPECT_REFUSED(ErrorCode::io_failed,
                   "It cannot be read: it has 1099511627776 bytes, and more than 1048576 are not looked at.",
                   read_file(path, "It", kMost));
}

TEST(ReadFile, SaysWhyAPathLeadsNowhere) {
    const TemporaryFolder folder;
    EXPECT_REFUSED(ErrorCode::io_failed, "It cannot be read: Not a directory.",
                   read_file(folder.write("file", "text") + "/below", "It", kMost));
}

}  // namespace
}  // namespace ckdispatch

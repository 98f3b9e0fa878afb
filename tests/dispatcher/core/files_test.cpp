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

TEST(ReadFile, GivesEveryByte) {
    const TemporaryFolder folder;
    test::Bytes all;
    for (int i = 0; i < 100000; ++i) all.push_back(std::uint8_t(i * 31));
    EXPECT_EQ(read_file(folder.write("all", all), "It"), all);
    EXPECT_EQ(read_file(folder.write("none", ""), "It"), test::Bytes{});
}

TEST(ReadFile, SaysWhatIsMissing) {
    const TemporaryFolder folder;
    EXPECT_REFUSED(ErrorCode::not_found, "The manifest cannot be read: No such file or directory.", read_file(folder.at("nothing"), "The manifest"));
}

TEST(ReadFile, RefusesWhatIsNoFile) {
    const TemporaryFolder folder;
    ASSERT_EQ(::mkfifo(folder.at("pipe").c_str(), 0600), 0);
    EXPECT_REFUSED(ErrorCode::io_failed, "It cannot be read: it is no regular file.", read_file(folder.path(), "It"));
    EXPECT_REFUSED(ErrorCode::io_failed, "It cannot be read: it is no regular file.", read_file(folder.at("pipe"), "It"));
    EXPECT_REFUSED(ErrorCode::io_failed, "It cannot be read: it is no regular file.", read_file("/dev/zero", "It"));
}

TEST(ReadFile, SaysWhyAPathLeadsNowhere) {
    const TemporaryFolder folder;
    EXPECT_REFUSED(ErrorCode::io_failed, "It cannot be read: Not a directory.", read_file(folder.write("file", "text") + "/below", "It"));
}

}  // namespace
}  // namespace ckdispatch

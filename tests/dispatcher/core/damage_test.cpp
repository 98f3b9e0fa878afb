// SPDX-License-Identifier: MIT
// Kernel libraries that were damaged on their way. With a hash nothing of them is believed; without one, what is not
// whole is refused all the same.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "ckdispatch/core/error.hpp"
#include "ckdispatch/core/library.hpp"
#include "ckdispatch/core/sha256.hpp"
#include "tests/dispatcher/support/built.hpp"

namespace ckdispatch {
namespace {

using test::Bytes;
using test::TemporaryFolder;

Bytes real_library() {
    return test::read_bytes(
        test::built_library("compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_32x32x16"));
}

bool is_damaged(const LibraryFile& file) {
    try {
        (void)KernelLibrary::open(file);
    } catch (const Error& error) {
        return error.code() == ErrorCode::damaged;
    }
    return false;
}

TEST(DamagedLibrary, IsRefusedWhereverItWasCut) {
    const TemporaryFolder files;
    const Bytes whole = real_library();
    for (std::size_t size = 0; size < whole.size(); size += size < 1024 ? 13 : 997) {
        const Bytes cut(whole.begin(), whole.begin() + std::ptrdiff_t(size));
        EXPECT_TRUE(is_damaged({files.write("lib.so", cut), ""})) << size;
    }
    EXPECT_TRUE(is_damaged({files.write("lib.so", Bytes(whole.begin(), whole.end() - 1)), ""}));
}

TEST(DamagedLibrary, IsRefusedByItsHashWhicheverBitIsFlipped) {
    const TemporaryFolder files;
    Bytes content = real_library();
    const std::string expected = sha256(content.data(), content.size());
    for (std::size_t bit = 0; bit < content.size() * 8; bit += 3331) {
        content[bit / 8] ^= std::uint8_t(1 << bit % 8);
        EXPECT_TRUE(is_damaged({files.write("lib.so", content), expected})) << bit;
        content[bit / 8] ^= std::uint8_t(1 << bit % 8);
    }
}

// Some bits of the header mean nothing, so a library may also be fine; the process must survive either way.
TEST(DamagedLibrary, NeverEndsTheProcessWhicheverBitOfItsHeaderIsFlipped) {
    const TemporaryFolder files;
    Bytes content = real_library();
    for (std::size_t bit = 0; bit < 64 * 8; ++bit) {
        content[bit / 8] ^= std::uint8_t(1 << bit % 8);
        const std::string path = files.write("lib" + std::to_string(bit) + ".so", content);
        content[bit / 8] ^= std::uint8_t(1 << bit % 8);

        const pid_t child = ::fork();
        if (child == 0) {
            try {
                (void)KernelLibrary::open({path, ""});
            } catch (const Error& error) {
                ::_exit(error.code() == ErrorCode::damaged ? 0 : 1);
            }
            ::_exit(0);
        }
        int status = -1;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0) << "byte " << bit / 8 << ", bit " << bit % 8;
    }
}

}  // namespace
}  // namespace ckdispatch

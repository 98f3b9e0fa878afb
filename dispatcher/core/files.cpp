// SPDX-License-Identifier: MIT
#include "ckdispatch/core/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ckdispatch/core/error.hpp"

namespace ckdispatch {
namespace {

[[noreturn]] void fail(ErrorCode code, const std::string& what) {
    throw_error(code, what + " cannot be read: " + std::strerror(errno) + ".");
}

}  // namespace

File::~File() {
    if (number_ >= 0) ::close(number_);
}

std::vector<std::uint8_t> read_file(const std::string& path, const std::string& what, std::uint64_t most_bytes) {
    // Without waiting: opening a pipe would otherwise last until somebody writes to it.
    const File file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    struct stat facts{};
    if (!file.open()) fail(errno == ENOENT ? ErrorCode::not_found : ErrorCode::io_failed, what);
    if (::fstat(file.number(), &facts) != 0) fail(ErrorCode::io_failed, what);
    if (!S_ISREG(facts.st_mode)) throw IoFailedError(what + " cannot be read: it is no regular file.");
    if (std::uint64_t(facts.st_size) > most_bytes)
        throw IoFailedError(what + " cannot be read: it has " + std::to_string(facts.st_size) +
                            " bytes, and more than " + std::to_string(most_bytes) + " are not looked at.");
    std::vector<std::uint8_t> content(std::size_t(facts.st_size));
    std::size_t at = 0;
    while (at < content.size()) {
        const ssize_t got = ::read(file.number(), content.data() + at, content.size() - at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail(ErrorCode::io_failed, what);
        if (got == 0) break;
        at += std::size_t(got);
    }
    content.resize(at);
    return content;
}

}  // namespace ckdispatch

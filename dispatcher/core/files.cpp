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

class File {
public:
    // Without waiting: opening a pipe would otherwise last until somebody writes to it.
    explicit File(const std::string& path) : number_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
    ~File() {
        if (number_ >= 0) ::close(number_);
    }
    File(const File&)            = delete;
    File& operator=(const File&) = delete;
    int number() const { return number_; }
    bool open() const { return number_ >= 0; }

private:
    int number_;
};

[[noreturn]] void fail(ErrorCode code, const std::string& what) {
    throw Error(code, what + " cannot be read: " + std::strerror(errno) + ".");
}

}  // namespace

std::vector<std::uint8_t> read_file(const std::string& path, const std::string& what) {
    const File file(path);
    struct stat facts {};
    if (!file.open()) fail(errno == ENOENT ? ErrorCode::not_found : ErrorCode::io_failed, what);
    if (::fstat(file.number(), &facts) != 0) fail(ErrorCode::io_failed, what);
    if (!S_ISREG(facts.st_mode)) throw Error(ErrorCode::io_failed, what + " cannot be read: it is no regular file.");
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

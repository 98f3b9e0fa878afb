// SPDX-License-Identifier: MIT
#include "ckdispatch/core/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "ckdispatch/core/error.hpp"

namespace ckdispatch {
namespace {

class File {
public:
    File(const std::string& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
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

[[noreturn]] void fail(ErrorCode code, const std::string& what, const char* verb) {
    throw Error(code, what + " cannot be " + verb + ": " + std::strerror(errno) + ".");
}

}  // namespace

std::vector<std::uint8_t> read_file(const std::string& path, const std::string& what) {
    const File file(path, O_RDONLY);
    struct stat facts {};
    if (!file.open()) fail(errno == ENOENT ? ErrorCode::not_found : ErrorCode::io_failed, what, "read");
    if (::fstat(file.number(), &facts) != 0) fail(ErrorCode::io_failed, what, "read");
    if (!S_ISREG(facts.st_mode)) throw Error(ErrorCode::io_failed, what + " cannot be read: it is no regular file.");
    std::vector<std::uint8_t> content(std::size_t(facts.st_size));
    std::size_t at = 0;
    while (at < content.size()) {
        const ssize_t got = ::read(file.number(), content.data() + at, content.size() - at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail(ErrorCode::io_failed, what, "read");
        if (got == 0) break;
        at += std::size_t(got);
    }
    content.resize(at);
    return content;
}

void write_file(const std::string& path, const std::string& content) {
    const std::string beside = path + "." + std::to_string(::getpid()) + ".tmp";
    {
        const File file(beside, O_WRONLY | O_CREAT | O_TRUNC);
        if (!file.open()) fail(ErrorCode::io_failed, path, "written");
        for (std::size_t at = 0; at < content.size();) {
            const ssize_t put = ::write(file.number(), content.data() + at, content.size() - at);
            if (put < 0 && errno == EINTR) continue;
            if (put < 0) {
                const int reason = errno;
                ::unlink(beside.c_str());
                errno = reason;
                fail(ErrorCode::io_failed, path, "written");
            }
            at += std::size_t(put);
        }
    }
    if (std::rename(beside.c_str(), path.c_str()) != 0) {
        const int reason = errno;
        ::unlink(beside.c_str());
        errno = reason;
        fail(ErrorCode::io_failed, path, "written");
    }
}

}  // namespace ckdispatch

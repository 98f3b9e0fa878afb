// SPDX-License-Identifier: MIT
#include "ckdispatch/core/image.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "ckdispatch/core/error.hpp"
#include "ckdispatch/core/files.hpp"

// Of kernels since 6.3, which may be told to execute no memory file that does not ask for it.
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

namespace ckdispatch {
namespace {

/// The bytes cannot be put where the loader finds them; another way may do.
struct NoPlace {
    std::string why;
};

[[noreturn]] void no_place(const char* call) { throw NoPlace{std::string(call) + " failed: " + std::strerror(errno)}; }

std::string plain_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The loader takes two files of the same name for one, and a number is free again once its file is closed. Each name is
// therefore spelt in a way of its own: the bits of a count, as steps that lead nowhere.
std::string unique_steps() {
    static std::atomic<std::uint64_t> count{0};
    std::string steps;
    for (std::uint64_t bits = ++count; bits; bits >>= 1) steps += bits & 1 ? "./" : "/";
    return steps;
}

void write_all(int file, const std::vector<std::uint8_t>& content) {
    for (std::size_t at = 0; at < content.size();) {
        const ssize_t put = ::write(file, content.data() + at, content.size() - at);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) no_place("write");
        at += std::size_t(put);
    }
}

// What the loader says has the name that it was given; the caller knows the library by another.
std::string reason(const std::string& given, const std::string& path) {
    const char* said = ::dlerror();
    std::string text = said ? said : "the loader does not say why";
    for (std::size_t at = 0; (at = text.find(given, at)) != text.npos; at += path.size())
        text.replace(at, given.size(), path);
    return text;
}

// Of a system that executes nothing there.
bool is_about_mapping(const std::string& text) {
    for (const char* words : {"failed to map", "Operation not permitted", "Permission denied"})
        if (text.find(words) != text.npos) return true;
    return false;
}

void* open_library(const std::string& given, const std::string& path, ImageWay way) {
    if (void* const handle = ::dlopen(given.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    const std::string text = reason(given, path);
    if (way == ImageWay::memory && is_about_mapping(text)) throw NoPlace{text};
    throw DamagedError("The library " + path + " cannot be loaded: " + text + ".");
}

// Closed once it is loaded: a process may have a thousand open files, and far more libraries.
void* load_from_memory(const std::vector<std::uint8_t>& content, const std::string& path) {
    const std::string name = plain_name(path).substr(0, 240);
    int number = ::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
    if (number < 0 && errno == EINVAL) number = ::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (number < 0) no_place("memfd_create");
    const File file(number);
    write_all(number, content);
    if (::fcntl(number, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0) no_place("fcntl");
    const std::string given = "/proc/thread-self/fd/" + unique_steps() + std::to_string(number);
    struct stat made{}, found{};
    if (::fstat(number, &made) != 0 || ::stat(given.c_str(), &found) != 0) no_place("stat of /proc");
    if (made.st_ino != found.st_ino || made.st_dev != found.st_dev)
        throw NoPlace{"/proc shows the files of another process"};
    return open_library(given, path, ImageWay::memory);
}

class PrivateFolder {
public:
    PrivateFolder() {
        const char* base = std::getenv("TMPDIR");
        path_ = std::string(base && *base ? base : "/tmp") + "/ckdispatch-XXXXXX";
        if (!::mkdtemp(path_.data())) no_place("mkdtemp");
    }
    ~PrivateFolder() {
        if (!file_.empty()) (void)::unlink(file_.c_str());
        (void)::rmdir(path_.c_str());
    }
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;

    /// A file that nobody else may open, under a name that no other had.
    const std::string& write(const std::string& name, const std::vector<std::uint8_t>& content) {
        file_ = path_ + "/" + unique_steps() + name;
        const File file(::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!file.open()) no_place("open");
        write_all(file.number(), content);
        return file_;
    }

private:
    std::string path_, file_;
};

void* load_from_folder(const std::vector<std::uint8_t>& content, const std::string& path) {
    PrivateFolder folder;
    return open_library(folder.write(plain_name(path), content), path, ImageWay::folder);
}

[[noreturn]] void give_up(const std::string& path, const std::string& why) {
    throw IoFailedError("The library " + path + " cannot be given to the loader: " + why +
                        "; allow memory files to be executed, or set TMPDIR to a folder from which programs may run.");
}

}  // namespace

void* load_image(const std::vector<std::uint8_t>& content, const std::string& path, ImageWay way) {
    try {
        return way == ImageWay::memory ? load_from_memory(content, path) : load_from_folder(content, path);
    } catch (const NoPlace& none) {
        give_up(path, none.why);
    }
}

void* load_image(const std::vector<std::uint8_t>& content, const std::string& path) {
    try {
        return load_from_memory(content, path);
    } catch (const NoPlace&) {
        return load_image(content, path, ImageWay::folder);
    }
}

}  // namespace ckdispatch

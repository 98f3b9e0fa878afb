// SPDX-License-Identifier: MIT
#include "gfxsim/loader/bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <fstream>

namespace gfxsim {
namespace {

struct Mapping {
    u64 begin = 0, end = 0;
    bool readable = false;
    std::string file;
};

bool parse_mapping(const std::string& line, Mapping& mapping) {
    char rights[5] = "";
    int name = 0;
    const char* const form = "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s %n";
    if (std::sscanf(line.c_str(), form, &mapping.begin, &mapping.end, rights, &name) < 3) return false;
    mapping.readable = rights[0] == 'r';
    mapping.file = line.substr(std::size_t(name));
    return true;
}

}  // namespace

Image readable_from(const void* address) {
    const u64 begin = reinterpret_cast<u64>(address);
    u64 end = begin;
    std::string file;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        Mapping mapping;
        if (!parse_mapping(line, mapping) || !mapping.readable || mapping.begin > end || mapping.end <= end) continue;
        if (end == begin && !mapping.file.empty()) file = mapping.file;
        end = mapping.end;
    }
    if (end == begin) {
        char place[32];
        std::snprintf(place, sizeof(place), "0x%" PRIx64, begin);
        throw std::runtime_error("There is no readable memory at " + std::string(place) + ".");
    }
    return {{reinterpret_cast<const u8*>(begin), end - begin},
            file.empty() || file[0] == '[' ? "an image in memory" : file};
}

std::vector<u8> read_file(const std::string& path) {
    struct File {
        int number;
        ~File() {
            if (number >= 0) close(number);
        }
    };
    // Without waiting for the other end of a pipe.
    const File file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    struct stat about{};
    if (file.number < 0 || fstat(file.number, &about) != 0)
        throw std::runtime_error("The file " + path + " cannot be read.");
    if (!S_ISREG(about.st_mode))
        throw std::runtime_error(path + " is no ordinary file, and its end is not known; give a file.");
    const auto check = [&](u64 size) {
        if (size > limits::kFile)
            throw std::runtime_error("The file " + path + " has more than " + std::to_string(limits::kFile) +
                                     " bytes, which is too large for device code.");
    };
    check(u64(about.st_size));
    std::vector<u8> content;
    content.reserve(u64(about.st_size));
    std::vector<u8> piece(1 << 20);
    for (;;) {
        const ssize_t count = read(file.number, piece.data(), piece.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw std::runtime_error("The file " + path + " cannot be read.");
        if (count == 0) return content;
        // A file may grow, and those of /proc do not say their size.
        check(content.size() + u64(count));
        content.insert(content.end(), piece.begin(), piece.begin() + count);
    }
}

}  // namespace gfxsim

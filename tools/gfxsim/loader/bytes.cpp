// SPDX-License-Identifier: MIT
#include "gfxsim/loader/bytes.hpp"

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <memory>

namespace gfxsim {
namespace {

struct Mapping {
    u64 begin = 0, end = 0;
    bool readable = false;
    std::string file;
};

bool parse_mapping(const std::string& line, Mapping& mapping) {
    char rights[5] = "";
    int name       = 0;
    const char* const form = "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s %n";
    if (std::sscanf(line.c_str(), form, &mapping.begin, &mapping.end, rights, &name) < 3) return false;
    mapping.readable = rights[0] == 'r';
    mapping.file     = line.substr(std::size_t(name));
    return true;
}

}  // namespace

Image readable_from(const void* address) {
    const u64 begin = reinterpret_cast<u64>(address);
    u64 end         = begin;
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
    return {{reinterpret_cast<const u8*>(begin), end - begin}, file.empty() || file[0] == '[' ? "an image in memory" : file};
}

std::vector<u8> read_file(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    std::vector<u8> content;
    if (file) {
        u8 piece[1 << 16];
        while (const std::size_t count = std::fread(piece, 1, sizeof(piece), file.get()))
            content.insert(content.end(), piece, piece + count);
    }
    if (!file || std::ferror(file.get())) throw std::runtime_error("The file " + path + " cannot be read.");
    return content;
}

}  // namespace gfxsim

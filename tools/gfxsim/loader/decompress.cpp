// SPDX-License-Identifier: MIT
// The libraries are found when they are needed: the code object manager, which has its own or uses the same, is always
// there, but it trusts what it has decompressed.
#include "gfxsim/loader/decompress.hpp"

#include <dlfcn.h>

namespace gfxsim {
namespace {

template <class F>
F* find(const char* library, const char* name) {
    void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    return handle ? reinterpret_cast<F*>(dlsym(handle, name)) : nullptr;
}

[[noreturn]] void damaged() { throw std::runtime_error("its compressed code is damaged"); }

}  // namespace

std::optional<std::vector<u8>> decompress_zstd(Bytes data, u64 size) {
    constexpr const char* kLibrary = "libzstd.so.1";
    static const auto decompress =
        find<std::size_t(void*, std::size_t, const void*, std::size_t)>(kLibrary, "ZSTD_decompress");
    static const auto is_error = find<unsigned(std::size_t)>(kLibrary, "ZSTD_isError");
    static const auto content_size =
        find<unsigned long long(const void*, std::size_t)>(kLibrary, "ZSTD_getFrameContentSize");
    if (!decompress || !is_error || !content_size) return std::nullopt;
    // Before room is made for a size that damage made up.
    if (content_size(data.data, data.size) != size) damaged();
    std::vector<u8> content(size);
    const std::size_t made = decompress(content.data(), content.size(), data.data, data.size);
    if (is_error(made) || made != size) damaged();
    return content;
}

std::optional<std::vector<u8>> decompress_zlib(Bytes data, u64 size) {
    static const auto decompress = find<int(u8*, unsigned long*, const u8*, unsigned long)>("libz.so.1", "uncompress");
    if (!decompress) return std::nullopt;
    // Nothing shrinks to less than a thousandth.
    if (size / 1100 > data.size) damaged();
    std::vector<u8> content(size);
    unsigned long made = content.size();
    if (decompress(content.data(), &made, data.data, data.size) != 0 || made != size) damaged();
    return content;
}

}  // namespace gfxsim

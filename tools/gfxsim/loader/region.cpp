// SPDX-License-Identifier: MIT
#include "gfxsim/loader/region.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <utility>

namespace gfxsim {
namespace {

u64 page() {
    static const u64 size = u64(sysconf(_SC_PAGESIZE));
    return size;
}

u64 whole_pages(u64 bytes) { return (bytes + page() - 1) / page() * page(); }

// The half that is left of 47 bits: below it, AddressSanitizer has its shadow on aarch64.
constexpr u64 kFirstAddress = u64(1) << 46;
constexpr u64 kEndOfMemory = u64(1) << 47;
constexpr u64 kMostBytes = u64(1) << 44;

// Where something else lies, the next wish is so much further.
constexpr u64 kStep = u64(1) << 36;

// Addresses are used again only after all others, so that a pointer to freed memory points to nothing for long.
u64 next_wish(u64 bytes) {
    static std::atomic<u64> next{kFirstAddress};
    u64 seen = next.load();
    for (;;) {
        const u64 wish = seen + bytes <= kEndOfMemory ? seen : kFirstAddress;
        if (next.compare_exchange_weak(seen, wish + bytes)) return wish;
    }
}

void* reserve(u64 bytes) {
    for (int attempt = 0; attempt < 64; ++attempt) {
        void* const wish = reinterpret_cast<void*>(next_wish(attempt == 0 ? bytes : bytes + kStep));
        void* const found = mmap(wish, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (found == MAP_FAILED) break;
        if (reinterpret_cast<u64>(found) + bytes <= kEndOfMemory) return found;
        munmap(found, bytes);
    }
    throw std::bad_alloc();
}

}  // namespace

Region::Region(u64 bytes, Fill fill) : size_(bytes) {
    if (bytes > kMostBytes) throw std::bad_alloc();
    const u64 inner = whole_pages(bytes ? bytes : 1);
    void* const outer = reserve(inner + 2 * page());
    data_ = static_cast<u8*>(outer) + page();
    if (mprotect(data_, inner, PROT_READ | PROT_WRITE) != 0) {
        munmap(outer, inner + 2 * page());
        throw std::bad_alloc();
    }
    if (fill == Fill::poison) std::memset(data_, kPoisonByte, inner);
}

Region::~Region() {
    if (data_) munmap(data_ - page(), whole_pages(size_ ? size_ : 1) + 2 * page());
}

Region& Region::operator=(Region&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

}  // namespace gfxsim

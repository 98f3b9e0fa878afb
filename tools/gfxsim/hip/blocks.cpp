// SPDX-License-Identifier: MIT
#include "gfxsim/hip/blocks.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <new>
#include <string>

#include "gfxsim/core/shadow.hpp"
#include "gfxsim/hip/api.hpp"
#include "gfxsim/hip/runtime.hpp"

namespace gfxsim {
namespace {

// What a GPU maps at once. Pages of the host have this size or a multiple of it, and a Region has whole ones to itself.
constexpr u64 kDevicePage = 4096;

// A kernel that reached pages that are not there would end the process.
void check_mapped(u64 begin, u64 bytes) {
    const u64 page = u64(sysconf(_SC_PAGESIZE)), first = begin / page * page;
    u64 end = 0;
    if (__builtin_add_overflow(begin, bytes, &end))
        fail(hipErrorInvalidValue, "the range is larger than the address space.");
    if (msync(reinterpret_cast<void*>(first), end - first, MS_ASYNC) != 0)
        fail(hipErrorInvalidValue, "a part of the range is no memory of this process.");
}

}  // namespace

HostMemory host_memory() {
    const u64 page = u64(sysconf(_SC_PAGESIZE));
    HostMemory memory{u64(sysconf(_SC_PHYS_PAGES)) * page, u64(sysconf(_SC_AVPHYS_PAGES)) * page};
    std::ifstream info("/proc/meminfo");
    std::string key, unit;
    for (u64 kilobytes; info >> key >> kilobytes && std::getline(info, unit);) {
        if (key == "MemAvailable:") memory.available = kilobytes * 1024;
    }
    return memory;
}

void* Blocks::allocate(u64 bytes, MemoryKind kind, unsigned flags) {
    // All of it is written at once, so memory that the machine does not have must be refused here.
    constexpr u64 kUnchecked = u64(64) << 20;
    if (bytes > kUnchecked && bytes > host_memory().available) throw std::bad_alloc();
    Block block;
    block.region = Region(bytes);
    block.begin = block.region.address(), block.size = bytes, block.kind = kind, block.flags = flags;
    publish(block);
    void* const begin = block.region.data();
    blocks_.emplace(block.begin, std::move(block));
    return begin;
}

void Blocks::add_host_range(void* begin, u64 bytes, unsigned flags) {
    Block block;
    block.begin = reinterpret_cast<u64>(begin), block.size = bytes, block.kind = MemoryKind::host, block.flags = flags;
    check_mapped(block.begin, bytes);
    const auto next = blocks_.lower_bound(block.end());
    if (next != blocks_.begin() && std::prev(next)->second.end() > block.begin)
        fail(hipErrorHostMemoryAlreadyRegistered, "part of the range is known to the runtime already.");
    publish(block);
    blocks_.emplace(block.begin, std::move(block));
}

const Block* Blocks::find(const void* address) const {
    const auto next = blocks_.upper_bound(reinterpret_cast<u64>(address));
    if (next == blocks_.begin()) return nullptr;
    const Block& block = std::prev(next)->second;
    return reinterpret_cast<u64>(address) < block.end() ? &block : nullptr;
}

void Blocks::remove(const void* begin) {
    memory_.remove(reinterpret_cast<u64>(begin));
    blocks_.erase(reinterpret_cast<u64>(begin));
}

void Blocks::publish(const Block& block) {
    Allocation allocation;
    allocation.begin = block.begin, allocation.end = block.end(), allocation.kind = block.kind;
    // Registered memory shares its pages with whatever else the program has there.
    if (settings().whole_pages && !block.registered())
        allocation.limit = (block.end() + kDevicePage - 1) / kDevicePage * kDevicePage;
    // Memory that the host reaches too may be written there unseen.
    if (block.kind == MemoryKind::device && settings().monitor.check)
        allocation.shadow = std::make_shared<Shadow>(allocation.reachable().size());
    memory_.add(std::move(allocation));
}

}  // namespace gfxsim

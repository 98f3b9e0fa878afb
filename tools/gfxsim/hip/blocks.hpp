// SPDX-License-Identifier: MIT
// The memory that the program has asked for: device, host and managed memory are all memory of this process.
#pragma once

#include <map>

#include "gfxsim/core/memory.hpp"
#include "gfxsim/loader/region.hpp"

namespace gfxsim {

struct Block {
    u64 begin = 0;
    u64 size = 0;
    MemoryKind kind = MemoryKind::device;
    unsigned flags = 0;
    Region region;  ///< empty for memory of the program that was only registered

    bool registered() const { return region.data() == nullptr; }
    u64 end() const { return begin + size; }
};

/// Keeps a memory map in step with the blocks.
class Blocks {
public:
    explicit Blocks(MemoryMap& memory) : memory_(memory) {}

    void* allocate(u64 bytes, MemoryKind kind, unsigned flags);
    /// A HipError if the range meets one that is known.
    void add_host_range(void* begin, u64 bytes, unsigned flags);
    /// The block that an address lies in, or nullptr.
    const Block* find(const void* address) const;
    /// Gives back the block that begins at an address.
    void remove(const void* begin);

private:
    void publish(const Block& block);

    MemoryMap& memory_;
    std::map<u64, Block> blocks_;
};

/// The memory of the machine that the simulator runs on, in bytes.
struct HostMemory {
    u64 total;
    u64 available;
};
HostMemory host_memory();

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
// The memory that a launch may touch: allocations of the runtime, and nothing else of the process.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gfxsim/core/span.hpp"

namespace gfxsim {

/// Memory that no program has written yet holds this byte, so that reading it shows.
constexpr u8 kPoisonByte = 0xa5;

/// What the checking mode knows about each byte of an allocation; made when it is first needed.
struct Shadow;

enum class MemoryKind : u8 { device, host, managed, code, arguments };

struct Allocation : Span {
    u64 limit = 0;  ///< how far kernels may reach behind its end, if they may: the rest of a page that is its own
    MemoryKind kind = MemoryKind::device;
    bool writable = true;
    std::shared_ptr<Shadow> shadow;

    Span reachable() const { return {begin, limit > end ? limit : end}; }
};

/// The allocations at the time of a launch, ordered by address.
struct AddressSpace {
    std::vector<Allocation> allocations;

    /// The allocation that holds `bytes` at an address, or nullptr.
    const Allocation* find(u64 address, u64 bytes) const;
    /// The one in which a kernel may reach them.
    const Allocation* reach(u64 address, u64 bytes) const;
    /// For a message: what lies at or near an address.
    std::string describe(u64 address) const;
};

/// Keeps the address space; a launch works on the snapshot that it took.
class MemoryMap {
public:
    void add(Allocation allocation);
    bool remove(u64 begin);
    std::shared_ptr<const AddressSpace> snapshot() const;
    /// The host has written these bytes; the checking mode takes them for defined.
    void mark_written(u64 address, u64 bytes) const;

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const AddressSpace> current_ = std::make_shared<AddressSpace>();
};

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
#include "gfxsim/core/memory.hpp"

#include <algorithm>
#include <cstdio>

#include "gfxsim/core/shadow.hpp"

namespace gfxsim {
namespace {

using Place = std::vector<Allocation>::const_iterator;

Place after(const std::vector<Allocation>& allocations, u64 address) {
    return std::upper_bound(allocations.begin(), allocations.end(), address,
                            [](u64 value, const Allocation& a) { return value < a.begin; });
}

std::string hex(u64 value) {
    char text[20];
    std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

// The allocation that begins at an address or last before it.
const Allocation* candidate(const std::vector<Allocation>& allocations, u64 address) {
    const Place next = after(allocations, address);
    return next == allocations.begin() ? nullptr : &*(next - 1);
}

}  // namespace

const Allocation* AddressSpace::find(u64 address, u64 bytes) const {
    const Allocation* found = candidate(allocations, address);
    return found && found->holds(address, bytes) ? found : nullptr;
}

const Allocation* AddressSpace::reach(u64 address, u64 bytes) const {
    const Allocation* found = candidate(allocations, address);
    return found && found->reachable().holds(address, bytes) ? found : nullptr;
}

std::string AddressSpace::describe(u64 address) const {
    auto next = after(allocations, address);
    if (next != allocations.begin()) {
        const Allocation& before = *(next - 1);
        const std::string size   = std::to_string(before.end - before.begin);
        if (address < before.end)
            return std::to_string(before.end - address) + " bytes before the end of an allocation of " + size + " bytes";
        if (address - before.end < (u64(1) << 20))
            return std::to_string(address - before.end) + " bytes behind an allocation of " + size + " bytes";
    }
    if (next != allocations.end() && next->begin - address < (u64(1) << 20))
        return std::to_string(next->begin - address) + " bytes before an allocation of " +
               std::to_string(next->end - next->begin) + " bytes";
    return hex(address) + " is near no allocation";
}

void MemoryMap::add(Allocation allocation) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto next  = std::make_shared<AddressSpace>(*current_);
    auto place = after(next->allocations, allocation.begin);
    next->allocations.insert(place, std::move(allocation));
    current_ = std::move(next);
}

bool MemoryMap::remove(u64 begin) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto next  = std::make_shared<AddressSpace>(*current_);
    auto place = after(next->allocations, begin);
    if (place == next->allocations.begin() || (place - 1)->begin != begin) return false;
    next->allocations.erase(place - 1);
    current_ = std::move(next);
    return true;
}

std::shared_ptr<const AddressSpace> MemoryMap::snapshot() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return current_;
}

void MemoryMap::mark_written(u64 address, u64 bytes) const {
    const auto memory = snapshot();
    const Allocation* allocation = memory->find(address, bytes);
    if (allocation && allocation->shadow) allocation->shadow->define(address - allocation->begin, bytes);
}

}  // namespace gfxsim

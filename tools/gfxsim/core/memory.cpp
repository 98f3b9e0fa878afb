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
    constexpr u64 kFar = u64(1) << 20;
    const Place next = after(allocations, address);
    const auto placed_by = [](u64 bytes, const char* where, const Allocation& one) {
        return std::to_string(bytes) + " bytes " + where + " an allocation of " + std::to_string(one.end - one.begin) +
               " bytes";
    };
    u64 behind = kFar, before = kFar;
    if (next != allocations.begin()) {
        const Allocation& last = *(next - 1);
        if (address < last.end) return placed_by(last.end - address, "before the end of", last);
        behind = std::min(kFar, address - last.end);
    }
    if (next != allocations.end()) before = std::min(kFar, next->begin - address);
    if (behind == kFar && before == kFar) return hex(address) + " is near no allocation";
    return behind <= before ? placed_by(behind, "behind", *(next - 1)) : placed_by(before, "before", *next);
}

void MemoryMap::add(Allocation allocation) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto next = std::make_shared<AddressSpace>(*current_);
    auto place = after(next->allocations, allocation.begin);
    next->allocations.insert(place, std::move(allocation));
    current_ = std::move(next);
}

bool MemoryMap::remove(u64 begin) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto next = std::make_shared<AddressSpace>(*current_);
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

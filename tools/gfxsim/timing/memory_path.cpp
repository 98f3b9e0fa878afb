// SPDX-License-Identifier: MIT
#include "gfxsim/timing/memory_path.hpp"

#include <algorithm>
#include <functional>

namespace gfxsim::timing {

MemoryPath::MemoryPath(const Facts& facts, const Shares& shares)
    : facts_(facts), shares_(shares), l1_order_(std::size_t(facts.l1_bytes / facts.line_bytes), ~u64(0)) {}

u64 MemoryPath::accepts_at(u64 now) {
    const auto later = std::greater<>();
    while (!outstanding_.empty() && outstanding_.front() <= now)
        std::pop_heap(outstanding_.begin(), outstanding_.end(), later), outstanding_.pop_back();
    const u64 queue = u64(std::max(0.0, address_free_ - double(facts_.issue_cycles) * facts_.memory_queue));
    if (outstanding_.size() < std::size_t(facts_.outstanding_lines)) return std::max(now, queue);
    return std::max(queue, outstanding_.front());
}

// The lines that came last, in the order in which they came.
bool MemoryPath::in_l1(u64 line) {
    if (l1_.count(line)) return true;
    u64& oldest = l1_order_[l1_next_];
    if (oldest != ~u64(0)) l1_.erase(oldest), arrives_.erase(oldest);
    oldest = line;
    l1_next_ = (l1_next_ + 1) % l1_order_.size();
    l1_.insert(line);
    return false;
}

u64 MemoryPath::access(u64 now, const Touch& touch, const u64* lines, u64 turn) {
    constexpr int kBitsOfALine = 48;
    const double begin = std::max(double(now), address_free_);
    address_free_ = begin + facts_.address_cycles;
    double done = begin + facts_.l1_latency;
    const double size = facts_.line_bytes;
    const auto later = std::greater<>();
    const auto pass = [](double& free, double at, double cycles) { return free = std::max(free, at) + cycles; };
    if (touch.use != Use::read) {
        const double share = std::max(1e-9, shares_.memory * facts_.store_share);
        const double cycles = double(touch.bytes) / share;
        done = pass(store_free_, begin + facts_.l1_latency, cycles) + facts_.l2_latency;
        for (u32 i = 0; i < touch.lines; ++i)
            outstanding_.push_back(u64(done)), std::push_heap(outstanding_.begin(), outstanding_.end(), later);
        return u64(done);
    }
    for (u32 i = 0; i < touch.lines; ++i) {
        const u64 line = lines[i] + (turn << kBitsOfALine);
        const double at =
            pass(l1_free_, begin, std::min(size, double(touch.bytes) / touch.lines) / facts_.l1_bytes_per_cycle);
        if (in_l1(line)) {
            const auto coming = arrives_.find(line);
            done = std::max(done, std::max(at + facts_.l1_latency, coming == arrives_.end() ? 0.0 : coming->second));
            continue;
        }
        float sharers = shares_.other_sharers;
        if (shares_.sharers) {
            const auto found = shares_.sharers->find(lines[i]);
            if (found != shares_.sharers->end()) sharers = found->second;
        }
        const double through_l2 = pass(l2_free_, at, size / shares_.l2);
        const double beyond = shares_.mall_is_warm ? shares_.mall : shares_.memory;
        const double through = pass(beyond_free_, at - facts_.burst_cycles, size / beyond / double(sharers));
        const double far = shares_.mall_is_warm ? facts_.mall_latency : facts_.memory_latency;
        // All who share the line wait for whoever asked first, on average for half of the way.
        const double latency =
            facts_.l2_latency + (far - facts_.l2_latency) * (sharers > 1 ? 0.5 + 0.5 / double(sharers) : 1.0);
        const double arrival = std::max(through_l2, through) + latency;
        arrives_[line] = arrival;
        done = std::max(done, arrival);
        outstanding_.push_back(u64(arrival));
        std::push_heap(outstanding_.begin(), outstanding_.end(), later);
    }
    return u64(done);
}

}  // namespace gfxsim::timing

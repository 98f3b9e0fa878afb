// SPDX-License-Identifier: MIT
#include "gfxsim/timing/estimate.hpp"

#include <algorithm>
#include <unordered_map>

#include "arch/occupancy.hpp"

namespace gfxsim::timing {
namespace {

// Workgroups of an XCD that are asked which lines they share.
constexpr u64 kNeighbours = 12;

u64 ceil_div(u64 a, u64 b) { return (a + b - 1) / b; }

// By how many workgroups of the XCD each line of the unit's workgroups is asked for: as many as in the sample, and of
// the others as large a share.
std::unordered_map<u64, float> sharers_of(const Spread& spread,
                                          const std::unordered_map<u64, const GroupStream*>& streams) {
    std::unordered_map<u64, u32> counts;
    std::vector<u64> own;
    const auto distinct = [](const GroupStream& stream) {
        std::vector<u64> lines = stream.lines_alone ? stream.lines : std::vector<u64>();
        for (const Touch& touch : stream.touches)
            if (touch.use == Use::read)
                lines.insert(lines.end(), stream.lines.begin() + touch.first_line,
                             stream.lines.begin() + touch.first_line + touch.lines);
        std::sort(lines.begin(), lines.end());
        lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
        return lines;
    };
    for (u64 group : spread.on_unit)
        for (u64 line : distinct(*streams.at(group))) counts.emplace(line, 0);
    for (u64 group : spread.neighbours)
        for (u64 line : distinct(*streams.at(group))) {
            const auto found = counts.find(line);
            if (found != counts.end()) ++found->second;
        }
    const double others =
        spread.neighbours.size() > 1 ? double(spread.on_xcd - 1) / double(spread.neighbours.size() - 1) : 0.0;
    std::unordered_map<u64, float> sharers;
    for (const auto& [line, count] : counts) sharers[line] = float(1.0 + std::max(0.0, double(count) - 1.0) * others);
    return sharers;
}

// The harmonic mean: bytes from beyond L2 are as many less. In an order that no host decides.
double mean_sharers(const std::unordered_map<u64, float>& sharers) {
    std::vector<float> values;
    values.reserve(sharers.size());
    for (const auto& entry : sharers) values.push_back(entry.second);
    std::sort(values.begin(), values.end());
    double shares = 0;
    for (float value : values) shares += 1.0 / double(value);
    return values.empty() ? 1.0 : double(values.size()) / shares;
}

// The share of its workgroups' places in which there is work, by the sample: where a loop over tiles had fewer of them
// than there are workgroups, the others only find out that there is nothing to do.
double busy_share(const Spread& spread, const std::unordered_map<u64, const GroupStream*>& streams) {
    u64 most = 0, sum = 0;
    for (u64 group : spread.neighbours) {
        most = std::max(most, streams.at(group)->steps);
        sum += streams.at(group)->steps;
    }
    return most > 0 ? double(sum) / double(most) / double(spread.neighbours.size()) : 1.0;
}

}  // namespace

std::vector<u64> Spread::sample() const {
    std::vector<u64> all = on_unit;
    all.insert(all.end(), first_unit.begin(), first_unit.end());
    all.insert(all.end(), neighbours.begin(), neighbours.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

std::vector<u64> Spread::lines_alone() const {
    std::vector<u64> found;
    for (u64 group : sample())
        if (std::find(on_unit.begin(), on_unit.end(), group) == on_unit.end() &&
            std::find(first_unit.begin(), first_unit.end(), group) == first_unit.end())
            found.push_back(group);
    return found;
}

Spread spread_of(const Launch& launch, u32 units, const std::vector<const Kernel*>& together) {
    const auto& gpu = *launch.gpu->spec;
    const Kernel& kernel = *launch.kernel;
    Spread spread;
    spread.groups = u64(launch.grid[0]) * launch.grid[1] * launch.grid[2];
    spread.units = units, spread.xcds = u32(std::max(1, gpu.xcds)),
    spread.simds = u32(ckdispatch::arch::simds_per_unit(gpu));
    const int items = int(launch.block[0] * launch.block[1] * launch.block[2]);
    const auto held = [&](const Kernel& with) {
        return u32(
            std::max(1, ckdispatch::arch::workgroups_per_unit(
                            gpu, {int(with.vgprs), int(with.agprs), int(with.sgprs), i64(launch.lds_bytes), items})));
    };
    spread.per_unit = held(kernel);
    for (const Kernel* other : together) spread.per_unit = std::min(spread.per_unit, held(*other));
    const u64 slots = u64(spread.units) * spread.per_unit;
    spread.rounds = spread.groups / slots, spread.rest = spread.groups % slots;
    // Workgroups go to the XCDs in turn, and in each to its units in turn. The round in the middle stands for all.
    const u64 first = spread.rounds ? spread.rounds / 2 * slots : 0;
    const u64 there = spread.rounds ? slots : spread.rest;
    // Where all are there at once, the launch ends with the unit that has most to do: it is looked at as well that the
    // first workgroup is on. Loops over tiles give the first workgroups one more than the last.
    const bool at_once = spread.groups <= slots;
    const u64 xcd = at_once ? 0 : std::min<u64>(spread.xcds / 2, there - 1);
    spread.on_xcd = there / spread.xcds + (xcd < there % spread.xcds ? 1 : 0);
    const u64 unit_count = std::max<u64>(1, units / spread.xcds);
    const auto group_at = [&](u64 place) { return first + xcd + place * spread.xcds; };
    const auto unit_at = [&](u64 unit) {
        std::vector<u64> on;
        for (u64 place = unit; place < spread.on_xcd; place += unit_count) on.push_back(group_at(place));
        return on;
    };
    spread.on_unit = unit_at(std::min<u64>(spread.on_xcd, unit_count) / 2);
    if (at_once) spread.first_unit = unit_at(0);
    spread.neighbours = spread.on_unit;
    if (spread.neighbours.size() > kNeighbours / 2) spread.neighbours.resize(kNeighbours / 2);
    const u64 more = std::min<u64>(kNeighbours, spread.on_xcd);
    for (u64 i = 0; i < more && spread.neighbours.size() < kNeighbours; ++i) {
        const u64 group = group_at(i * spread.on_xcd / more);
        if (std::find(spread.neighbours.begin(), spread.neighbours.end(), group) == spread.neighbours.end())
            spread.neighbours.push_back(group);
    }
    return spread;
}

LaunchTime time_of(const Launch& launch, const Spread& asked, const std::vector<std::unique_ptr<GroupStream>>& streams,
                   bool trace) {
    const Facts* facts = facts_of(launch.gpu->name());
    const auto costs = costs_of(*launch.kernel->program, *facts);
    std::unordered_map<u64, const GroupStream*> by_index;
    for (const auto& stream : streams) by_index[stream->index] = stream.get();
    Spread spread = asked;
    const auto work_of = [&](const std::vector<u64>& groups) {
        u64 steps = 0;
        for (u64 group : groups) steps += by_index.at(group)->steps;
        return steps;
    };
    if (work_of(spread.first_unit) > work_of(spread.on_unit)) std::swap(spread.on_unit, spread.first_unit);
    const bool at_once = !spread.first_unit.empty();
    const double busy = at_once ? busy_share(spread, by_index) : 1.0;
    const auto sharers = sharers_of(spread, by_index);

    LaunchTime time;
    time.spread = spread;
    time.shared = mean_sharers(sharers);

    const double hz = facts->clock_ghz * 1e9;
    const auto shares_for = [&](u64 groups) {
        Shares shares;
        const double active = std::clamp(busy * double(groups), 1.0, double(spread.units));
        const double most = double(facts->l1_bytes_per_cycle);
        shares.l2 = std::min(most, facts->l2_bytes_per_cycle * double(spread.units) / active);
        shares.mall = std::min(most, facts->mall_gb_s * 1e9 / hz / active);
        shares.memory = std::min(most, facts->memory_gb_s * 1e9 / hz / active);
        shares.sharers = &sharers;
        return shares;
    };
    // One unit with `count` workgroups, while `groups` are on all of them.
    const auto unit_time = [&](u64 count, u64 groups, bool traced = false) {
        std::vector<const GroupStream*> on;
        on.reserve(count);
        for (u64 i = 0; i < count; ++i) on.push_back(by_index.at(spread.on_unit[i % spread.on_unit.size()]));
        return run_unit(*launch.kernel->program, costs, *facts, int(spread.simds), shares_for(groups), on,
                        spread.per_unit, traced);
    };
    const u64 slots = u64(spread.units) * spread.per_unit;
    if (spread.rounds) {
        time.unit = unit_time(spread.per_unit, slots, trace);
        const double once = double(time.unit.cycles);
        // A workgroup begins as soon as one ends, while others are in their loops: from the second round on there is
        // less waiting for the slowest.
        const double next = spread.rounds > 1 ? double(unit_time(2 * spread.per_unit, slots).cycles) - once : 0.0;
        time.round_cycles = (once + double(spread.rounds - 1) * next) / double(spread.rounds);
    }
    if (spread.rest) {
        const u64 rest = ceil_div(spread.rest, spread.units);
        UnitTime last = unit_time(rest, spread.rest, trace && !spread.rounds);
        time.rest_cycles = double(last.cycles);
        // Either alone, with the bandwidth that the idle units leave, or into the places that become free.
        if (spread.rounds)
            time.rest_cycles = std::min(
                time.rest_cycles, double(unit_time(spread.per_unit + rest, slots).cycles) - double(time.unit.cycles));
        else time.unit = std::move(last);
    }
    time.cycles = double(spread.rounds) * time.round_cycles + time.rest_cycles;
    time.us = facts->launch_us + time.cycles / hz * 1e6;
    if (!time.unit.groups.empty()) {
        time.fastest = double(*std::min_element(time.unit.groups.begin(), time.unit.groups.end()));
        time.slowest = double(*std::max_element(time.unit.groups.begin(), time.unit.groups.end()));
    }
    return time;
}

}  // namespace gfxsim::timing

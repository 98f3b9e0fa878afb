// SPDX-License-Identifier: MIT
#include "gfxsim/monitor/viewer.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

namespace gfxsim {
namespace {

using Json = nlohmann::ordered_json;

// A kernel's name is whatever the file says.
void add(std::string& events, const Json& event) {
    events += event.dump(-1, ' ', false, Json::error_handler_t::replace) + ",\n";
}

// What every event about a process has.
Json named(const char* what, u64 process, Json arguments) {
    return {{"name", what}, {"ph", "M"}, {"pid", process}, {"args", std::move(arguments)}};
}

// Perfetto keeps thread 0 for itself, takes a thread whose number is its process's for that process's main one, and
// threads of one number for one thread. So launches are processes 1000, 2000, …, and waves have the numbers behind
// their launch's: a compute unit holds fewer than a thousand.
constexpr u64 kNumbersOfALaunch = 1000;

using Place = std::pair<u32, u32>;

Place place_of(const timing::Stretch& one) { return {one.group, one.wave}; }

// The rows of the waves: those of a workgroup lie together.
std::map<Place, u64> rows_of(const std::vector<timing::Stretch>& stretches, u64 process) {
    std::map<Place, u64> rows;
    for (const timing::Stretch& one : stretches) rows.emplace(place_of(one), 0);
    u64 next = process;
    for (auto& row : rows) row.second = ++next;
    return rows;
}

// Viewers count whole ns, and cut off what is behind. The nearest number above is cut to this one.
double microseconds(u64 ns) {
    return ns ? std::nextafter(double(ns) / 1e3, std::numeric_limits<double>::infinity()) : 0.0;
}

}  // namespace

std::string trace_events(u64 number, const Launch& launch, const timing::LaunchTime& time) {
    const double ghz = timing::facts_of(launch.gpu->name())->clock_ghz;
    const auto ns = [&](u64 cycles) { return u64(std::llround(double(cycles) / ghz)); };
    const auto& unit = time.unit;
    const u64 process = number * kNumbersOfALaunch;
    std::string events;
    add(events,
        named("process_name", process, {{"name", "launch " + std::to_string(number) + ": " + launch.kernel->name}}));
    add(events, named("process_labels", process,
                      {{"labels", "one compute unit of " + std::string(launch.gpu->name()) + ", simulated"}}));
    if (unit.left_out) add(events, named("stretches_left_out", process, {{"count", unit.left_out}}));
    const auto rows = rows_of(unit.stretches, process);
    for (const auto& [place, row] : rows) {
        Json event =
            named("thread_name", process,
                  {{"name", "workgroup " + std::to_string(place.first) + ", wave " + std::to_string(place.second)}});
        event["tid"] = row;
        add(events, event);
    }
    const Program& program = *launch.kernel->program;
    for (const timing::Stretch& one : unit.stretches) {
        const Instr& instr = program.instrs[one.instr];
        const std::string& text = program.text(instr);
        // Rounded ends, and lengths as their differences: lengths that were rounded by themselves would reach into the
        // next instruction.
        const u64 begin = ns(one.begin), end = ns(one.end);
        add(events, {{"name", text.substr(0, text.find(' '))},
                     {"cat", timing::cause_name(one.cause)},
                     {"ph", "X"},
                     {"pid", process},
                     {"tid", rows.at(place_of(one))},
                     {"ts", microseconds(begin)},
                     {"dur", microseconds(end - begin)},
                     {"args",
                      {{"instruction", text},
                       {"offset", instr.offset},
                       {"cycles", one.end - one.begin},
                       {"spent on", timing::cause_name(one.cause)}}}});
    }
    return events;
}

}  // namespace gfxsim

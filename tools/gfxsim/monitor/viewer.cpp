// SPDX-License-Identifier: MIT
#include "gfxsim/monitor/viewer.hpp"

#include <map>
#include <nlohmann/json.hpp>

namespace gfxsim {
namespace {

using Json = nlohmann::ordered_json;

// A kernel's name is whatever the file says.
void add(std::string& events, const Json& event) { events += event.dump(-1, ' ', false, Json::error_handler_t::replace) + ",\n"; }

Json named(const char* what, u64 process, Json arguments) {
    return {{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", 0}, {"args", std::move(arguments)}};
}

// Rows of a workgroup's waves lie together.
constexpr u32 kMostWaves = 64;

u32 row(const timing::Stretch& one) { return one.group * kMostWaves + one.wave; }

}  // namespace

std::string trace_events(u64 number, const Launch& launch, const timing::LaunchTime& time) {
    const double cycles_per_us = timing::facts_of(launch.gpu->name())->clock_ghz * 1e3;
    const auto& unit           = time.unit;
    std::string events;
    add(events, named("process_name", number, {{"name", "launch " + std::to_string(number) + ": " + launch.kernel->name}}));
    add(events, named("process_labels", number, {{"labels", "one compute unit of " + std::string(launch.gpu->name()) + ", simulated"}}));
    if (unit.left_out) add(events, named("stretches_left_out", number, {{"count", unit.left_out}}));
    std::map<u32, bool> rows;
    for (const timing::Stretch& one : unit.stretches) {
        if (!rows.emplace(row(one), true).second) continue;
        Json event   = named("thread_name", number, {{"name", "workgroup " + std::to_string(one.group) + ", wave " + std::to_string(one.wave)}});
        event["tid"] = row(one);
        add(events, event);
    }
    const Program& program = *launch.kernel->program;
    for (const timing::Stretch& one : unit.stretches) {
        const Instr& instr      = program.instrs[one.instr];
        const std::string& text = program.text(instr);
        add(events, {{"name", text.substr(0, text.find(' '))},
                     {"cat", timing::cause_name(one.cause)},
                     {"ph", "X"},
                     {"pid", number},
                     {"tid", row(one)},
                     {"ts", double(one.begin) / cycles_per_us},
                     {"dur", double(one.end - one.begin) / cycles_per_us},
                     {"args", {{"instruction", text}, {"offset", instr.offset}, {"cycles", one.end - one.begin}, {"spent on", timing::cause_name(one.cause)}}}});
    }
    return events;
}

}  // namespace gfxsim

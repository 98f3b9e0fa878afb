// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "arch/occupancy.hpp"
#include "gfxsim/decode/disassembler.hpp"
#include "gfxsim/monitor/monitor.hpp"

namespace gfxsim {
namespace {

using Json = nlohmann::ordered_json;

Json cycles_of(const std::array<u64, timing::kCauses>& causes, bool all) {
    Json cycles = Json::object();
    for (int i = 0; i < timing::kCauses; ++i)
        if (all || causes[std::size_t(i)]) cycles[timing::cause_name(timing::Cause(i))] = causes[std::size_t(i)];
    return cycles;
}

// Where instructions are from in the source, as far as the code tells.
std::vector<std::string> lines_of(const Program& program, const timing::UnitTime& unit) {
    std::vector<u64> addresses;
    for (std::size_t i = 0; i < unit.instructions.size(); ++i)
        if (unit.instructions[i].times) addresses.push_back(program.debug_address + program.instrs[i].offset);
    if (program.debug_file.empty()) return std::vector<std::string>(addresses.size());
    try {
        return source_lines(program.debug_file, addresses);
    } catch (const std::runtime_error&) {
        return std::vector<std::string>(addresses.size());  // debug information that cannot be read costs no time
    }
}

// Those that ran, in the order of the code.
Json by_instruction(const Program& program, const timing::UnitTime& unit) {
    Json list = Json::array();
    const auto lines = lines_of(program, unit);
    for (std::size_t i = 0; i < unit.instructions.size(); ++i) {
        const timing::Spent& spent = unit.instructions[i];
        if (!spent.times) continue;
        list.push_back({{"offset", program.instrs[i].offset},
                        {"text", program.text(program.instrs[i])},
                        {"times", spent.times},
                        {"cycles", spent.cycles},
                        {"wave_cycles", cycles_of(spent.causes, false)}});
        const std::string& line = lines[list.size() - 1];
        if (!line.empty()) list.back()["source"] = line;
    }
    return list;
}

}  // namespace

std::string report_json(const Launch& launch, const LaunchOutcome& outcome, const MonitorOptions& options,
                        const Counts& counts, const std::vector<Finding>& findings, const timing::LaunchTime* time) {
    const Kernel& kernel = *launch.kernel;
    const u32 items = launch.block[0] * launch.block[1] * launch.block[2];
    const int occupancy = ckdispatch::arch::waves_per_simd(
        *launch.gpu->spec,
        {int(kernel.vgprs), int(kernel.agprs), int(kernel.sgprs), i64(launch.lds_bytes), int(items)});
    Json report;
    report["kernel"] = kernel.name;
    report["device"] = "sim:" + std::string(launch.gpu->name());
    report["ok"] = outcome.ok;
    if (!outcome.ok) report["error"] = outcome.error;
    report["grid"] = {launch.grid[0], launch.grid[1], launch.grid[2]};
    report["block"] = {launch.block[0], launch.block[1], launch.block[2]};
    report["waves"] = outcome.waves;
    report["wave_instructions"] = outcome.wave_instructions;
    report["resources"] = {{"vgprs", kernel.vgprs},
                           {"agprs", kernel.agprs},
                           {"sgprs", kernel.sgprs},
                           {"lds_bytes", launch.lds_bytes},
                           {"scratch_bytes", launch.scratch_bytes},
                           {"waves_per_simd", occupancy}};
    if (options.count) {
        for (int i = 0; i < kClasses; ++i)
            report["instructions"][class_name(Class(i))] = counts.instructions[std::size_t(i)];
        report["matrix"] = {{"instructions", counts.instructions[std::size_t(Class::matrix)]},
                            {"flops", counts.matrix_flops}};
        const u64 asked = counts.global_read + counts.global_written + counts.global_atomic;
        report["global"] = {
            {"bytes_read", counts.global_read},
            {"bytes_written", counts.global_written},
            {"bytes_atomic", counts.global_atomic},
            {"accesses", counts.global_accesses},
            {"lines", counts.global_lines},
            {"line_bytes", kLineBytes},
            {"coalescing", counts.global_lines ? double(asked) / double(counts.global_lines * kLineBytes) : 1.0}};
        report["scalar"] = {{"bytes_read", counts.scalar_read},
                            {"bytes_written", counts.scalar_written},
                            {"accesses", counts.scalar_accesses}};
        report["lds"] = {{"bytes_read", counts.lds_read},
                         {"bytes_written", counts.lds_written},
                         {"accesses", counts.lds_accesses},
                         {"cycles", counts.lds_cycles},
                         {"bank_conflict_cycles", counts.lds_conflict_cycles}};
        report["barriers"] = counts.barriers;
    }
    if (time) {
        report["time"] = {{"kind", "simulated"},
                          {"whole_facts", timing::facts_of(launch.gpu->name())->whole},
                          {"us", time->us},
                          {"cycles", time->cycles},
                          {"round_cycles", time->round_cycles},
                          {"rest_cycles", time->rest_cycles},
                          {"rounds", time->spread.rounds},
                          {"rest", time->spread.rest},
                          {"workgroups_per_unit", time->spread.per_unit},
                          {"sample", time->spread.sample().size()},
                          {"sharers", time->shared},
                          {"fastest_cycles", time->fastest},
                          {"slowest_cycles", time->slowest},
                          {"matrix_busy", double(time->unit.matrix_busy) / double(time->spread.simds) /
                                              double(std::max<u64>(1, time->unit.cycles))},
                          {"lds_busy", double(time->unit.lds_busy) / double(std::max<u64>(1, time->unit.cycles))},
                          {"wave_cycles", cycles_of(time->unit.causes, true)}};
        if (options.time_by_instruction) report["time"]["instructions"] = by_instruction(*kernel.program, time->unit);
    }
    if (options.check) {
        report["findings"] = Json::array();
        for (const Finding& finding : findings) {
            Json entry = {{"kind", finding_name(finding.kind)},
                          {"instruction", finding.instruction},
                          {"offset", finding.offset},
                          {"workgroup", {finding.group[0], finding.group[1], finding.group[2]}},
                          {"wave", finding.wave},
                          {"message", describe(finding, kernel.name)},
                          {"count", finding.count}};
            entry["lane"] = finding.lane < 0 ? Json(nullptr) : Json(finding.lane);
            report["findings"].push_back(entry);
        }
    }
    // A kernel's name is whatever the file says.
    return report.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
// A thread trace of hardware beside the simulator's time of the same instructions: those of its hottest loop.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "gfxsim/cli/options.hpp"
#include "gfxsim/decode/decoder.hpp"
#include "gfxsim/timing/compute_unit.hpp"

namespace gfxsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kHeader[] = "vaddr,instruction,hitcount,latency_cycles";
constexpr u64 kMostLines = 100'000;
constexpr u32 kTrips = 31;

struct Traced {
    u64 address, times, cycles;
    std::string text;
};

[[noreturn]] void refuse(const std::string& file, u64 line, const std::string& why) {
    throw std::runtime_error("Line " + std::to_string(line) + " of " + file + " does not fit: " + why + ".");
}

u64 number_of(const std::string& text, const std::string& file, u64 line) {
    if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos)
        refuse(file, line, "'" + text.substr(0, 40) + "' is no number");
    return std::stoull(text);
}

// address,instruction,times,cycles, where an instruction with commas has quotes.
Traced parsed(const std::string& text, const std::string& file, u64 line) {
    const std::size_t first = text.find(','), last = text.rfind(',');
    const std::size_t third = last == std::string::npos || !last ? last : text.rfind(',', last - 1);
    if (first == std::string::npos || third == std::string::npos || third <= first)
        refuse(file, line, "it has no four columns");
    std::string name = text.substr(first + 1, third - first - 1);
    if (name.size() >= 2 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
    return {number_of(text.substr(0, first), file, line),
            number_of(text.substr(third + 1, last - third - 1), file, line),
            number_of(text.substr(last + 1), file, line), name};
}

bool read_line(std::istream& in, std::string& text) {
    if (!std::getline(in, text)) return false;
    if (!text.empty() && text.back() == '\r') text.pop_back();
    return true;
}

std::vector<Traced> read_trace(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error(file + " cannot be read.");
    std::string text;
    if (!read_line(in, text) || text != kHeader)
        throw std::runtime_error(file + " is no thread trace: its first line is not " + kHeader + ".");
    std::vector<Traced> trace;
    for (u64 line = 2; read_line(in, text); ++line) {
        if (line > kMostLines) refuse(file, line, "a trace has at most " + std::to_string(kMostLines) + " lines");
        trace.push_back(parsed(text, file, line));
    }
    return trace;
}

// The instructions that ran most often: the hottest loop.
struct Loop {
    Program program;
    std::vector<Traced> traced;
};

Loop hottest(const std::vector<Traced>& trace, const std::string& file) {
    u64 most = 0;
    for (const Traced& one : trace) most = std::max(most, one.times);
    if (!most) throw std::runtime_error("No instruction of " + file + " was executed.");
    Loop loop;
    for (std::size_t i = 0; i < trace.size(); ++i) {
        if (trace[i].times != most) continue;
        Decoded decoded = decode_line(trace[i].text, Isa::gfx9);
        if (!decoded.problem.empty()) refuse(file, i + 2, decoded.problem);
        decoded.instr.size = i + 1 < trace.size() && trace[i + 1].address > trace[i].address
                                 ? u32(trace[i + 1].address - trace[i].address)
                                 : 4;
        loop.program.instrs.push_back(decoded.instr);
        loop.traced.push_back(trace[i]);
    }
    return loop;
}

u32 bytes_of(const std::string& name) {
    if (name.find("x4") != std::string::npos || name.find("b128") != std::string::npos) return 16;
    if (name.find("x3") != std::string::npos || name.find("b96") != std::string::npos) return 12;
    if (name.find("x2") != std::string::npos || name.find("b64") != std::string::npos) return 8;
    return 4;
}

bool writes(const std::string& name) {
    return name.find("_write") != std::string::npos || name.find("_store") != std::string::npos;
}

// A workgroup whose waves go through the loop. Where its lanes read is not in a trace: each load has lines of its own,
// without conflicts in LDS.
timing::GroupStream workgroup(const Program& program, u32 waves, const timing::Facts& facts, u64& next_line,
                              std::unordered_map<u64, float>& sharers, float shared) {
    timing::GroupStream group;
    group.waves.resize(waves);
    for (auto& wave : group.waves) {
        for (u32 trip = 0; trip < kTrips; ++trip) {
            for (u32 i = 0; i < program.instrs.size(); ++i) {
                const Instr& instr = program.instrs[i];
                const Class klass = instr.def->traits.klass;
                wave.push_back({i, timing::kNoTouch});
                if (klass != Class::lds && klass != Class::global) continue;
                timing::Touch touch;
                touch.bytes = kLanes * bytes_of(instr.def->name);
                touch.use = writes(instr.def->name) ? Use::write : Use::read;
                if (klass == Class::lds) {
                    touch.space = Space::lds;
                    touch.lds_cycles = u16(std::max(1.0, touch.bytes / facts.lds_bytes_per_cycle));
                } else {
                    touch.lines = std::max<u32>(1, touch.bytes / u32(facts.line_bytes));
                    touch.first_line = u32(group.lines.size());
                    for (u32 n = 0; n < touch.lines; ++n)
                        group.lines.push_back(next_line), sharers[next_line++] = instr.mod.nt ? 1 : shared;
                }
                wave.back().touch = u32(group.touches.size());
                group.touches.push_back(touch);
            }
        }
    }
    return group;
}

}  // namespace

int replay_command(const Arguments& arguments) {
    const Parsed parsed = parse(arguments, {"--gpu", "--waves", "--groups", "--sharers"}, {"--json", "--instructions"});
    if (parsed.rest.size() != 1) usage_error("replay wants one file with a thread trace");
    if (!parsed.has("--gpu")) usage_error("replay wants --gpu, the GPU that was traced");
    const std::string gpu = parsed.get("--gpu"), file = parsed.rest[0];
    const timing::Facts* facts = timing::facts_of(gpu);
    if (!facts) usage_error("There are no facts about time of '" + gpu + "', but of " + timing::gpus_with_facts());
    const u64 waves = parsed.number("--waves", 4), groups = parsed.number("--groups", 1),
              shared = parsed.number("--sharers", 8);
    if (!waves || waves > 16 || !groups || groups > 16 || !shared || shared > 1000)
        usage_error(
            "Workgroups have from 1 to 16 waves, a compute unit from 1 to 16 of them, and lines from 1 to 1000 "
            "sharers");
    const Loop loop = hottest(read_trace(file), file);
    const auto costs = timing::costs_of(loop.program, *facts);

    u64 next_line = 1;
    std::unordered_map<u64, float> sharers;
    std::vector<timing::GroupStream> streams;
    streams.reserve(groups);
    for (u64 i = 0; i < groups; ++i)
        streams.push_back(workgroup(loop.program, u32(waves), *facts, next_line, sharers, float(shared)));
    std::vector<const timing::GroupStream*> given;
    given.reserve(streams.size());
    for (const auto& stream : streams) given.push_back(&stream);
    const Gpu& machine = *find_gpu(gpu);
    timing::Shares shares;
    shares.l2 = facts->l2_bytes_per_cycle;
    shares.memory = facts->memory_gb_s / facts->clock_ghz / machine.spec->compute_units;
    shares.mall_is_warm = false;  // such a kernel streams its weights
    shares.sharers = &sharers;
    const timing::UnitTime time =
        timing::run_unit(loop.program, costs, *facts, machine.spec->simds_per_cu, shares, given);

    Json all = {{"file", file}, {"gpu", gpu}, {"instructions", loop.traced.size()}};
    double measured = 0, simulated = 0;
    for (std::size_t i = 0; i < loop.traced.size(); ++i) {
        const double there = double(loop.traced[i].cycles) / double(loop.traced[i].times);
        const double here = double(time.instructions[i].cycles) / double(time.instructions[i].times);
        measured += there, simulated += here;
        if (!parsed.has("--instructions")) continue;
        if (parsed.has("--json"))
            all["each"].push_back({{"text", loop.traced[i].text}, {"measured", there}, {"simulated", here}});
        else std::printf("%9.1f %9.1f  %s\n", there, here, loop.traced[i].text.c_str());
    }
    all["measured_cycles"] = measured, all["simulated_cycles"] = simulated, all["ratio"] = simulated / measured;
    if (parsed.has("--json")) std::printf("%s\n", all.dump(2).c_str());
    else
        std::printf(
            "%.0f cycles of a trip of the hottest loop in the trace, %.0f simulated for %s: %.2f times, %zu "
            "instructions\n",
            measured, simulated, gpu.c_str(), simulated / measured, loop.traced.size());
    return 0;
}

}  // namespace gfxsim

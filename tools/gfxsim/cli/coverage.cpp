// SPDX-License-Identifier: MIT
#include <cstdio>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "gfxsim/cli/files.hpp"
#include "gfxsim/cli/options.hpp"
#include "gfxsim/decode/decoder.hpp"
#include "gfxsim/decode/text.hpp"
#include "gfxsim/loader/code_object.hpp"

namespace gfxsim {
namespace {

struct Use {
    u64 count = 0;
    std::set<std::string> gpus;
    std::set<std::string> problems;
    bool exact = true;
    const char* klass = "";
};

// Code that can be reached: from a function's first instruction, or a branch's target, up to an unconditional end.
// What lies behind, padding and data, is no use of an instruction.
void add_code(const CodeObject& object, const std::string& gpu, std::map<std::string, Use>& uses) {
    const Program& program = object.program();
    std::vector<bool> target(program.instrs.size());
    for (const Instr& instr : program.instrs) {
        if (instr.def && instr.def->traits.klass == Class::branch && instr.srcs && instr.target != Program::kNowhere)
            target[instr.target] = true;
    }
    bool reached = false;
    for (std::size_t i = 0; i < program.instrs.size(); ++i) {
        const Instr& instr = program.instrs[i];
        reached = reached || target[i] || object.functions().count(instr.offset);
        if (!reached) continue;
        // A line that cannot be simulated is quoted in its reason.
        const std::string& line = program.text(instr);
        const std::string text = instr.def ? line : line.substr(1, line.find('\'', 1) - 1);
        const std::string name(plain_mnemonic(std::string_view(text).substr(0, text.find_first_of(" \t"))));
        Use& use = uses[name];
        ++use.count;
        use.gpus.insert(gpu);
        if (instr.def) {
            use.exact = instr.def->traits.exact == Exact::yes;
            use.klass = class_name(instr.def->traits.klass);
        } else {
            use.problems.insert(line);
        }
        reached = name != "s_endpgm" && name != "s_setpc_b64" && name != "s_branch";
    }
}

}  // namespace

int coverage_command(const Arguments& arguments) {
    const Parsed parsed = parse(arguments, {}, {"--json", "--missing"});
    if (parsed.rest.empty()) usage_error("coverage wants at least one file");
    std::map<std::string, Use> uses;
    for (const std::string& path : parsed.rest) {
        const FileWithCode file = device_code_of(path);
        for (const DeviceCode& code : file.code) {
            const Gpu* gpu = find_gpu(code.target.processor);
            if (!gpu) {
                std::fprintf(stderr, "gfxsim: %s has code for %s, which is not simulated.\n", path.c_str(),
                             code.target.processor.c_str());
                continue;
            }
            MemoryMap memory;
            add_code(*CodeObject::load({code.code, path}, *gpu, memory), std::string(gpu->name()), uses);
        }
    }
    std::size_t missing = 0;
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    if (!parsed.has("--json"))
        std::printf("%-36s %9s  %-9s %-14s %s\n", "instruction", "uses", "simulated", "class", "GPUs");
    for (const auto& [name, use] : uses) {
        const bool lacks = !use.problems.empty();
        missing += lacks;
        if (parsed.has("--missing") && !lacks) continue;
        std::string gpus;
        for (const std::string& gpu : use.gpus) gpus += (gpus.empty() ? "" : " ") + gpu;
        const char* state = lacks ? "no" : use.exact ? "exact" : "rounding";
        if (parsed.has("--json")) {
            all.push_back({{"instruction", name},
                           {"uses", use.count},
                           {"simulated", state},
                           {"class", use.klass},
                           {"gpus", use.gpus},
                           {"problems", use.problems}});
        } else {
            std::printf("%-36s %9llu  %-9s %-14s %s\n", name.c_str(), static_cast<unsigned long long>(use.count), state,
                        use.klass, gpus.c_str());
            for (const std::string& problem : use.problems) std::printf("    %s\n", problem.c_str());
        }
    }
    if (parsed.has("--json"))
        std::printf("%s\n", all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    else
        std::printf("%zu instructions, %zu of them not simulated; 'rounding' may differ from a GPU in the last bit\n",
                    uses.size(), missing);
    return missing ? 1 : 0;
}

}  // namespace gfxsim

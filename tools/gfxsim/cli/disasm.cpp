// SPDX-License-Identifier: MIT
#include <cstdio>
#include <stdexcept>

#include "gfxsim/cli/files.hpp"
#include "gfxsim/cli/options.hpp"
#include "gfxsim/loader/code_object.hpp"

namespace gfxsim {
namespace {

void print_kernel(const Kernel& kernel) {
    std::printf("kernel %s\n", kernel.name.c_str());
    std::printf("  registers: %u VGPRs, %u AGPRs, %u SGPRs; spilled: %u VGPRs, %u SGPRs\n", kernel.vgprs, kernel.agprs,
                kernel.sgprs, kernel.vgpr_spills, kernel.sgpr_spills);
    std::printf("  memory: %u bytes of LDS, %u bytes of scratch per lane%s, %u bytes of arguments\n", kernel.lds_bytes,
                kernel.scratch_bytes, kernel.dynamic_stack ? " and a dynamic stack" : "", kernel.kernarg_bytes);
    std::printf("  waves of %u lanes, workgroups of at most %u work items\n", kernel.wave_size, kernel.max_group_size);
    for (const KernelArg& arg : kernel.args)
        std::printf("  argument at %u: %u bytes%s%s\n", arg.offset, arg.size, arg.name.empty() ? "" : ", ",
                    arg.name.c_str());
    std::printf("\n");
}

// From a function's first instruction to the next function.
void print_code(const CodeObject& object, const std::string& only) {
    const Program& program = object.program();
    bool shown = only.empty();
    for (const Instr& instr : program.instrs) {
        const auto function = object.functions().find(instr.offset);
        if (function != object.functions().end()) {
            shown = only.empty() || function->second == only;
            if (shown) std::printf("%s:\n", function->second.c_str());
        }
        if (!shown) continue;
        const bool jumps =
            instr.def && instr.def->traits.klass == Class::branch && instr.target != Program::kNowhere && instr.srcs;
        std::printf("  %06x  %s", instr.offset, program.text(instr).c_str());
        if (jumps) std::printf("  ; to %06x", program.instrs[instr.target].offset);
        std::printf("%s\n", instr.def ? "" : "  ; not simulated");
    }
}

}  // namespace

int disasm_command(const Arguments& arguments) {
    const Parsed parsed = parse(arguments, {"--gpu", "--kernel"}, {});
    if (parsed.rest.size() != 1) usage_error("disasm wants one file");
    bool any = false;
    std::string names;
    const FileWithCode file = device_code_of(parsed.rest[0]);
    for (const DeviceCode& code : file.code) {
        names += (names.empty() ? "" : ", ") + code.target.processor;
        if (parsed.has("--gpu") && code.target.processor != parsed.get("--gpu")) continue;
        const Gpu* gpu = find_gpu(code.target.processor);
        if (!gpu) {
            std::fprintf(stderr, "gfxsim: %s has code for %s, which is not simulated (%s).\n", parsed.rest[0].c_str(),
                         code.target.processor.c_str(), std::string(known_gpus()).c_str());
            continue;
        }
        MemoryMap memory;
        const auto object = CodeObject::load({code.code, parsed.rest[0]}, *gpu, memory);
        if (parsed.has("--kernel") && !object->kernel(parsed.get("--kernel"))) continue;
        std::printf("%s, code for %s\n\n", parsed.rest[0].c_str(), code.id.c_str());
        for (const auto& [name, kernel] : object->kernels()) {
            if (!parsed.has("--kernel") || name == parsed.get("--kernel")) print_kernel(kernel);
        }
        print_code(*object, parsed.get("--kernel"));
        any = true;
    }
    if (!any)
        throw std::runtime_error(parsed.rest[0] + " has no such code" + (parsed.has("--kernel") ? " or kernel" : "") +
                                 "; it has code for " + names + ".");
    return 0;
}

}  // namespace gfxsim

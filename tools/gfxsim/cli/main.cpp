// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>

#include "device_code/bytes.hpp"
#include "gfxsim/cli/commands.hpp"
#include "gfxsim/processor/processor.hpp"

namespace {

constexpr char kHelp[] =
    "usage: gfxsim COMMAND …\n"
    "\n"
    "Executes AMD GPU code on the CPU.\n"
    "\n"
    "  run [--gpu GPU] [--threads N] [--check] [--report FILE] [--limit N] PROGRAM [ARGUMENT …]\n"
    "      Runs a program with the simulated HIP runtime. --check looks for bugs that a GPU hides and makes the exit "
    "code 3 if it found one\n"
    "      in a program that ended well; --report appends one JSON object per launch; --limit ends a wave after so "
    "many instructions.\n"
    "  trace [--gpu GPU] [--group N] [--wave N] PROGRAM [ARGUMENT …]\n"
    "      Runs a program on one thread and prints every instruction of one wave (by default the first of workgroup "
    "0).\n"
    "  time [--gpu GPU] [--threads N] [--sample] [--instructions N] [--lines N] [--trace FILE] [--json] PROGRAM "
    "[ARGUMENT …]\n"
    "      Runs a program and tells how long each launch would take on the GPU, and where its cycles go. With --sample "
    "only the workgroups that\n"
    "      a time needs are run: fast, but the program computes nothing that is right. --instructions lists the N that "
    "take the most cycles\n"
    "      (0: all, in the order of the code), --lines those of the source, if the code was compiled with "
    "-gline-tables-only; --trace writes what\n"
    "      each wave does, for a trace viewer such as Perfetto or chrome://tracing.\n"
    "  replay --gpu GPU [--waves N] [--groups N] [--sharers N] [--instructions] [--json] FILE\n"
    "      Takes the hottest loop of a thread trace (vaddr,instruction,hitcount,latency_cycles) and compares its "
    "cycles with simulated ones.\n"
    "  disasm [--gpu GPU] [--kernel NAME] FILE\n"
    "      Shows the kernels of a library, program, bundle or code object: their resources, arguments and code.\n"
    "  coverage [--json] [--missing] FILE …\n"
    "      Lists the instructions that files use, and whether the simulator has them. The exit code is 1 if it lacks "
    "one.\n"
    "\n"
    "Environment of the runtime: GFXSIM_GPU, GFXSIM_THREADS, GFXSIM_MULTIPROCESSORS, GFXSIM_BOUNDS, GFXSIM_CHECK, "
    "GFXSIM_REPORT, GFXSIM_TRACE,\n"
    "GFXSIM_TIMING, GFXSIM_TIMING_INSTRUCTIONS, GFXSIM_TIMING_TRACE, GFXSIM_INSTRUCTION_LIMIT, GFXSIM_LAUNCH_LIMIT.\n";

struct Command {
    const char* name;
    int (*run)(const gfxsim::Arguments&);
};

constexpr Command kCommands[] = {
    {"run", gfxsim::run_command},       {"trace", gfxsim::trace_command},   {"time", gfxsim::time_command},
    {"replay", gfxsim::replay_command}, {"disasm", gfxsim::disasm_command}, {"coverage", gfxsim::coverage_command},
};

}  // namespace

int main(int count, char** values) {
    if (const char* problem = gfxsim::processor_problem()) {
        std::fprintf(stderr, "gfxsim: %s\n", problem);
        return 2;
    }
    // Under `bazel run` the caller's folder is not the current one; without this its paths would lead nowhere.
    if (const char* folder = std::getenv("BUILD_WORKING_DIRECTORY")) {
        if (chdir(folder) != 0)
            std::fprintf(stderr, "gfxsim: the folder %s cannot be entered; relative paths may not be found.\n", folder);
    }
    const std::string name = count > 1 ? values[1] : "";
    if (name == "--help" || name == "-h" || name == "help") return std::fputs(kHelp, stdout) < 0;
    try {
        for (const Command& command : kCommands) {
            if (name == command.name) return command.run(gfxsim::Arguments(values + 2, values + count));
        }
        gfxsim::usage_error(name.empty() ? "A command is missing" : "There is no command '" + name + "'");
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "gfxsim: There is not enough memory for what the files hold.\n");
    } catch (const std::length_error&) {
        std::fprintf(stderr, "gfxsim: There is not enough memory for what the files hold.\n");
    } catch (const std::exception& error) {
        namespace device_code = ckdispatch::device_code;
        std::fprintf(stderr, "gfxsim: %s\n",
                     device_code::shortened(error.what(), device_code::limits::kSentence).c_str());
    }
    return 2;
}

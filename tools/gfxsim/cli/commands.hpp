// SPDX-License-Identifier: MIT
// The commands of the program `gfxsim`. Each takes its arguments and returns an exit code; a std::runtime_error is one
// sentence.
#pragma once

#include <string>
#include <vector>

namespace gfxsim {

using Arguments = std::vector<std::string>;

int run_command(const Arguments& arguments);
int trace_command(const Arguments& arguments);
int time_command(const Arguments& arguments);
int replay_command(const Arguments& arguments);
int disasm_command(const Arguments& arguments);
int coverage_command(const Arguments& arguments);

/// Wrong use of the command line.
[[noreturn]] void usage_error(const std::string& sentence);

}  // namespace gfxsim

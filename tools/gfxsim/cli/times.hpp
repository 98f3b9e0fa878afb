// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace gfxsim {

/// Prints the times of a report's launches: a table, or the JSON objects of the report as one list.
void print_times(const std::string& report, bool json);

}  // namespace gfxsim

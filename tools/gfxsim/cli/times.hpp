// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace gfxsim {

/// Prints the times of a report's launches: a table, or the JSON objects of the report as one list. `instructions`: how many of each
/// launch, those that take the most cycles; all for 0.
void print_times(const std::string& report, bool json, std::optional<std::size_t> instructions);

/// Makes of the events that the runtime wrote a whole JSON document, which is not there before it is whole.
void finish_trace(const std::string& events, const std::string& file);

}  // namespace gfxsim

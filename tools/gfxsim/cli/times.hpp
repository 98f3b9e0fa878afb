// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace gfxsim {

/// What is said of a launch beside its time. `instructions` and `lines`: how many, those that take the most cycles; all
/// for 0.
struct TimeDetails {
    bool json = false;  ///< the JSON objects of the report as one list, with whatever they have
    std::optional<std::size_t> instructions;
    std::optional<std::size_t> lines;  ///< of the source
};

/// Prints the times of a report's launches.
void print_times(const std::string& report, const TimeDetails& details);

/// Makes of the events that the runtime wrote a whole JSON document, which is not there before it is whole.
void finish_trace(const std::string& events, const std::string& file);

}  // namespace gfxsim

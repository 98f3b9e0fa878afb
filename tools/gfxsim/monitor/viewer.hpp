// SPDX-License-Identifier: MIT
// The sample of a launch's time as a picture: Chrome's trace format, which viewers such as Perfetto open.
#pragma once

#include <string>

#include "gfxsim/engine/engine.hpp"
#include "gfxsim/timing/estimate.hpp"

namespace gfxsim {

/// What a trace begins with: an array of events, each on a line with a comma behind it. Viewers do not ask for its end.
constexpr char kTraceBegin[] = "[\n";

/// The events of one launch: a row for each wave of the compute unit that was simulated, in µs of the GPU.
std::string trace_events(u64 number, const Launch& launch, const timing::LaunchTime& time);

}  // namespace gfxsim

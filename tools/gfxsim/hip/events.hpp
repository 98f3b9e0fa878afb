// SPDX-License-Identifier: MIT
#pragma once

#include "gfxsim/hip/api.hpp"

namespace gfxsim {

/// Notes the time: all work before it is done. A HipError unless the event exists.
void record_event(hipEvent_t event);
/// With GFXSIM_TIMING, events have the time of the simulated GPU, which goes on by launches alone.
void pass_time(double microseconds);

}  // namespace gfxsim

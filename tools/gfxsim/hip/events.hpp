// SPDX-License-Identifier: MIT
#pragma once

#include "gfxsim/hip/api.hpp"

namespace gfxsim {

/// Notes the time: all work before it is done. A HipError unless the event exists.
void record_event(hipEvent_t event);

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
#pragma once

#include "gfxsim/core/gpu.hpp"
#include "gfxsim/hip/api.hpp"

// It needs the types of the header that api.hpp includes, and declares entries without exporting them.
#pragma GCC visibility push(default)
#include <hip/hip_deprecated.h>
#pragma GCC visibility pop

namespace gfxsim {

/// What the simulated GPU says of itself: the figures of arch/, and the memory of the machine it is simulated on.
/// A figure that is not known is 0.
hipDeviceProp_tR0600 properties(const Gpu& gpu);
/// The same in the form of versions before 6.
hipDeviceProp_tR0000 old_properties(const Gpu& gpu);
/// A HipError if the attribute is none that is known.
int attribute(const Gpu& gpu, hipDeviceAttribute_t attribute);

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
// Whether the simulator can run on this processor. Most of it is compiled for the third level of amd64, whose
// processors multiply and add in one step, and would end in an illegal instruction on an older one. What runs before
// this is asked, hip/ and cli/, is compiled for any.
#pragma once

namespace gfxsim {

/// Why not, as a sentence; nullptr if it can.
const char* processor_problem() noexcept;

}  // namespace gfxsim

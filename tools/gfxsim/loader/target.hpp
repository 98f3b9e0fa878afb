// SPDX-License-Identifier: MIT
// Target ids such as "gfx942:sramecc+:xnack-": which code runs on which GPU in which settings.
#pragma once

#include <string>
#include <string_view>

#include "gfxsim/core/gpu.hpp"

namespace gfxsim {

/// A feature is '+', '-' or 0, which is code for either setting.
struct Target {
    std::string processor;
    char sramecc = 0;
    char xnack = 0;
};

/// Takes a target id, also with a triple or an entry id of a bundle before it. The processor is empty if there is none.
Target parse_target(std::string_view id);

/// The settings that the simulated GPU runs in: memory with error correction, no retry of page faults.
const std::string& target_id(const Gpu& gpu);

bool runs_on(const Target& code, const Gpu& gpu);

}  // namespace gfxsim

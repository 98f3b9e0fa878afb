// SPDX-License-Identifier: MIT
// What a GPU takes time for: the figures of arch/timing_facts.json, where each has its source.
#pragma once

#include <string>
#include <string_view>

#include "arch/timing_facts.hpp"

namespace gfxsim::timing {

using Facts = ckdispatch::arch::TimingFacts;

/// The facts of a GPU, or nullptr if there are none.
const Facts* facts_of(std::string_view gpu);
/// The GPUs that have some, separated by ", ".
std::string gpus_with_facts();

}  // namespace gfxsim::timing

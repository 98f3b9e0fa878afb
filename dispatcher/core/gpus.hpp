// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "arch/arch_types.hpp"
#include "ckdispatch/core/name.hpp"

namespace ckdispatch {

/// The facts about a GPU. Throws InvalidArgumentError with the known names.
const arch::GpuSpec& gpu_facts(Name gpu);

/// The names of all GPUs, for sentences.
std::string known_gpus();

}  // namespace ckdispatch

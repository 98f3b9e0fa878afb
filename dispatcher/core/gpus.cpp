// SPDX-License-Identifier: MIT
#include "ckdispatch/core/gpus.hpp"

#include "arch/arch_specs.hpp"
#include "ckdispatch/core/error.hpp"

namespace ckdispatch {

const arch::GpuSpec& gpu_facts(Name gpu) {
    if (const arch::GpuSpec* found = arch::find_gpu(gpu.text())) return *found;
    throw InvalidArgumentError("The GPU '" + std::string(gpu.text()) + "' was asked for; the known ones are " +
                               known_gpus() + ".");
}

std::string known_gpus() {
    std::string names;
    for (const arch::GpuSpec& gpu : arch::gpus) names += (names.empty() ? "" : ", ") + std::string(gpu.name);
    return names;
}

}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
#include "gfxsim/processor/processor.hpp"

namespace gfxsim {

const char* processor_problem() noexcept {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("x86-64-v3"))
        return "This processor is below the level x86-64-v3 (AVX2, FMA, BMI2 and their like), which the simulator "
               "needs; run it on one that has it.";
#endif
    return nullptr;
}

}  // namespace gfxsim

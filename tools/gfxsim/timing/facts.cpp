// SPDX-License-Identifier: MIT
#include "gfxsim/timing/facts.hpp"

namespace gfxsim::timing {

const Facts* facts_of(std::string_view gpu) {
    for (const Facts& facts : ckdispatch::arch::timing_facts)
        if (facts.gpu == gpu) return &facts;
    return nullptr;
}

std::string gpus_with_facts() {
    std::string names;
    for (const Facts& facts : ckdispatch::arch::timing_facts)
        names += (names.empty() ? "" : ", ") + std::string(facts.gpu);
    return names;
}

}  // namespace gfxsim::timing

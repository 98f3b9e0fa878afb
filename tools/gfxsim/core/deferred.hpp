// SPDX-License-Identifier: MIT
// Floating-point sums in global memory. Their result depends on the order of the terms, and threads have none: so a
// workgroup keeps its terms, and the engine adds them when all workgroups before it are done.
#pragma once

#include <vector>

#include "gfxsim/core/types.hpp"

namespace gfxsim {

struct DeferredAdd {
    void (*apply)(u8* at, u64 value, u8 denorm32, u8 denorm64);
    u8* at;
    u64 value;
    u8 denorm32;
    u8 denorm64;
};

class DeferredAdds {
public:
    void add(const DeferredAdd& term) { terms_.push_back(term); }
    bool empty() const { return terms_.empty(); }
    /// Adds them now: when the workgroup itself, or one that it is about to signal, may look at the sum.
    void flush() {
        for (const DeferredAdd& term : terms_) term.apply(term.at, term.value, term.denorm32, term.denorm64);
        terms_.clear();
    }
    DeferredAdds take() {
        DeferredAdds taken;
        taken.terms_.swap(terms_);
        return taken;
    }

private:
    std::vector<DeferredAdd> terms_;
};

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
// Why a kernel does not serve a problem, and how near it comes to it.
#pragma once

#include <string>
#include <utility>

namespace ckdispatch {

struct Mismatch {
    /// Why the kernel computes something else; empty if it does not.
    std::string why;
    /// Checks that it passed before. Families check first what matters most: of two kernels the one that passed more is
    /// the nearer.
    int passed = 0;
};

/// The checks of a kernel in their order: the first that fails is the mismatch.
class Checks {
public:
    /// What must be so; `why` makes the sentence about what is not.
    template <class Why>
    Checks& check(bool holds, Why&& why) {
        if (mismatch_.why.empty()) note(holds ? std::string() : why());
        return *this;
    }
    /// What several conditions are behind: `why` returns nothing if they hold.
    template <class Why>
    Checks& check(Why&& why) {
        if (mismatch_.why.empty()) note(why());
        return *this;
    }

    Mismatch result() { return std::move(mismatch_); }

private:
    void note(std::string why) {
        if (why.empty()) ++mismatch_.passed;
        mismatch_.why = std::move(why);
    }

    Mismatch mismatch_;
};

}  // namespace ckdispatch

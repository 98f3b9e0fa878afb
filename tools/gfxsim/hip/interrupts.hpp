// SPDX-License-Identifier: MIT
// Ctrl-C while a kernel runs. A program that handles SIGINT gets it as ever, and the launch ends early so that it can
// be acted upon. A program that does not handle it is ended by it, or ignores it, as without a launch: the simulator
// changes nothing then.
#pragma once

#include <signal.h>

#include "gfxsim/engine/engine.hpp"

namespace gfxsim {

/// What a launch that is asked for now has to look at. Taken before the launch waits for others, so that one signal
/// ends those as well.
Interruption interruption();

/// While it lives, SIGINT is counted on its way to the program's handler. There is one at a time.
class InterruptWatch {
public:
    InterruptWatch();
    /// Puts the program's handler back, unless the program has set another one meanwhile.
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

private:
    bool watches_ = false;
    struct sigaction program_;
};

}  // namespace gfxsim

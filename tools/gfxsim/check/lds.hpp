// SPDX-License-Identifier: MIT
// Who wrote and read each word of a workgroup's LDS since the last barrier.
#pragma once

#include <vector>

#include "gfxsim/check/waits.hpp"

namespace gfxsim {

class LdsCheck {
public:
    void start(Workgroup& group);
    void barrier() { ++epoch_; }

    /// Looks at one instruction's accesses; returns the lanes that read defined values only.
    /// `defined`: lanes whose data is defined, for a write. `ended`: whether the wave `w` has waited for its write
    /// `serial`.
    struct WaveView {
        const WaitCheck* const* waves;  ///< of the workgroup, by index
        Counter counter;                ///< that this instruction raises
    };
    u64 access(Wave& wave, const Instr& instr, const Access& access, u64 defined, const WaveView& view,
               Findings& findings);

private:
    struct Word {
        u64 write_epoch = 0;
        u64 read_epoch = 0;
        u64 serial = 0;   ///< of the write, on its counter
        u32 readers = 0;  ///< waves that read in read_epoch
        u8 writer = 0;
        u8 written = 0;  ///< bytes that were written in write_epoch
        u8 defined = 0;  ///< bytes that hold a value
        u8 counter = 0;
        bool atomic = false;
    };
    void race(const Wave& wave, const Instr& instr, int lane, u64 address, const char* what, u32 other,
              Findings& findings);

    std::vector<Word> words_;
    u64 epoch_ = 1;
};

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
#pragma once

#include <amd_comgr/amd_comgr.h>

#include <string>

#include "gfxsim/core/gpu.hpp"

namespace gfxsim {

struct Code {
    const u8* bytes;
    u64 size;
};

/// The text of one instruction and its size in bytes.
struct Disassembled {
    std::string text;
    u64 size = 0;
};

/// The code object manager's disassembler for a GPU. It may end the process.
class Instructions {
public:
    explicit Instructions(const Gpu& gpu);
    bool usable() const { return usable_; }
    Disassembled at(const Code& code, u64 offset) const;

private:
    const Gpu& gpu_;
    amd_comgr_disassembly_info_t info_{};
    bool usable_ = false;
};

/// An instruction that the code object manager cannot read.
Disassembled without_manager(const Gpu& gpu, const Code& code, u64 offset);

}  // namespace gfxsim

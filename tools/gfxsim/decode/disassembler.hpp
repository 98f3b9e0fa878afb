// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "gfxsim/core/gpu.hpp"

namespace gfxsim {

struct DisassembledLine {
    u64 offset;
    u64 size;
    std::string text;
};

/// Disassembles code for a GPU with the code object manager. Bytes that are no instruction become lines ".long 0x…".
std::vector<DisassembledLine> disassemble(const Gpu& gpu, const u8* code, u64 size);

}  // namespace gfxsim

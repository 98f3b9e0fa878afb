// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gfxsim/core/types.hpp"

namespace gfxsim {

struct DisassembledLine {
    u64 offset;
    u64 size;
    std::string text;
};

/// Disassembles code for a GPU with the code object manager. Bytes that are no instruction become lines ".long 0x…".
std::vector<DisassembledLine> disassemble(std::string_view gpu, const u8* code, u64 size);

}  // namespace gfxsim

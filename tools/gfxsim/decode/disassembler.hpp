// SPDX-License-Identifier: MIT
// The code object manager's disassembler is LLVM's, which dies of some words that are no instruction. So it runs in a
// process of its own, which is started when it is first needed and ends with this one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gfxsim/core/gpu.hpp"

namespace gfxsim {

struct DisassembledLine {
    u64 offset;
    u64 size;
    std::string text;
};

/// Disassembles code for a GPU and hands over its lines in their order. Bytes that are no instruction become lines
/// ".long 0x…". Throws std::runtime_error with half a sentence if there is no disassembler for the GPU, or its program
/// cannot be run.
void disassemble(const Gpu& gpu, const u8* code, u64 size, const std::function<void(DisassembledLine)>& take);

/// FILE:LINE of the instructions at addresses of a code object, by its debug information; empty for those that it does
/// not tell of. Throws as above.
std::vector<std::string> source_lines(const std::vector<u8>& file, const std::vector<u64>& addresses);

}  // namespace gfxsim

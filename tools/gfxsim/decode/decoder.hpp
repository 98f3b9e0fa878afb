// SPDX-License-Identifier: MIT
// From machine code to a Program: disassembled once, then compact.
#pragma once

#include <memory>
#include <string>

#include "gfxsim/core/program.hpp"

namespace gfxsim {

/// Decodes the code at `address`. What is not understood becomes an instruction that fails when it is reached.
/// Throws std::runtime_error if there is no disassembler for the GPU.
std::unique_ptr<Program> decode(const Gpu& gpu, const std::string& file, const u8* code, u64 size);

/// Decodes one line of disassembly; the problem is empty if it can run.
struct Decoded {
    Instr instr;
    std::unique_ptr<Instr> second;
    std::string problem;
};
Decoded decode_line(const std::string& text, Isa isa);

/// Runs an instruction that cannot be simulated: raises the Fault that says why.
void run_unsupported(Wave& wave, const Instr& instr);

}  // namespace gfxsim

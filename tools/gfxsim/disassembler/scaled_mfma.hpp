// SPDX-License-Identifier: MIT
// LLVM's disassembler takes the sources of gfx950's v_mfma_*_f8f6f4 for eight registers before it looks at their
// formats, and so gives up on matrices of four or six registers at the end of the register file.
#pragma once

#include <string>

#include "gfxsim/core/types.hpp"

namespace gfxsim {

/// The text of such an instruction, with or without scales, and its size in bytes; no text if the code is something
/// else.
struct ScaledMfma {
    std::string text;
    u64 size = 0;
};
ScaledMfma decode_scaled_mfma(const u8* code, u64 size);

}  // namespace gfxsim

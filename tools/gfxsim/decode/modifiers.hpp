// SPDX-License-Identifier: MIT
// What stands behind the operands of an instruction, and instructions whose operands are not registers.
#pragma once

#include "gfxsim/decode/text.hpp"

namespace gfxsim {

/// Reads one modifier into the line; false if `piece` is no modifier. Sets line.problem if it is one without meaning
/// here.
bool parse_modifier(std::string_view piece, Line& line);

/// Reads waits, messages, hardware registers and immediates; false if the mnemonic is an ordinary one.
bool parse_special(std::string_view mnemonic, std::string_view rest, Isa isa, Line& line);

}  // namespace gfxsim

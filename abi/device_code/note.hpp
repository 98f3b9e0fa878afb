// SPDX-License-Identifier: MIT
// The note in which a code object describes its kernels: MessagePack, of any content. The code object manager's own
// reader dies of some.
#pragma once

#include <nlohmann/json.hpp>

#include "device_code/elf.hpp"

namespace ckdispatch::device_code {

/// What the note says; null if there is none. Throws std::runtime_error with half a sentence if it cannot be read.
nlohmann::json read_note(const ElfFile& code_object);

}  // namespace ckdispatch::device_code

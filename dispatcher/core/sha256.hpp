// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

namespace ckdispatch {

/// The SHA-256 of some bytes, as 64 lower-case hexadecimal digits.
std::string sha256(const void* data, std::size_t size);

}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "gfxsim/loader/bytes.hpp"

namespace gfxsim {

/// Decompresses what the machine's own libzstd or libz can; nothing where there is no such library.
/// Throws std::runtime_error if the data is damaged or is not `size` bytes long.
std::optional<std::vector<u8>> decompress_zstd(Bytes data, u64 size);
std::optional<std::vector<u8>> decompress_zlib(Bytes data, u64 size);

}  // namespace gfxsim

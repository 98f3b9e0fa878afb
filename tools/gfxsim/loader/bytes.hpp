// SPDX-License-Identifier: MIT
// Bytes of a file or of this process's memory, read without leaving them.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "device_code/bytes.hpp"
#include "gfxsim/core/types.hpp"

namespace gfxsim {

using ckdispatch::device_code::Bytes;
using ckdispatch::device_code::bytes_of;
using ckdispatch::device_code::shortened;
namespace limits = ckdispatch::device_code::limits;

/// Bytes and where they came from, for messages.
struct Image {
    Bytes bytes;
    std::string file;
};

/// The readable memory that begins at an address: as far as the image there can reach, for its size is not known.
/// Throws std::runtime_error if nothing can be read there.
Image readable_from(const void* address);

/// A whole ordinary file. Throws std::runtime_error if it cannot be read or is too large.
std::vector<u8> read_file(const std::string& path);

}  // namespace gfxsim

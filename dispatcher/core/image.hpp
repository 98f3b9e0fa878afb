// SPDX-License-Identifier: MIT
// Loading a shared library from bytes that were looked at, in place of a file that somebody may exchange meanwhile. Not
// part of the public face.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ckdispatch {

/// How the loader is given the bytes: in a memory file that nobody can change, or where the system has none (or
/// executes none) in a private folder.
enum class ImageWay { memory, folder };

/// Loads the bytes as a library of its own, whatever else was loaded from a file of that path, and returns the loader's
/// handle. Throws DamagedError with the loader's reason, and IoFailedError if the loader cannot be given the
/// bytes.
void* load_image(const std::vector<std::uint8_t>& content, const std::string& path);

/// The same in one of the ways alone.
void* load_image(const std::vector<std::uint8_t>& content, const std::string& path, ImageWay way);

}  // namespace ckdispatch

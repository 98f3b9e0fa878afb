// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ckdispatch {

/// A whole file; `what` is what it is called in the sentence that says why it cannot be read.
std::vector<std::uint8_t> read_file(const std::string& path, const std::string& what);

}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// The kernel libraries that were built for the test, and copies of them that are not what they were.
#pragma once

#include <string>
#include <string_view>

#include "tests/dispatcher/support/temporary.hpp"

namespace ckdispatch::test {

/// The only built file whose name contains all of the parts. Throws if there is none, or another.
std::string built_file(std::string_view part, std::string_view other_part = {});

/// The library, and the manifest, of that kernel or set.
inline std::string built_library(std::string_view part) { return built_file(part, ".so"); }
inline std::string built_manifest(std::string_view set) { return built_file(set, ".manifest.json"); }

/// Exchanges a text that a file has for another of the same length, wherever it is. Throws if it is nowhere.
void exchange(Bytes& content, std::string_view text, std::string_view other);

}  // namespace ckdispatch::test

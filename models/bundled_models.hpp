// SPDX-License-Identifier: MIT
// The models of this folder, as they are.
#pragma once

#include <string_view>
#include <vector>

namespace ckdispatch::models {

struct Bundled {
    std::string_view name;  ///< of its file
    std::string_view family;
    std::string_view gpu;
    std::string_view content;
};

const std::vector<Bundled>& bundled();

}  // namespace ckdispatch::models

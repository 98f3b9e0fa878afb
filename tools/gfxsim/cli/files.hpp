// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "gfxsim/loader/bundle.hpp"

namespace gfxsim {

/// All device code in a file; a sentence as std::runtime_error if there is none, or the file cannot be read.
std::vector<DeviceCode> device_code_of(const std::string& path);

}  // namespace gfxsim

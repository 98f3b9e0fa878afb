// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "gfxsim/loader/bundle.hpp"

namespace gfxsim {

struct FileWithCode {
    std::vector<u8> content;
    std::vector<DeviceCode> code;
};

/// All device code in a file; a sentence as std::runtime_error if there is none, or the file cannot be read.
FileWithCode device_code_of(const std::string& path);

}  // namespace gfxsim

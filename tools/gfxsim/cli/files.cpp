// SPDX-License-Identifier: MIT
#include "gfxsim/cli/files.hpp"

#include <stdexcept>

namespace gfxsim {

std::vector<DeviceCode> device_code_of(const std::string& path) {
    const std::vector<u8> bytes = read_file(path);
    std::vector<DeviceCode> found = all_device_code({bytes_of(bytes), path});
    if (found.empty()) throw std::runtime_error(path + " has no code for an AMD GPU.");
    return found;
}

}  // namespace gfxsim

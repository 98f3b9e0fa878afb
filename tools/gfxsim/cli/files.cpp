// SPDX-License-Identifier: MIT
#include "gfxsim/cli/files.hpp"

#include <stdexcept>

namespace gfxsim {

FileWithCode device_code_of(const std::string& path) {
    FileWithCode file;
    file.content = read_file(path);
    file.code = all_device_code({bytes_of(file.content), path});
    if (file.code.empty()) throw std::runtime_error(path + " has no code for an AMD GPU.");
    return file;
}

}  // namespace gfxsim

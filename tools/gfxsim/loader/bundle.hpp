// SPDX-License-Identifier: MIT
// Fat binaries: which code object of a bundle is the one for a GPU.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gfxsim/loader/bytes.hpp"
#include "gfxsim/loader/target.hpp"

namespace gfxsim {

/// Device code for one target.
struct DeviceCode {
    Target target;
    std::string id;  ///< of the entry in its bundle, or the ISA of a code object that is in none
    Bytes code;      ///< in the image, or in `unpacked`
    std::shared_ptr<const std::vector<u8>> unpacked;
};

/// A sound image, but none for the GPU.
class NoCodeForGpu : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The code object for a GPU in a bundle, plain or compressed, or in an image that is a code object itself.
/// Throws NoCodeForGpu with a sentence that names the GPUs that the image does have code for, and std::runtime_error
/// if the image is damaged.
DeviceCode find_code_object(const Image& image, const Gpu& gpu);

/// All device code of a code object, a bundle, or a host library or program that has bundles in it. Of compressed
/// bundles that nothing on the machine decompresses it finds the code of the GPUs that are simulated.
std::vector<DeviceCode> all_device_code(const Image& image);

/// What the pointer given to __hipRegisterFatBinary leads to. Throws std::runtime_error if it is no such thing.
Image registered_image(const void* wrapper);

}  // namespace gfxsim

// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "device_code/elf.hpp"
#include "gfxsim/core/program.hpp"

namespace gfxsim {

/// A kernel as its code object's metadata describes it: everything but its code and its descriptor.
struct DescribedKernel {
    Kernel kernel;
    std::string descriptor;  ///< the symbol of its kernel descriptor
};

std::vector<DescribedKernel> read_metadata(const ckdispatch::device_code::ElfFile& elf);

}  // namespace gfxsim

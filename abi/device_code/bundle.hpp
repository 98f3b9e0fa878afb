// SPDX-License-Identifier: MIT
// How a library carries its device code: bundles of code objects in a section of the host file.
#pragma once

#include <string>
#include <vector>

#include "device_code/bytes.hpp"
#include "device_code/elf.hpp"

namespace ckdispatch::device_code {

inline constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__";

/// One entry of a bundle, such as "hipv4-amdgcn-amd-amdhsa--gfx942".
struct BundleEntry {
    std::string id;
    Bytes code;
};

/// The entries of an uncompressed bundle, the host's empty one included. Throws std::runtime_error if it is damaged.
std::vector<BundleEntry> bundle_entries(Bytes bundle);

/// Where the bundles of a host library or program may begin: each page of its sections for device code.
std::vector<Bytes> bundle_places(const ElfFile& host_file);

/// The GPU of an entry's or target's id, such as gfx942; empty if it is for no GPU.
std::string_view processor_of(std::string_view id);

}  // namespace ckdispatch::device_code

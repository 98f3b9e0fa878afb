// SPDX-License-Identifier: MIT
// The parts of the code object manager's C interface that loading needs, with owners.
#pragma once

#include <amd_comgr/amd_comgr.h>

#include <memory>
#include <string>
#include <vector>

#include "gfxsim/loader/bytes.hpp"

namespace gfxsim::comgr {

/// A node of a tree of facts about a GPU; false if there is none, and then nothing is found in it.
class Metadata {
public:
    Metadata() = default;
    explicit Metadata(amd_comgr_metadata_node_t node);

    explicit operator bool() const { return node_ != nullptr; }
    Metadata find(const char* key) const;

private:
    std::shared_ptr<amd_comgr_metadata_node_t> node_;
};

/// Empty if the code object manager does not know the name.
Metadata isa_metadata(const std::string& isa);
/// The ISA of a linked code object, such as "amdgcn-amd-amdhsa--gfx942:xnack-"; empty if it is none that is known.
std::string isa_name(Bytes elf);
/// The code objects of a bundle, compressed or not, for each of the entry ids; an empty one where there is none.
/// Throws std::runtime_error if the bundle cannot be read.
std::vector<std::vector<u8>> unbundle(Bytes bundle, const std::vector<std::string>& ids);

}  // namespace gfxsim::comgr

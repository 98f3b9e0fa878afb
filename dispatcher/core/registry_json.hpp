// SPDX-License-Identifier: MIT
// What registries of every family read and write: entries of manifests and of exported registries. Not part of the
// public face.
#pragma once

#include <string>
#include <vector>

#include "ckdispatch/core/json.hpp"
#include "ckdispatch/core/library.hpp"

namespace ckdispatch {

/// A kernel as a manifest or an exported registry names it, before its family reads the spec.
struct KernelEntry {
    std::string name;
    Json spec;
    LibraryFile file;
    std::vector<Resources> resources;
    int priority = 0;
    std::string key;  ///< as text; of a kernel that a registry has
};

/// The entries of `<set>.manifest.json`. A library outside the manifest's folder, or without a hash, is refused.
std::vector<KernelEntry> read_manifest(const std::string& path, int priority);
inline std::string manifest_called(const std::string& path) { return "The manifest " + path; }

/// The entries of an exported registry.
std::vector<KernelEntry> read_export(const Json& document, const std::string& what);
Json write_entry(const KernelEntry& entry);

}  // namespace ckdispatch

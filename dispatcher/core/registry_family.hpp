// SPDX-License-Identifier: MIT
// The part of a family's registry that reads and writes JSON, written once for all families. Included by their .cpp
// files alone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "arch/arch_specs.hpp"
#include "ckdispatch/core/registry.hpp"
#include "ckdispatch/core/registry_json.hpp"

namespace ckdispatch {

template <class Key>
void check_identity(const KernelLibrary& library, const Key& key, const std::string& name) {
    const std::string what = "The description of " + library.path();
    if (library.name() != name || !(key_from_json<Key>(parse_json(library.spec(), what), what) == key))
        throw DamagedError("The library " + library.path() + " was registered as " + name +
                           " and describes itself as another kernel, " + library.name() + ".");
}

template <class Key>
std::vector<std::shared_ptr<const Kernel<Key>>> kernels_of_entries(std::vector<KernelEntry> entries,
                                                                   const std::string& what) {
    std::vector<std::shared_ptr<const Kernel<Key>>> kernels;
    for (KernelEntry& entry : entries) {
        auto key = key_from_json<Key>(entry.spec, what);
        for (Resources& used : entry.resources) {
            const arch::GpuSpec* gpu = arch::find_gpu(used.gpu.text());
            if (!gpu)
                throw DamagedError(what + " names the GPU " + std::string(used.gpu.text()) +
                                   ", which this runtime does not know.");
            const std::int64_t lanes = key.lanes_per_workgroup(*gpu);
            if (lanes > kMostLanes)
                throw DamagedError(what + " has the kernel " + entry.name + " with workgroups of " +
                                   std::to_string(lanes) + " lanes; no GPU has more than " +
                                   std::to_string(kMostLanes) + ".");
            used.wave_size = gpu->wave_size;
            used.workgroup_size = int(lanes);
        }
        kernels.push_back(std::make_shared<Kernel<Key>>(std::move(key), entry.name, entry.file,
                                                        std::move(entry.resources), entry.priority));
    }
    return kernels;
}

template <class Derived, class Key>
auto BaseRegistry<Derived, Key>::describe(std::shared_ptr<const KernelLibrary> library, int priority) -> KernelPtr {
    const std::string what = "The description of " + library->path();
    Key key = key_from_json<Key>(parse_json(library->spec(), what), what);
    std::string name = library->name();
    return std::make_shared<Kernel<Key>>(std::move(key), std::move(name), std::move(library), priority);
}

template <class Derived, class Key>
std::size_t BaseRegistry<Derived, Key>::add_entries(std::vector<KernelEntry> entries, const std::string& what,
                                                    Duplicates duplicates) {
    return add_all(kernels_of_entries<Key>(std::move(entries), what), duplicates);
}

template <class Derived, class Key>
std::size_t BaseRegistry<Derived, Key>::load_manifest(const std::string& path, Duplicates duplicates, int priority) {
    return add_entries(read_manifest(path, priority), manifest_called(path), duplicates);
}

template <class Derived, class Key>
KernelEntry BaseRegistry<Derived, Key>::entry_of(const Kernel<Key>& kernel) {
    Json spec = key_to_json(kernel.key());
    spec["name"] = kernel.name();
    return {kernel.name(),      std::move(spec),   kernel.file(),
            kernel.resources(), kernel.priority(), to_text(kernel.key())};
}

template <class Derived, class Key>
std::vector<KernelEntry> BaseRegistry<Derived, Key>::entries() const {
    std::vector<KernelEntry> all;
    for (const KernelPtr& kernel : kernels()) all.push_back(entry_of(*kernel));
    return all;
}

template <class Derived, class Key>
std::optional<KernelEntry> BaseRegistry<Derived, Key>::entry(const std::string& name_or_key) const {
    const KernelPtr kernel = is_key(name_or_key) ? find(from_text<Key>(name_or_key)) : find_name(name_or_key);
    return kernel ? std::optional<KernelEntry>(entry_of(*kernel)) : std::nullopt;
}

}  // namespace ckdispatch

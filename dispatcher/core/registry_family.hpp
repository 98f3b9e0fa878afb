// SPDX-License-Identifier: MIT
// The part of a family's registry that reads and writes JSON, written once for all families. Included by their .cpp files alone.
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
        throw Error(ErrorCode::damaged, "The library " + library.path() + " was registered as " + name + " and describes itself as another kernel, " + library.name() + ".");
}

template <class Key>
std::vector<std::shared_ptr<const Kernel<Key>>> kernels_of_entries(std::vector<KernelEntry> entries, const std::string& what) {
    std::vector<std::shared_ptr<const Kernel<Key>>> kernels;
    for (KernelEntry& entry : entries) {
        auto key = key_from_json<Key>(entry.spec, what);
        for (Resources& used : entry.resources) {
            const arch::GpuSpec* gpu = arch::find_gpu(used.gpu.text());
            if (!gpu) throw Error(ErrorCode::damaged, what + " names the GPU " + std::string(used.gpu.text()) + ", which this runtime does not know.");
            const std::int64_t lanes = key.waves_per_workgroup() * gpu->wave_size;
            if (lanes > kMostLanes)
                throw Error(ErrorCode::damaged, what + " has the kernel " + entry.name + " with workgroups of " + std::to_string(lanes) + " lanes; no GPU has more than " + std::to_string(kMostLanes) + ".");
            used.wave_size      = gpu->wave_size;
            used.workgroup_size = int(lanes);
        }
        kernels.push_back(std::make_shared<Kernel<Key>>(std::move(key), entry.name, entry.file, std::move(entry.resources), entry.priority));
    }
    return kernels;
}

template <class Derived, class Key>
auto BaseRegistry<Derived, Key>::describe(std::shared_ptr<const KernelLibrary> library, int priority) -> KernelPtr {
    const std::string what = "The description of " + library->path();
    Key key                = key_from_json<Key>(parse_json(library->spec(), what), what);
    std::string name       = library->name();
    return std::make_shared<Kernel<Key>>(std::move(key), std::move(name), std::move(library), priority);
}

template <class Derived, class Key>
auto BaseRegistry<Derived, Key>::read_manifest(const std::string& path, int priority) -> std::vector<KernelPtr> {
    std::vector<KernelEntry> entries = ckdispatch::read_manifest(path);
    for (KernelEntry& entry : entries) entry.priority = priority;
    return kernels_of_entries<Key>(std::move(entries), "The manifest " + path);
}

template <class Derived, class Key>
std::string BaseRegistry<Derived, Key>::to_json() const {
    Json entries = Json::array();
    for (const KernelPtr& kernel : kernels()) {
        Json spec    = key_to_json(kernel->key());
        spec["name"] = kernel->name();
        entries.push_back(write_entry({kernel->name(), std::move(spec), kernel->file(), kernel->resources(), kernel->priority()}));
    }
    const Statistics counted = statistics();
    const Json figures       = {
        {"kernels", counted.kernels}, {"opened", counted.opened}, {"spilling", counted.spilling}, {"gpus", counted.gpus}, {"fields", counted.fields}};
    const Json document = {{"schema_version", 1}, {"registry", name()}, {"family", Key::family}, {"kernels", std::move(entries)}, {"statistics", figures}};
    try {
        return document.dump(2) + "\n";
    } catch (const Json::type_error&) {
        throw Error(ErrorCode::unsupported, "The registry " + name() + " cannot be written as JSON: its name, or the path of a library, is no UTF-8.");
    }
}

template <class Derived, class Key>
std::shared_ptr<Derived> BaseRegistry<Derived, Key>::from_json(const std::string& text) {
    const std::string what = "The exported registry";
    const Json document    = parse_json(text, what);
    auto registry          = std::make_shared<Derived>(text_member(document, "registry", what));
    registry->add_all(kernels_of_entries<Key>(read_export(text), what), Duplicates::refuse);
    // One without kernels has a family too.
    if (const std::string family = text_member(document, "family", what); family != Key::family)
        throw Error(ErrorCode::invalid_argument, what + " is of the family " + family + ", not " + std::string(Key::family) + ".");
    return registry;
}

}  // namespace ckdispatch

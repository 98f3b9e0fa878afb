// SPDX-License-Identifier: MIT
#include "ckdispatch/capi/guard.hpp"
#include "ckdispatch/capi/handles.hpp"
#include "ckdispatch/core/json.hpp"

using namespace ckdispatch;
using namespace ckdispatch::capi;

namespace {

KernelRegistry& registry_of(const ckd_registry* handle) { return *needed(handle, "a registry").it; }

Duplicates policy(ckd_duplicates duplicates) {
    switch (duplicates) {
        case CKD_REFUSE: return Duplicates::refuse;
        case CKD_REPLACE: return Duplicates::replace;
        case CKD_KEEP: return Duplicates::keep;
    }
    throw InvalidArgumentError("The policy " + std::to_string(int(duplicates)) +
                               " for duplicates was asked for; there are 0 (refuse), 1 (replace) and 2 (keep).");
}

// The caller's words, not a file that was damaged.
FilterWords filter_of(const std::string& text) {
    try {
        const std::string what = "The filter";
        const Json given = parse_json(text, what);
        if (!given.is_object()) throw InvalidArgumentError("The filter is no JSON object.");
        FilterWords words;
        for (const auto& item : given.items()) words[item.key()] = text_member(given, item.key().c_str(), what);
        return words;
    } catch (const Error& error) {
        throw InvalidArgumentError(error.what());
    }
}

template <class Make>
void give_registry(ckd_registry** place, Make&& make) {
    give(place, "a place for the registry", [&] { return ckd_registry::make(make()); });
}

}  // namespace

ckd_status ckd_registry_create(const char* name, ckd_registry** registry) {
    return guarded(
        [&] { give_registry(registry, [&] { return std::make_shared<KernelRegistry>(text_of(name, "a name")); }); });
}

ckd_status ckd_registry_named(const char* name, ckd_registry** registry) {
    return guarded([&] { give_registry(registry, [&] { return KernelRegistry::named(text_of(name, "a name")); }); });
}

void ckd_registry_destroy(ckd_registry* registry) { ckd_registry::destroy(registry, "a registry"); }

ckd_status ckd_registry_load_manifest(ckd_registry* registry, const char* path, ckd_duplicates duplicates,
                                      int32_t priority, size_t* count) {
    return guarded([&] {
        const std::size_t added =
            registry_of(registry).load_manifest(text_of(path, "a path"), policy(duplicates), priority);
        if (count) *count = added;
    });
}

ckd_status ckd_registry_add_library(ckd_registry* registry, const char* path, const char* sha256,
                                    ckd_duplicates duplicates, int32_t priority, char** name) {
    return guarded([&] {
        const LibraryFile file{text_of(path, "a path"), sha256 ? text_of(sha256, "a SHA-256") : ""};
        const std::string added = registry_of(registry).add_library(file, policy(duplicates), priority);
        if (name) *name = allocated(added);
    });
}

ckd_status ckd_registry_remove(ckd_registry* registry, const char* name) {
    return guarded([&] {
        const std::string kernel = text_of(name, "a name");
        if (!registry_of(registry).remove(kernel))
            throw NotFoundError("The kernel " + kernel + " was to be removed from a registry that does not have it.");
    });
}

ckd_status ckd_registry_merge(ckd_registry* registry, const ckd_registry* other, ckd_duplicates duplicates,
                              size_t* count) {
    return guarded([&] {
        const std::size_t added = registry_of(registry).merge(registry_of(other), policy(duplicates));
        if (count) *count = added;
    });
}

ckd_status ckd_registry_filtered(const ckd_registry* registry, const char* filter, ckd_registry** chosen) {
    return guarded([&] {
        give_registry(chosen, [&] { return registry_of(registry).filtered(filter_of(text_of(filter, "a filter"))); });
    });
}

size_t ckd_registry_size(const ckd_registry* registry) {
    return registry && registry->alive() ? registry->it->size() : 0;
}
uint64_t ckd_registry_version(const ckd_registry* registry) {
    return registry && registry->alive() ? registry->it->version() : 0;
}

ckd_status ckd_registry_find(const ckd_registry* registry, const char* name_or_key, char** json) {
    return guarded([&] {
        give(json, "a place for the text",
             [&] { return allocated(registry_of(registry).describe(text_of(name_or_key, "a name or a key"))); });
    });
}

ckd_status ckd_registry_to_json(const ckd_registry* registry, char** json) {
    return guarded(
        [&] { give(json, "a place for the text", [&] { return allocated(registry_of(registry).to_json()); }); });
}

ckd_status ckd_registry_from_json(const char* json, ckd_registry** registry) {
    return guarded([&] {
        give_registry(registry,
                      [&] { return KernelRegistry::from_json(text_of(json, "the JSON text", kLongestDocument)); });
    });
}

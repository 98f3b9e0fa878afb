// SPDX-License-Identifier: MIT
#include "ckdispatch/families/kernel_registry.hpp"

#include <map>
#include <optional>

#include "ckdispatch/core/gpus.hpp"
#include "ckdispatch/core/registry_json.hpp"
#include "ckdispatch/families/families.hpp"

namespace ckdispatch {

// Each family has one, in its folder.
#define CKD_DECLARE(family, number) std::shared_ptr<FamilyRegistry> make_##family##_registry(const std::string& name);
CKD_FAMILIES(CKD_DECLARE)

namespace {

constexpr const char* kExport = "The exported registry";

}  // namespace

KernelRegistry::KernelRegistry(std::string name) : name_(std::move(name)) {
#define CKD_MAKE(family, number) parts_.push_back(make_##family##_registry(name_));
    CKD_FAMILIES(CKD_MAKE)
}

std::shared_ptr<KernelRegistry> KernelRegistry::named(const std::string& name) {
    static auto& mutex = *new std::mutex;
    static auto& known = *new std::map<std::string, std::shared_ptr<KernelRegistry>>;
    std::lock_guard<std::mutex> lock(mutex);
    std::shared_ptr<KernelRegistry>& registry = known[name];
    if (!registry) registry = std::make_shared<KernelRegistry>(name);
    return registry;
}

const std::shared_ptr<FamilyRegistry>& KernelRegistry::part(std::string_view family, const std::string& what) const {
    std::string known;
    for (const auto& one : parts_) {
        if (one->family() == family) return one;
        known += (known.empty() ? "" : ", ") + std::string(one->family());
    }
    throw InvalidArgumentError(what + " is of the family " + std::string(family) + "; this version has " + known + ".");
}

std::size_t KernelRegistry::size() const {
    std::size_t all = 0;
    for (const auto& one : parts_) all += one->size();
    return all;
}

std::uint64_t KernelRegistry::version() const {
    std::uint64_t all = 0;
    for (const auto& one : parts_) all += one->version();
    return all;
}

void KernelRegistry::check_name(const std::string& name, const FamilyRegistry& own) const {
    for (const auto& one : parts_)
        if (one.get() != &own && one->has(name))
            throw DamagedError("The registry " + name_ + " was given a second kernel called " + name +
                               " of another family; a name belongs to one kernel.");
}

// What one family refuses, no other may have added.
template <class Add>
std::size_t KernelRegistry::add_to_all(Add&& add) {
    std::lock_guard<std::mutex> lock(changing_);
    std::vector<std::function<void()>> undo;
    std::size_t added = 0;
    try {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            undo.push_back(parts_[i]->undo());
            added += add(i, *parts_[i]);
        }
    } catch (...) {
        for (const auto& one : undo) one();
        throw;
    }
    return added;
}

std::string KernelRegistry::add_library(const LibraryFile& file, Duplicates duplicates, int priority) {
    auto library = KernelLibrary::open(file);
    const std::string name = library->name();
    FamilyRegistry& own = *part(library->family(), "The library " + library->path());
    std::lock_guard<std::mutex> lock(changing_);
    check_name(name, own);
    own.add_opened(std::move(library), duplicates, priority);
    return name;
}

std::size_t KernelRegistry::add_entries(std::vector<KernelEntry> entries, const std::string& what,
                                        Duplicates duplicates) {
    std::map<const FamilyRegistry*, std::vector<KernelEntry>> by_family;
    for (KernelEntry& entry : entries)
        by_family[part(text_member(entry.spec, "family", what), what).get()].push_back(std::move(entry));
    return add_to_all([&](std::size_t, FamilyRegistry& own) {
        std::vector<KernelEntry>& its = by_family[&own];
        for (const KernelEntry& entry : its) check_name(entry.name, own);
        return own.add_entries(std::move(its), what, duplicates);
    });
}

std::size_t KernelRegistry::load_manifest(const std::string& path, Duplicates duplicates, int priority) {
    return add_entries(read_manifest(path, priority), manifest_called(path), duplicates);
}

std::size_t KernelRegistry::merge(const KernelRegistry& other, Duplicates duplicates) {
    return add_to_all([&](std::size_t i, FamilyRegistry& own) {
        for (const std::string& name : other.parts_[i]->names()) check_name(name, own);
        return own.merge_all(*other.parts_[i], duplicates);
    });
}

bool KernelRegistry::remove(const std::string& name) {
    std::lock_guard<std::mutex> lock(changing_);
    for (const auto& one : parts_)
        if (one->remove(name)) return true;
    return false;
}

std::shared_ptr<KernelRegistry> KernelRegistry::filtered(FilterWords words) const {
    const auto taken = [&](const char* field) {
        const auto found = words.find(field);
        const std::string word = found == words.end() ? "" : found->second;
        words.erase(field);
        return word;
    };
    const std::string family = taken("family"), gpu = taken("gpu");
    const Name on = gpu.empty() ? Name() : Name(gpu_facts(gpu).name);
    const FamilyRegistry* const only = family.empty() ? nullptr : part(family, "A filter").get();
    auto chosen = std::make_shared<KernelRegistry>(name_);
    // Without kernels the words must make sense all the same.
    const bool empty = size() == 0;
    std::optional<Error> refusal;
    bool known = false;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (only ? parts_[i].get() != only : !empty && parts_[i]->size() == 0) continue;
        try {
            chosen->parts_[i] = parts_[i]->filtered_by(words, on);
            known = true;
        } catch (const Error& error) {
            if (!refusal) refusal = error;
        }
    }
    if (!known && refusal) throw *refusal;
    return chosen;
}

std::string KernelRegistry::describe(const std::string& name_or_key) const {
    const auto found = [&](const FamilyRegistry& one) -> std::optional<std::string> {
        const std::optional<KernelEntry> entry = one.entry(name_or_key);
        if (!entry) return std::nullopt;
        Json json = write_entry(*entry);
        json["key"] = entry->key;
        return shown(json);
    };
    if (is_key(name_or_key)) {
        if (const auto json = found(*part(name_or_key.substr(0, name_or_key.find('{')), "The key " + name_or_key)))
            return *json;
    } else {
        for (const auto& one : parts_)
            if (const auto json = found(*one)) return *json;
    }
    throw NotFoundError("The registry " + name_ + " has no kernel " + name_or_key + ".");
}

Statistics KernelRegistry::statistics() const {
    Statistics counted;
    for (const auto& one : parts_) one->count(counted);
    return counted;
}

std::string KernelRegistry::to_json() const {
    Json entries = Json::array();
    for (const auto& one : parts_)
        for (const KernelEntry& entry : one->entries()) entries.push_back(write_entry(entry));
    const Statistics counted = statistics();
    const Json figures = {{"kernels", counted.kernels},
                          {"opened", counted.opened},
                          {"spilling", counted.spilling},
                          {"gpus", counted.gpus},
                          {"fields", counted.fields}};
    const Json document = {
        {"schema_version", 1}, {"registry", name_}, {"kernels", std::move(entries)}, {"statistics", figures}};
    try {
        return document.dump(2) + "\n";
    } catch (const Json::type_error&) {
        throw UnsupportedError("The registry " + name_ +
                               " cannot be written as JSON: its name, or the path of a library, is no UTF-8.");
    }
}

std::shared_ptr<KernelRegistry> KernelRegistry::from_json(const std::string& text) {
    const Json document = parse_json(text, kExport);
    auto registry = std::make_shared<KernelRegistry>(text_member(document, "registry", kExport));
    // An earlier version wrote the one family of all kernels here.
    if (document.contains("family")) (void)registry->part(text_member(document, "family", kExport), kExport);
    registry->add_entries(read_export(document, kExport), kExport, Duplicates::refuse);
    return registry;
}

}  // namespace ckdispatch

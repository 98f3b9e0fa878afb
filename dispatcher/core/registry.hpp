// SPDX-License-Identifier: MIT
// What the registries of all families share: kernels in the order of their keys, found by key and by name, from any
// thread. Those of all families together are a KernelRegistry.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ckdispatch/core/error.hpp"
#include "ckdispatch/core/kernel.hpp"

namespace ckdispatch {

/// What happens to a kernel whose key the registry has already.
enum class Duplicates {
    refuse,   ///< Error, and nothing is added
    replace,  ///< the new one takes its place
    keep,     ///< the old one stays
};

/// How many kernels there are, and how many have each value of each field that is a word (dtype, layout, pipeline, …).
struct Statistics {
    std::size_t kernels = 0;
    std::size_t opened = 0;
    std::size_t spilling = 0;
    std::map<std::string, std::size_t> gpus;
    std::map<std::string, std::map<std::string, std::size_t>> fields;
};

/// Some kernels as they were at one moment; holds them, so that it can be iterated over where it is returned.
template <class KernelPtr>
class Snapshot {
public:
    explicit Snapshot(std::shared_ptr<const std::vector<KernelPtr>> kernels) : kernels_(std::move(kernels)) {}

    auto begin() const { return kernels_->begin(); }
    auto end() const { return kernels_->end(); }
    std::size_t size() const { return kernels_->size(); }
    const KernelPtr& operator[](std::size_t index) const { return (*kernels_)[index]; }

private:
    std::shared_ptr<const std::vector<KernelPtr>> kernels_;
};

/// Fields of kernels that are words (dtype, layout, pipeline, …), and which they must be.
using FilterWords = std::map<std::string, std::string>;

struct KernelEntry;

/// What the registry of all families asks that of one.
class FamilyRegistry {
public:
    virtual ~FamilyRegistry() = default;
    virtual std::string_view family() const = 0;
    virtual std::size_t size() const = 0;
    virtual std::uint64_t version() const = 0;
    virtual bool has(const std::string& name) const = 0;
    virtual std::vector<std::string> names() const = 0;
    virtual bool remove(const std::string& name) = 0;
    virtual void add_opened(std::shared_ptr<const KernelLibrary> library, Duplicates duplicates, int priority) = 0;
    /// All or none; `what` they are from. Returns how many were added.
    virtual std::size_t add_entries(std::vector<KernelEntry> entries, const std::string& what,
                                    Duplicates duplicates) = 0;
    /// Of the same family.
    virtual std::size_t merge_all(const FamilyRegistry& other, Duplicates duplicates) = 0;
    /// Puts back what it has now.
    virtual std::function<void()> undo() = 0;
    /// Throws InvalidArgumentError for a field that is none to filter by.
    virtual std::shared_ptr<FamilyRegistry> filtered_by(const FilterWords& words, Name gpu) const = 0;
    virtual std::vector<KernelEntry> entries() const = 0;
    /// By its name, or by its key as text.
    virtual std::optional<KernelEntry> entry(const std::string& name_or_key) const = 0;
    virtual void count(Statistics& counted) const = 0;
};

/// Derived is the family's registry: it says what its problems are called (kPlural). Its source includes
/// registry_family.hpp and instantiates this class.
template <class Derived, class KeyType>
class BaseRegistry : public FamilyRegistry {
public:
    using Key = KeyType;
    using KernelPtr = std::shared_ptr<const Kernel<Key>>;
    using Predicate = std::function<bool(const Kernel<Key>&)>;

    explicit BaseRegistry(std::string name) : name_(std::move(name)) {}
    BaseRegistry(const BaseRegistry&) = delete;
    BaseRegistry& operator=(const BaseRegistry&) = delete;

    const std::string& name() const { return name_; }
    std::string_view family() const override { return Key::family; }

    /// Changes with every kernel that is added, replaced or removed.
    std::uint64_t version() const override { return version_.load(std::memory_order_acquire); }

    /// All kernels, in the order of their keys; later changes do not show in it.
    Snapshot<KernelPtr> kernels() const {
        {
            std::shared_lock<std::shared_mutex> lock(mutex_);
            if (snapshot_) return Snapshot<KernelPtr>(snapshot_);
        }
        std::unique_lock<std::shared_mutex> lock(mutex_);
        if (!snapshot_) {
            auto all = std::make_shared<std::vector<KernelPtr>>();
            all->reserve(by_key_.size());
            for (const auto& [key, kernel] : by_key_) all->push_back(kernel);
            snapshot_ = std::move(all);
        }
        return Snapshot<KernelPtr>(snapshot_);
    }

    std::size_t size() const override {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        return by_key_.size();
    }

    /// Whether it was added.
    bool add(KernelPtr kernel, Duplicates duplicates = Duplicates::refuse) {
        std::unique_lock<std::shared_mutex> lock(mutex_);
        return add_locked(std::move(kernel), duplicates);
    }

    /// Opens a library and adds its kernel under the library's own description.
    KernelPtr add_library(const LibraryFile& file, Duplicates duplicates = Duplicates::refuse, int priority = 0) {
        KernelPtr kernel = describe(KernelLibrary::open(file), priority);
        add(kernel, duplicates);
        return kernel;
    }
    void add_opened(std::shared_ptr<const KernelLibrary> library, Duplicates duplicates, int priority) override {
        add(describe(std::move(library), priority), duplicates);
    }

    /// Adds the kernels of `<set>.manifest.json` without opening their libraries; all or none. Returns how many were
    /// added.
    std::size_t load_manifest(const std::string& path, Duplicates duplicates = Duplicates::refuse, int priority = 0);
    std::size_t add_entries(std::vector<KernelEntry> entries, const std::string& what, Duplicates duplicates) override;

    /// The kernel of that key or name, or nullptr.
    KernelPtr find(const Key& key) const {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        const auto found = by_key_.find(key);
        return found == by_key_.end() ? nullptr : found->second;
    }
    KernelPtr find_name(const std::string& name) const {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        const auto found = by_name_.find(name);
        return found == by_name_.end() ? nullptr : found->second;
    }
    bool has(const std::string& name) const override { return find_name(name) != nullptr; }
    std::vector<std::string> names() const override {
        std::vector<std::string> all;
        for (const KernelPtr& kernel : kernels()) all.push_back(kernel->name());
        return all;
    }

    /// Whether there was such a kernel.
    bool remove(const std::string& name) override {
        std::unique_lock<std::shared_mutex> lock(mutex_);
        const auto found = by_name_.find(name);
        if (found == by_name_.end()) return false;
        by_key_.erase(found->second->key());
        by_name_.erase(found);
        changed();
        return true;
    }

    /// A registry of those that have the words, hold code for the GPU (if one is named) and satisfy the predicate (if
    /// there is one). Throws InvalidArgumentError for a field that is no word of a key.
    std::shared_ptr<Derived> filtered(const FilterWords& words, Name gpu = {}, const Predicate& predicate = {}) const {
        check_fields(words);
        auto chosen = std::make_shared<Derived>(name_);
        for (const KernelPtr& kernel : kernels()) {
            bool passes = gpu.empty() || kernel->resources_on(gpu);
            for_each_word([&](std::string_view field, Name Key::* member) {
                const auto wanted = words.find(std::string(field));
                passes = passes && (wanted == words.end() || (kernel->key().*member).text() == wanted->second);
            });
            if (passes && (!predicate || predicate(*kernel))) chosen->add(kernel);
        }
        return chosen;
    }
    std::shared_ptr<FamilyRegistry> filtered_by(const FilterWords& words, Name gpu) const override {
        return filtered(words, gpu);
    }

    /// Adds the kernels of another registry; all or none. Returns how many were added.
    std::size_t merge(const Derived& other, Duplicates duplicates = Duplicates::refuse) {
        return add_all(other.kernels(), duplicates);
    }
    std::size_t merge_all(const FamilyRegistry& other, Duplicates duplicates) override {
        return merge(static_cast<const Derived&>(other), duplicates);
    }

    Statistics statistics() const {
        Statistics counted;
        count(counted);
        return counted;
    }
    void count(Statistics& counted) const override {
        for (const KernelPtr& kernel : kernels()) {
            ++counted.kernels;
            if (kernel->opened()) ++counted.opened;
            bool spills = false;
            for (const Resources& used : kernel->resources()) {
                ++counted.gpus[std::string(used.gpu.text())];
                spills = spills || used.vgpr_spills || used.sgpr_spills;
            }
            if (spills) ++counted.spilling;
            for_each_word([&](std::string_view field, Name Key::* member) {
                ++counted.fields[std::string(field)][std::string((kernel->key().*member).text())];
            });
        }
    }

    std::vector<KernelEntry> entries() const override;
    std::optional<KernelEntry> entry(const std::string& name_or_key) const override;

    std::function<void()> undo() override {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        return [this, by_key = by_key_, by_name = by_name_] {
            std::unique_lock<std::shared_mutex> changing(mutex_);
            by_key_ = by_key;
            by_name_ = by_name;
            changed();
        };
    }

private:
    static KernelPtr describe(std::shared_ptr<const KernelLibrary> library, int priority);
    static KernelEntry entry_of(const Kernel<Key>& kernel);

    template <class Visit>
    static void for_each_word(Visit&& visit) {
        Key::fields([&](std::string_view field, auto member) {
            if constexpr (std::is_same_v<decltype(member), Name Key::*>) visit(field, member);
        });
    }

    static void check_fields(const FilterWords& words) {
        for (const auto& item : words) {
            bool known = false;
            std::string all;
            for_each_word([&](std::string_view field, Name Key::*) {
                all += std::string(field) + ", ";
                known = known || field == item.first;
            });
            if (!known)
                throw InvalidArgumentError("A filter by '" + item.first + "' was asked for; " + Derived::kPlural +
                                           " are filtered by " + all + "family and gpu.");
        }
    }

    /// Adds all, or on an Error none. Returns how many were added.
    template <class Kernels>
    std::size_t add_all(const Kernels& kernels, Duplicates duplicates) {
        std::unique_lock<std::shared_mutex> lock(mutex_);
        const auto by_key = by_key_;
        const auto by_name = by_name_;
        std::size_t added = 0;
        try {
            for (const KernelPtr& kernel : kernels) added += add_locked(kernel, duplicates) ? 1 : 0;
        } catch (...) {
            by_key_ = by_key;
            by_name_ = by_name;
            changed();
            throw;
        }
        return added;
    }

    bool add_locked(KernelPtr kernel, Duplicates duplicates) {
        const auto named = by_name_.find(kernel->name());
        if (named != by_name_.end() && !(named->second->key() == kernel->key()))
            throw DamagedError("The registry " + name_ + " was given a second kernel called " + kernel->name() +
                               " with another spec; a name belongs to one spec.");
        const auto found = by_key_.find(kernel->key());
        if (found != by_key_.end()) {
            if (duplicates == Duplicates::keep) return false;
            if (duplicates == Duplicates::refuse)
                throw DuplicateError("The registry " + name_ + " already has the kernel " + kernel->name() +
                                     "; remove it, or ask to replace or to keep duplicates.");
            by_name_.erase(found->second->name());
            by_key_.erase(found);
        }
        by_name_[kernel->name()] = kernel;
        by_key_[kernel->key()] = std::move(kernel);
        changed();
        return true;
    }

    void changed() {
        snapshot_.reset();
        version_.fetch_add(1, std::memory_order_acq_rel);
    }

    std::string name_;
    mutable std::shared_mutex mutex_;
    std::map<Key, KernelPtr> by_key_;
    std::unordered_map<std::string, KernelPtr> by_name_;
    mutable std::shared_ptr<const std::vector<KernelPtr>> snapshot_;
    std::atomic<std::uint64_t> version_{0};
};

}  // namespace ckdispatch

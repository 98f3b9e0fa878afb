// SPDX-License-Identifier: MIT
// Kernels of all families in one registry.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ckdispatch/core/registry.hpp"

namespace ckdispatch {

/// Each kernel is in the part of its family. A name belongs to one kernel of one of them. It may be used from any
/// thread.
class KernelRegistry {
public:
    explicit KernelRegistry(std::string name);

    /// The registry of that name in this process, made at the first ask.
    static std::shared_ptr<KernelRegistry> named(const std::string& name);

    /// The kernels of one family, now and later: of<GemmRegistry>() is what a GemmDispatcher takes.
    template <class Registry>
    std::shared_ptr<Registry> of() const {
        return std::static_pointer_cast<Registry>(part(Registry::Key::family, "A registry"));
    }

    const std::string& name() const { return name_; }
    std::size_t size() const;
    /// Changes with every kernel that is added, replaced or removed.
    std::uint64_t version() const;

    /// Opens a library and adds its kernel under the library's own description. Returns its name.
    std::string add_library(const LibraryFile& file, Duplicates duplicates = Duplicates::refuse, int priority = 0);
    /// Adds the kernels of `<set>.manifest.json` without opening their libraries; all or none. Returns how many were
    /// added.
    std::size_t load_manifest(const std::string& path, Duplicates duplicates = Duplicates::refuse, int priority = 0);
    /// Adds the kernels of another registry; all or none. Returns how many were added.
    std::size_t merge(const KernelRegistry& other, Duplicates duplicates = Duplicates::refuse);
    /// Whether there was such a kernel.
    bool remove(const std::string& name);

    /// Those that have the words; of a GPU ("gpu") and a family ("family") as well. A family whose kernels have no such
    /// field has none that pass.
    std::shared_ptr<KernelRegistry> filtered(FilterWords words) const;

    /// One kernel as JSON, by its name or by its key as text. Throws NotFoundError.
    std::string describe(const std::string& name_or_key) const;
    Statistics statistics() const;
    /// Every kernel with its spec, its library and what it uses, and the statistics; from_json() is the inverse.
    std::string to_json() const;
    static std::shared_ptr<KernelRegistry> from_json(const std::string& text);

private:
    const std::shared_ptr<FamilyRegistry>& part(std::string_view family, const std::string& what) const;
    std::size_t add_entries(std::vector<KernelEntry> entries, const std::string& what, Duplicates duplicates);
    void check_name(const std::string& name, const FamilyRegistry& own) const;
    template <class Add>
    std::size_t add_to_all(Add&& add);

    std::string name_;
    std::mutex changing_;
    std::vector<std::shared_ptr<FamilyRegistry>> parts_;
};

}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// A kernel of a registry: its key and what it uses are known at once, its library is opened when it is first needed.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/arch_specs.hpp"
#include "ckdispatch/core/error.hpp"
#include "ckdispatch/core/library.hpp"

namespace ckdispatch {

/// Compares a library's own spec, as JSON, with the key and name that it was registered under. Throws DamagedError.
template <class Key>
void check_identity(const KernelLibrary& library, const Key& key, const std::string& name);

template <class Key>
class Kernel {
public:
    /// What a manifest says, to be believed only until the library is opened.
    Kernel(Key key, std::string name, LibraryFile file, std::vector<Resources> resources, int priority)
        : key_(std::move(key)),
          name_(std::move(name)),
          file_(std::move(file)),
          resources_(std::move(resources)),
          priority_(priority) {
        // Every selection asks for it.
        for (Resources& used : resources_)
            if (const arch::GpuSpec* gpu = arch::find_gpu(used.gpu.text()))
                used.resident = used.workgroups_per_unit(*gpu);
    }

    /// With a library that is open already.
    Kernel(Key key, std::string name, std::shared_ptr<const KernelLibrary> library, int priority)
        : Kernel(std::move(key), std::move(name), {library->path(), library->sha256()}, library->resources(),
                 priority) {
        library_ = std::move(library);
        opened_.store(library_.get(), std::memory_order_release);
    }

    const Key& key() const { return key_; }
    const std::string& name() const { return name_; }
    const LibraryFile& file() const { return file_; }
    int priority() const { return priority_; }
    const std::vector<Resources>& resources() const { return resources_; }
    bool opened() const { return opened_.load(std::memory_order_acquire) != nullptr; }

    /// For that GPU, or nullptr if it holds no code for it.
    const Resources* resources_on(Name gpu) const {
        for (const Resources& resources : resources_)
            if (resources.gpu == gpu) return &resources;
        return nullptr;
    }

    /// Opens the library at the first call. Throws Error, also at later calls, if it is not what was registered.
    const KernelLibrary& library() const {
        if (const KernelLibrary* opened = opened_.load(std::memory_order_acquire)) return *opened;
        std::lock_guard<std::mutex> lock(mutex_);
        if (failure_) throw *failure_;
        if (!library_) {
            try {
                auto library = KernelLibrary::open(file_);
                check_identity(*library, key_, name_);
                check_resources(*library, resources_);
                library_ = std::move(library);
            } catch (const Error& error) {
                // Memory and open files may be there the next time; the library will not be another one.
                if (error.code() != ErrorCode::io_failed && error.code() != ErrorCode::out_of_memory) failure_ = error;
                throw;
            }
            opened_.store(library_.get(), std::memory_order_release);
        }
        return *library_;
    }

private:
    Key key_;
    std::string name_;
    LibraryFile file_;
    std::vector<Resources> resources_;
    int priority_;
    mutable std::mutex mutex_;
    mutable std::shared_ptr<const KernelLibrary> library_;
    mutable std::optional<Error> failure_;
    mutable std::atomic<const KernelLibrary*> opened_{nullptr};
};

}  // namespace ckdispatch

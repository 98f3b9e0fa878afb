// SPDX-License-Identifier: MIT
// The kernels of a registry by the sections of their family: a problem is compared with those of its own alone.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "ckdispatch/core/registry.hpp"

namespace ckdispatch {

template <class Family>
class Sections {
public:
    using KernelPtr = typename Family::Registry::KernelPtr;

    /// Kernels that may serve a problem of the section, in the order of their keys.
    Snapshot<KernelPtr> of(const typename Family::Registry& registry, Name section) {
        if (section.empty()) return registry.kernels();
        std::lock_guard<std::mutex> lock(mutex_);
        const std::uint64_t version = registry.version();
        if (version != version_ || sections_.empty()) sort(registry, version);
        for (const auto& [name, kernels] : sections_)
            if (name == section) return Snapshot<KernelPtr>(kernels);
        return Snapshot<KernelPtr>(none_);
    }

private:
    using Kernels = std::vector<KernelPtr>;

    void sort(const typename Family::Registry& registry, std::uint64_t version) {
        std::vector<std::pair<Name, std::shared_ptr<Kernels>>> sorted;
        for (const KernelPtr& kernel : registry.kernels()) {
            const Name section = Family::section(kernel->key());
            std::shared_ptr<Kernels> place;
            for (const auto& [name, kernels] : sorted)
                if (name == section) place = kernels;
            if (!place) sorted.emplace_back(section, place = std::make_shared<Kernels>());
            place->push_back(kernel);
        }
        sections_.assign(sorted.begin(), sorted.end());
        version_ = version;
    }

    std::mutex mutex_;
    std::vector<std::pair<Name, std::shared_ptr<const Kernels>>> sections_;
    std::shared_ptr<const Kernels> none_ = std::make_shared<Kernels>();
    std::uint64_t version_ = 0;
};

}  // namespace ckdispatch

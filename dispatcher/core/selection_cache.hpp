// SPDX-License-Identifier: MIT
// What was selected for a problem, until the registry or the strategy changes.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace ckdispatch {

template <class Problem, class Plan>
class SelectionCache {
public:
    explicit SelectionCache(std::size_t limit = 65536) : limit_(limit) {}

    /// Made for that version of the registry, or nullptr.
    std::shared_ptr<const Plan> find(const Problem& problem, std::uint64_t version) const {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        if (version != version_) return nullptr;
        const auto found = plans_.find(problem);
        return found == plans_.end() ? nullptr : found->second;
    }

    void insert(const Problem& problem, std::uint64_t version, std::shared_ptr<const Plan> plan) {
        std::unique_lock<std::shared_mutex> lock(mutex_);
        // Shapes that never come back would otherwise fill the memory of a long-lived server.
        if (version != version_ || plans_.size() >= limit_) plans_.clear();
        version_ = version;
        plans_.insert_or_assign(problem, std::move(plan));
    }

    void clear() {
        std::unique_lock<std::shared_mutex> lock(mutex_);
        plans_.clear();
    }

    std::size_t size() const {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        return plans_.size();
    }

private:
    struct Hash {
        std::size_t operator()(const Problem& problem) const { return problem.hash(); }
    };

    mutable std::shared_mutex mutex_;
    std::unordered_map<Problem, std::shared_ptr<const Plan>, Hash> plans_;
    std::uint64_t version_ = 0;
    std::size_t limit_;
};

}  // namespace ckdispatch

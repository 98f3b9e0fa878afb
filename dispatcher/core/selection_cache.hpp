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
    /// A plan says how many bytes it holds, and a problem how many beside itself: std::size_t held_bytes() const.
    explicit SelectionCache(std::size_t most_bytes = std::size_t(64) << 20) : most_bytes_(most_bytes) {}

    /// Made for that version of the registry, or nullptr.
    std::shared_ptr<const Plan> find(const Problem& problem, std::uint64_t version) const {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        if (version != version_) return nullptr;
        const auto found = plans_.find(problem);
        return found == plans_.end() ? nullptr : found->second;
    }

    void insert(const Problem& problem, std::uint64_t version, std::shared_ptr<const Plan> plan) {
        std::unique_lock<std::shared_mutex> lock(mutex_);
        const std::size_t added = cost(problem, *plan);
        // Shapes that never come back would otherwise fill the memory of a long-lived server.
        if (version != version_ || bytes_ + added > most_bytes_) clear_locked();
        version_ = version;
        // The caller has it, and will select it anew if it comes back.
        if (added > most_bytes_) return;
        const auto [place, fresh] = plans_.try_emplace(problem, plan);
        bytes_ += added;
        if (fresh) return;
        bytes_ -= cost(problem, *place->second);
        place->second = std::move(plan);
    }

    void clear() {
        std::unique_lock<std::shared_mutex> lock(mutex_);
        clear_locked();
    }

    std::size_t size() const {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        return plans_.size();
    }
    /// What it holds takes so much memory, about.
    std::size_t bytes() const {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        return bytes_;
    }

private:
    struct Hash {
        std::size_t operator()(const Problem& problem) const { return problem.hash(); }
    };

    // The map has the problem and some links of its own.
    static std::size_t cost(const Problem& problem, const Plan& plan) {
        return plan.held_bytes() + sizeof(Problem) + problem.held_bytes() + 64;
    }

    void clear_locked() {
        plans_.clear();
        bytes_ = 0;
    }

    mutable std::shared_mutex mutex_;
    std::unordered_map<Problem, std::shared_ptr<const Plan>, Hash> plans_;
    std::uint64_t version_ = 0;
    std::size_t most_bytes_;
    std::size_t bytes_ = 0;
};

}  // namespace ckdispatch

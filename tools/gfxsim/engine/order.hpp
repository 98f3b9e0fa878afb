// SPDX-License-Identifier: MIT
// The floating-point sums of workgroups, added in the order of the workgroups whatever the order in which they are
// done.
#pragma once

#include <map>
#include <mutex>

#include "gfxsim/core/deferred.hpp"

namespace gfxsim {

class OrderedSums {
public:
    /// A workgroup is done. Each index comes once.
    void done(u64 index, DeferredAdds sums) {
        std::lock_guard<std::mutex> lock(mutex_);
        if (index != next_) return wait(index, std::move(sums));
        sums.flush();
        ++next_;
        while (!waiting_.empty() && waiting_.begin()->first == next_) {
            Run& first = waiting_.begin()->second;
            first.sums.flush();
            next_ += first.count;
            waiting_.erase(waiting_.begin());
        }
    }

private:
    /// Workgroups that follow each other, and the sums of the first of them; the others have none. So a workgroup that
    /// takes long does not make the memory grow with the number of those behind it that are done before.
    struct Run {
        u64 count;
        DeferredAdds sums;
    };

    void wait(u64 index, DeferredAdds sums) {
        auto behind = waiting_.upper_bound(index);
        auto run = behind;
        const bool joins = behind != waiting_.begin() && sums.empty() && ends_at(*--run, index);
        if (joins) ++run->second.count;
        else run = waiting_.emplace(index, Run{1, std::move(sums)}).first;
        if (behind == waiting_.end() || !ends_at(*run, behind->first) || !behind->second.sums.empty()) return;
        run->second.count += behind->second.count;
        waiting_.erase(behind);
    }
    static bool ends_at(const std::pair<const u64, Run>& run, u64 index) {
        return run.first + run.second.count == index;
    }

    std::mutex mutex_;
    u64 next_ = 0;
    std::map<u64, Run> waiting_;  ///< by the first workgroup of each
};

}  // namespace gfxsim

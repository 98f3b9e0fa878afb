// SPDX-License-Identifier: MIT
// Batched transposes as a family of the core. Tensors are x and y.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ck_batched_transpose_problem.h"
#include "ckdispatch/core/cost.hpp"
#include "ckdispatch/core/dispatcher.hpp"
#include "ckdispatch/core/fields.hpp"
#include "ckdispatch/core/registry.hpp"

namespace ckdispatch {

struct BatchedTransposeKey {
    static constexpr std::string_view family = "batched_transpose";

    Name dtype;
    Extent3 tile;
    int waves = 0;
    bool pad = false;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("dtype", &BatchedTransposeKey::dtype);
        visit("tile", &BatchedTransposeKey::tile);
        visit("waves", &BatchedTransposeKey::waves);
        visit("pad", &BatchedTransposeKey::pad);
    }
    std::int64_t lanes_per_workgroup(const arch::GpuSpec& gpu) const { return std::int64_t(waves) * gpu.wave_size; }

    friend bool operator==(const BatchedTransposeKey& a, const BatchedTransposeKey& b) { return fields_equal(a, b); }
    friend bool operator!=(const BatchedTransposeKey& a, const BatchedTransposeKey& b) { return !fields_equal(a, b); }
    friend bool operator<(const BatchedTransposeKey& a, const BatchedTransposeKey& b) { return fields_less(a, b); }
};

class BatchedTransposeRegistry final : public BaseRegistry<BatchedTransposeRegistry, BatchedTransposeKey> {
public:
    static constexpr const char* kPlural = "batched transposes";
    using BaseRegistry::BaseRegistry;
};

struct BatchedTransposeProblem {
    std::int64_t batch = 1, height = 0, width = 0;
    Name dtype;
    int alignment = 16;
    std::uint64_t workspace_limit = std::numeric_limits<std::uint64_t>::max();

    std::string text() const;
    std::size_t hash() const;
    std::size_t held_bytes() const { return 0; }
    friend bool operator==(const BatchedTransposeProblem& a, const BatchedTransposeProblem& b);

    /// Throws Error (invalid_argument) for what makes no sense.
    void check() const;
};

/// There is one way to run a kernel.
struct BatchedTransposeWay {};

struct BatchedTransposeFamily : FamilyDefaults<BatchedTransposeFamily, BatchedTransposeProblem> {
    using Key = BatchedTransposeKey;
    using Problem = BatchedTransposeProblem;
    using Registry = BatchedTransposeRegistry;
    using Way = BatchedTransposeWay;
    using Bound = ck_batched_transpose_problem;

    static Mismatch mismatch(const Key& key, const Problem& problem, const arch::GpuSpec& gpu);
    static std::vector<Way> ways(const Key&, const Problem&, double) { return {{}}; }
    static Work work(const Key& key, const Problem& problem, const Way& way);
    static std::int64_t parts(const Way&) { return 1; }
    static Bound probe(const Problem& problem, const Way& way);
    static Bound bind(const Problem& problem, const Way& way, Tensors tensors, std::int64_t launch);
    static std::size_t tensor_count(const Problem&) { return 2; }
    static constexpr const char* kAsked = "A batched transpose";
    static std::string tensor_name(const Problem&, std::size_t tensor) { return tensor == 0 ? "x" : "y"; }
    static Lines lines(const Problem& problem, std::size_t tensor);
};

using BatchedTransposeDispatcher = Dispatcher<BatchedTransposeFamily>;

/// Runs the plan and compares y with x, bit by bit; the worst place is matrix, row and column of y.
Validation validate(BatchedTransposeDispatcher& dispatcher, const Plan<BatchedTransposeFamily>& plan, Tensors tensors,
                    const RunOptions& options = {});

}  // namespace ckdispatch

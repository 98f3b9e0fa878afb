// SPDX-License-Identifier: MIT
// What a family of kernels tells the core. Family names the types Key, Problem, Way, Registry and Bound (the problem of
// the kernel ABI), derives from FamilyDefaults<Family, Problem>, whose functions it may have its own of, and has
//     static Mismatch mismatch(const Key&, const Problem&, const GpuSpec&)
//         why the kernel computes something else, if it does; what matters most is checked first
//     static std::vector<Way> ways(const Key&, const Problem&, double)
//         how it could be run, such as parts of a split K; the number is that of workgroups that the GPU runs at once
//     static Work work(const Key&, const Problem&, const Way&)
//         for the cost model
//     static std::int64_t parts(const Way&)
//         of a sum that it splits, or 1
//     static Bound probe(const Problem&, const Way&)
//         to ask supports(), with addresses of the stated alignment
//     static Bound bind(const Problem&, const Way&, Tensors, std::int64_t)
//         the problem of one launch
//     static std::size_t tensor_count(const Problem&)
//     static std::string tensor_name(const Problem&, std::size_t)
//         what a sentence calls a tensor
//     static constexpr const char* kAsked
//         what begins a sentence, such as "A GEMM"
//     static Lines lines(const Problem&, std::size_t)
//         where the elements of a tensor are
// A Problem has an alignment (of its addresses) and a workspace_limit, says how many bytes it holds beside itself,
// std::size_t held_bytes() const, and is compared, hashed and shown: operator==, std::size_t hash() const, std::string
// text() const.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/arch_types.hpp"
#include "ckdispatch/core/plan.hpp"
#include "ckdispatch/core/tensors.hpp"

namespace ckdispatch {

template <class Family, class Problem>
struct FamilyDefaults {
    /// Such as one for each matrix of a batch.
    template <class Way>
    static std::int64_t launches(const Problem&, const Way&) {
        return 1;
    }
    /// What Work::details hold, in their order.
    static std::vector<std::string> details() { return {}; }
    /// How a problem that no kernel computes at once is computed by several; with no pieces, it is not.
    static Division<Problem> divide(const Problem&) { return {}; }
    /// Different ways to divide it, the simplest first: each is planned, and the one that should take the least time is
    /// taken.
    static std::vector<Division<Problem>> alternatives(const Problem& problem, const arch::GpuSpec&) {
        Division<Problem> one = Family::divide(problem);
        if (one.pieces.empty()) return {};
        return {std::move(one)};
    }
    /// Of a kernel and of a problem: only kernels of the same section can serve it. One word for all where there is no
    /// such order.
    template <class KeyOrProblem>
    static Name section(const KeyOrProblem&) {
        return {};
    }
    /// Whether the family has a fits(key, problem, gpu) of its own, which says without a sentence whether mismatch()
    /// has nothing to say.
    static constexpr bool kFitsQuickly = false;
    /// Whether a kernel touches a tensor of the problem that it was offered as a temporary.
    template <class Key>
    static bool needs(const Key&, const Problem&, std::size_t) {
        return true;
    }
    /// A problem that has this one in it, with sizes, strides and addresses that suit the kernel, whatever else it may
    /// refuse; tensors of it are zero where this one has no elements, and so change nothing of it.
    template <class Key>
    static std::optional<Problem> enlarged(const Key&, const Problem&) {
        return std::nullopt;
    }
    /// Whether a tensor may be left out, with no address.
    static bool optional(const Problem&, std::size_t) { return false; }
    /// Whether all elements of a tensor that is written are: else those that are not keep what was there.
    static bool writes_all(const Problem&, std::size_t) { return true; }
    /// Whether each element of a tensor is read by whoever then writes there.
    template <class Stage>
    static bool reads_where_it_writes(const Stage&, std::size_t) {
        return false;
    }

    /// Whether its launch copies something from the host, which a graph would copy again when it is no longer there.
    template <class Stage>
    static bool copies_from_host(const Stage&) {
        return false;
    }

    static Region region(const Problem& problem, std::size_t tensor) {
        return region_of(Family::lines(problem, tensor));
    }
    static std::size_t tensor_bytes(const Problem& problem, std::size_t tensor) {
        return region(problem, tensor).reach;
    }
    /// The problem with the alignment that the addresses have. Throws InvalidArgumentError if one is missing.
    static Problem aligned(const Problem& problem, Tensors tensors) {
        Problem looser = problem;
        looser.alignment =
            alignment_of(tensors, Family::tensor_count(problem), problem.alignment, Family::kAsked, [&](std::size_t i) {
                return Family::optional(problem, i) ? std::string() : Family::tensor_name(problem, i);
            });
        return looser;
    }
};

}  // namespace ckdispatch

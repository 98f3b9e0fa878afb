// SPDX-License-Identifier: MIT
// What serves a problem: kernels that are launched one after the other, on the caller's tensors and on memory of the
// plan's own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ck_kernel_abi.h"
#include "ckdispatch/core/kernel.hpp"
#include "ckdispatch/core/regions.hpp"

namespace ckdispatch {

/// What a launch, or a transfer, is given: a tensor of the caller's, a temporary of the plan, or nothing, in place of
/// an optional tensor.
struct Argument {
    enum class Kind { nothing, tensor, temporary };
    Kind kind = Kind::nothing;
    std::size_t index = 0;
    std::uint64_t offset = 0;  ///< bytes from its beginning

    static Argument tensor(std::size_t index) { return {Kind::tensor, index, 0}; }
    static Argument temporary(std::size_t index) { return {Kind::temporary, index, 0}; }
};

/// Memory that a plan has from its first to its last stage that uses it.
struct Temporary {
    /// What hipMalloc aligns memory to.
    static constexpr std::uint64_t kAlignment = 256;

    std::uint64_t bytes = 0;
    std::uint64_t alignment = kAlignment;
    std::size_t first = 0, last = 0;
    std::uint64_t offset = 0;  ///< in the workspace
};

/// Gives each temporary its place in one workspace: the first where it meets none that lives at the same time. Returns
/// the bytes of the workspace.
std::uint64_t lay_out(std::vector<Temporary>& temporaries);

/// Rows of bytes that are copied on the device, some blocks of them; `from` nothing, they are cleared.
struct Transfer {
    Argument to, from;
    std::uint64_t width = 0;
    std::uint64_t rows = 1, to_pitch = 0, from_pitch = 0;
    std::uint64_t blocks = 1, to_block = 0, from_block = 0;  ///< and how far it is from one to the next
    std::uint64_t sets = 1, to_set = 0, from_set = 0;        ///< of blocks

    std::uint64_t bytes() const { return width * rows * blocks * sets; }
};

Transfer clearing(const Argument& to, std::uint64_t bytes);
/// Of what two tensors of different extents have in common, line by line.
Transfer copying(const Argument& to, const Lines& to_lines, const Argument& from, const Lines& from_lines);

/// Problems that together are another one, in their order. How long a temporary is needed follows from who is given it.
template <class Problem>
struct Division {
    struct Piece {
        Problem problem;
        std::vector<Argument> arguments;  ///< for its tensors
        std::vector<Transfer> before, after;

        std::uint64_t transferred() const {
            std::uint64_t all = 0;
            for (const std::vector<Transfer>* some : {&before, &after})
                for (const Transfer& one : *some) all += one.bytes();
            return all;
        }
    };
    std::vector<Piece> pieces;
    std::vector<Transfer>
        before;  ///< the pieces, on tensors of the problem; where there is nothing to compute, all that is done
    std::vector<Temporary> temporaries;
    std::size_t main = 0;  ///< the piece whose kernels a ranking tells apart
};

/// The launches of one kernel, or of one of its phases: one, or such as one for each matrix of a batch.
template <class Family>
struct Stage {
    std::shared_ptr<const Kernel<typename Family::Key>> kernel;
    const ck_kernel_api* api = nullptr;
    typename Family::Way way;
    std::uint64_t workspace_bytes = 0;  ///< of the kernel's own
    typename Family::Problem problem;
    std::vector<Argument> arguments;
    std::vector<Transfer> before, after;
    std::optional<std::size_t> scratch{};  ///< the temporary that is the kernel's workspace
    std::optional<std::size_t>
        in_order_from{};       ///< the arguments are the caller's tensors from this one on, as they are
    std::uint32_t phases = 0;  ///< bits of ck_phase; 0 for all that there are

    /// Whether it runs the kernel itself, and not what goes before or after it.
    bool computes() const { return !phases || phases & CK_PHASE_COMPUTE; }

    template <class Visit>
    void visit(Visit&& visit) {
        for (Argument& one : arguments) visit(one);
        for (std::vector<Transfer>* all : {&before, &after})
            for (Transfer& one : *all) visit(one.to), visit(one.from);
    }
    std::size_t held_bytes() const {
        return sizeof(*this) + problem.held_bytes() + arguments.size() * sizeof(Argument) +
               (before.size() + after.size()) * sizeof(Transfer);
    }
};

/// Its stages in order. Most plans have one, which is given the caller's tensors; those of problems without anything to
/// compute may have none.
template <class Family>
struct Plan {
    typename Family::Problem problem;
    Name gpu;
    std::vector<Transfer> before;  ///< its stages; of a problem that is no piece of another
    std::vector<Stage<Family>> stages;
    std::vector<Temporary> temporaries;
    std::vector<Region> regions;        ///< of the problem's tensors
    std::uint64_t workspace_bytes = 0;  ///< of all temporaries
    double microseconds = 0;            ///< predicted
    std::string padded;                 ///< the larger problem that is computed in its place, if it is

    /// Of the first stage's kernel; empty without one.
    const std::string& name() const {
        static const std::string none;
        return stages.empty() ? none : stages.front().kernel->name();
    }
    std::int64_t launches() const {
        std::int64_t all = 0;
        for (const Stage<Family>& stage : stages)
            all += stage.computes() ? Family::launches(stage.problem, stage.way) : 0;
        return all;
    }
    /// Bytes of memory that it takes, about.
    std::size_t held_bytes() const {
        std::size_t all = sizeof(*this) + problem.held_bytes() + regions.size() * sizeof(Region) +
                          temporaries.size() * sizeof(Temporary) + padded.size() + before.size() * sizeof(Transfer);
        for (const Stage<Family>& stage : stages) all += stage.held_bytes();
        return all;
    }

    /// Adds the stages of another plan, whose problem's tensors are these arguments.
    void append(Plan other, const std::vector<Argument>& arguments) {
        const std::size_t before = temporaries.size();
        for (Stage<Family>& stage : other.stages) {
            stage.visit([&](Argument& one) {
                const std::uint64_t offset = one.offset;
                if (one.kind == Argument::Kind::temporary) one.index += before;
                if (one.kind == Argument::Kind::tensor) one = arguments[one.index], one.offset += offset;
            });
            if (stage.scratch) *stage.scratch += before;
            stages.push_back(std::move(stage));
        }
        temporaries.insert(temporaries.end(), other.temporaries.begin(), other.temporaries.end());
        microseconds += other.microseconds;
        if (!other.padded.empty())
            padded = padded.empty() ? other.padded : padded.substr(0, padded.find(", …")) + ", …";
    }

    /// Once all stages are there: the places of its temporaries, and which stages are given tensors as they are.
    void lay_out() {
        for (Temporary& one : temporaries) one.first = stages.size(), one.last = 0;
        for (std::size_t at = 0; at < stages.size(); ++at) {
            Stage<Family>& stage = stages[at];
            const auto use = [&](std::size_t index) {
                Temporary& one = temporaries[index];
                one.first = std::min(one.first, at), one.last = at;
            };
            stage.visit([&](const Argument& one) {
                if (one.kind == Argument::Kind::temporary) use(one.index);
            });
            if (stage.scratch) use(*stage.scratch);
            stage.in_order_from = stage.arguments.empty() ? 0 : stage.arguments[0].index;
            for (std::size_t i = 0; i < stage.arguments.size(); ++i) {
                const Argument& one = stage.arguments[i];
                if (one.kind != Argument::Kind::tensor || one.offset || one.index != stage.arguments[0].index + i)
                    stage.in_order_from.reset();
            }
        }
        for (Temporary& one : temporaries)
            if (one.first > one.last) one = {0, one.alignment, 0, 0, 0};  // nobody was given it
        workspace_bytes = ckdispatch::lay_out(temporaries);
    }
};

}  // namespace ckdispatch

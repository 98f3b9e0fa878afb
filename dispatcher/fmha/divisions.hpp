// SPDX-License-Identifier: MIT
// How problems of callers are computed in stages. For the sources of this folder.
#pragma once

#include <vector>

#include "arch/arch_types.hpp"
#include "ckdispatch/core/plan.hpp"
#include "ckdispatch/fmha/problem.hpp"

namespace ckdispatch {

/// One division that grows stage by stage.
class FmhaStages {
public:
    using Pieces = Division<FmhaProblem>;
    using Piece = Pieces::Piece;

    /// The caller's tensors are given to stages wherever no temporary takes their place.
    FmhaStages();

    /// Memory in place of a tensor from now on.
    std::size_t put(std::size_t slot, std::uint64_t bytes);
    /// The same memory, that many bytes further.
    void put_again(std::size_t slot, std::size_t temporary, std::uint64_t offset = 0);
    /// A tensor of the caller's in place of another.
    void put_tensor(std::size_t slot, std::size_t tensor_slot);

    /// A stage of that variant; its tensors are those of the problem, of which it keeps `slots`.
    Piece& add(FmhaProblem problem, Name variant, std::uint64_t slots);

    void main() { division_.main = division_.pieces.size() - 1; }
    Pieces take() { return std::move(division_); }

private:
    Pieces division_;
    std::vector<Argument> places_;
};

constexpr std::uint64_t fmha_slots() { return 0; }
template <class... Slots>
constexpr std::uint64_t fmha_slots(ck_fmha_tensor_index first, Slots... others) {
    return std::uint64_t(1) << first | fmha_slots(others...);
}

std::vector<Division<FmhaProblem>> forward_divisions(const FmhaProblem& problem, const arch::GpuSpec& gpu);
std::vector<Division<FmhaProblem>> backward_divisions(const FmhaProblem& problem);

/// Numbers of parts to try for a problem with so many workgroups that have the keys whole. None of them is 1.
std::vector<std::int64_t> fmha_parts(double workgroups, std::int64_t keys, const arch::GpuSpec& gpu);

}  // namespace ckdispatch

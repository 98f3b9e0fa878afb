// SPDX-License-Identifier: MIT
// A larger product that a kernel takes, for one that it does not.
#include <algorithm>

#include "ckdispatch/core/dtypes.hpp"
#include "ckdispatch/gemm/family.hpp"
#include "ckdispatch/gemm/oriented.hpp"

namespace ckdispatch {
namespace {

// No load is wider.
constexpr std::int64_t kLoadBytes = 16;

std::int64_t round_up(std::int64_t extent, std::int64_t step) { return (extent + step - 1) / step * step; }

// What M, N and K of the kernel must be multiples of: its tile, or where it pads itself the loads of those operands
// that are contiguous along it.
Extent3 steps_of(const GemmKey& key, const GemmProblem& problem, const Oriented& o) {
    Extent3 steps{1, 1, 1};
    const auto load = [](int& step, Name dtype) {
        step = std::max(step, int(double(kLoadBytes) / element_bytes(dtype)));
    };
    load(o.layout[0] == 'r' ? steps.k : steps.m, o.dtype_a);
    load(o.layout[1] == 'r' ? steps.n : steps.k, o.dtype_b);
    load(steps.n, problem.dtype_c);
    if (problem.d_count) load(o.d_layout == 'r' ? steps.n : steps.m, problem.dtype_d);
    return {key.pad_m ? steps.m : key.tile.m, key.pad_n ? steps.n : key.tile.n, key.pad_k ? steps.k : key.tile.k};
}

// An operand of the larger problem, packed; what all matrices, or all lines, share stays so. One that is as large as
// before and suits every load stays as it is.
void pack(const Lines& before, const Lines& after, std::int64_t& stride, std::int64_t& batch_stride) {
    const auto suits = [&](std::int64_t elements) {
        return std::int64_t(double(elements) * element_bytes(before.dtype)) % kLoadBytes == 0;
    };
    if (before.width == after.width && before.lines == after.lines && suits(stride) && suits(batch_stride)) return;
    if (stride) stride = after.width;
    if (batch_stride) batch_stride = after.width * (stride ? after.lines : 1);
}

}  // namespace

std::optional<GemmProblem> GemmFamily::enlarged(const GemmKey& key, const GemmProblem& problem) {
    constexpr std::int64_t kLimit = std::int64_t(1) << 31;
    if (!problem.groups.empty()) return std::nullopt;
    const Oriented o = oriented(problem);
    const Extent3 steps = steps_of(key, problem, o);
    const std::int64_t m = round_up(o.m, steps.m), n = round_up(o.n, steps.n);
    GemmProblem larger = problem;
    larger.m = o.exchanged ? n : m;
    larger.n = o.exchanged ? m : n;
    // Every part of K has whole tiles.
    larger.k =
        round_up(problem.k, problem.split_k == 1 ? steps.k : key.tile.k * std::max<std::int64_t>(1, problem.split_k));
    larger.alignment = kLoadBytes;
    // Preshuffled weights are as they are.
    if (!problem.weights.empty() && (larger.n != problem.n || larger.k != problem.k)) return std::nullopt;
    if (larger.m >= kLimit || larger.n >= kLimit || larger.k >= kLimit) return std::nullopt;
    const auto packed = [&](std::size_t tensor, std::int64_t& stride, std::int64_t& batch_stride) {
        pack(lines(problem, tensor), lines(larger, tensor), stride, batch_stride);
    };
    packed(0, larger.stride_a, larger.batch_stride_a);
    packed(1, larger.stride_b, larger.batch_stride_b);
    packed(2, larger.stride_c, larger.batch_stride_c);
    for (std::size_t i = 0; i < std::size_t(problem.d_count); ++i)
        packed(3 + i, larger.stride_d[i], larger.batch_stride_d[i]);
    return larger;
}

}  // namespace ckdispatch

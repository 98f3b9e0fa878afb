// SPDX-License-Identifier: MIT
// Which problems a kernel computes, and in which ways.
#include "ckdispatch/gemm/family.hpp"

#include <algorithm>

#include "ckdispatch/gemm/oriented.hpp"
#include "ckdispatch/gemm/words.hpp"
#include "ckdispatch/product/split_k.hpp"

namespace ckdispatch {
namespace {

std::string quoted(Name word) { return std::string(word.text()); }

std::string computes(const char* what, std::string_view has, std::string_view wanted) {
    return std::string("computes ") + what + " " + std::string(has) + ", not " + std::string(wanted) + ".";
}

std::string operation(Name op, int d_count) {
    if (d_count == 0) return op == gemm_words().pass_through ? "the product alone" : quoted(op);
    return quoted(op) + " with " + std::to_string(d_count) + (d_count == 1 ? " D tensor" : " D tensors");
}

// What the kernel makes of the product.
std::string operation_mismatch(const GemmKey& key, const GemmProblem& problem, const Oriented& o) {
    if (key.fused_op != problem.fused_op || key.d_count != problem.d_count)
        return "computes " + operation(key.fused_op, key.d_count) + ", not " +
               operation(problem.fused_op, problem.d_count) + ".";
    if (key.d_count == 0) return {};
    if (key.dtype_d != problem.dtype_d)
        return computes("with D tensors of", key.dtype_d.text(), problem.dtype_d.text());
    if (key.d_layout.text() != std::string_view(&o.d_layout, 1))
        return key.d_layout.text() == "r" ? "reads D tensors in rows, not in columns."
                                          : "reads D tensors in columns, not in rows.";
    return {};
}

// How the kernel takes its operands.
std::string variant_mismatch(const GemmKey& key, const GemmProblem& problem, const arch::GpuSpec& gpu) {
    const GemmWords& words = gemm_words();
    if (!words.is_variant(key.variant))
        return "is of the variant " + quoted(key.variant) + ", which this runtime does not know.";
    if (key.variant == words.grouped && problem.groups.empty())
        return "computes groups of products; for one product others are better.";
    if (key.variant != words.grouped && !problem.groups.empty())
        return "computes one product in a launch, not a group of " + std::to_string(problem.groups.size()) + ".";
    const bool shuffles = key.variant == words.preshuffle;
    const std::string block = shuffles ? WeightsBlock::read_by(key.warp_tile, gpu).text() : "";
    if (shuffles && problem.weights.empty()) return "reads B preshuffled as " + block + ", and it is plain.";
    if (!shuffles && !problem.weights.empty())
        return "reads B plain, and it is preshuffled as " + quoted(problem.weights) + ".";
    if (shuffles && problem.weights.text() != block)
        return "reads B preshuffled as " + block + ", not as " + quoted(problem.weights) + ".";
    if (key.variant == words.batched && problem.batch > 1)
        for (std::size_t i = 0; i < std::size_t(problem.d_count); ++i)
            if (problem.batch_stride_d[i]) return "has the same D tensors for all matrices of a batch.";
    return {};
}

std::string split_mismatch(const GemmKey& key, const GemmProblem& problem) {
    const GemmWords& words = gemm_words();
    if (key.variant != words.stream_k)
        return SplitK::mismatch(key.split_k, problem.split_k, problem.deterministic, "K");
    if (problem.split_k > 1)
        return "divides K among workgroups by itself, not into " + std::to_string(problem.split_k) + " parts.";
    return key.split_k == SplitK::words().atomic && problem.deterministic ? std::string(SplitK::kOtherBits) : "";
}

// As many workgroups as the GPU runs at once share the tiles, each with enough loops to be worth its while.
GemmWay shared_way(const GemmKey& key, const GemmProblem& problem, double workgroups_at_once) {
    constexpr std::int64_t kFewest = 4;
    const auto ceil_div = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    const Oriented o = oriented(problem);
    const std::int64_t tiles = ceil_div(o.m, key.tile.m) * ceil_div(o.n, key.tile.n),
                       loops = ceil_div(problem.k, key.tile.k);
    const std::int64_t shares =
        std::max<std::int64_t>(1, std::min(std::int64_t(workgroups_at_once), std::max(tiles, tiles * loops / kFewest)));
    // A tile of so many loops lies in one share more than it fills.
    const std::int64_t parts = std::min(loops, ceil_div(shares, tiles) + 1);
    return {shares, false, parts};
}

}  // namespace

const GemmWords& gemm_words() {
    static const GemmWords words;
    return words;
}

Mismatch GemmFamily::mismatch(const GemmKey& key, const GemmProblem& problem, const arch::GpuSpec& gpu) {
    const Oriented o = oriented(problem);
    const std::string_view layout(o.layout, 3);
    return Checks()
        .check(key.dtype_a == o.dtype_a, [&] { return computes("A in", key.dtype_a.text(), o.dtype_a.text()); })
        .check(key.dtype_b == o.dtype_b, [&] { return computes("B in", key.dtype_b.text(), o.dtype_b.text()); })
        .check(key.dtype_c == problem.dtype_c,
               [&] { return computes("C in", key.dtype_c.text(), problem.dtype_c.text()); })
        .check(key.layout.text() == layout, [&] { return computes("the layout", key.layout.text(), layout); })
        .check([&] { return operation_mismatch(key, problem, o); })
        .check([&] { return variant_mismatch(key, problem, gpu); })
        .check([&] { return split_mismatch(key, problem); })
        .result();
}

std::vector<GemmWay> GemmFamily::ways(const GemmKey& key, const GemmProblem& problem, double workgroups_at_once) {
    const GemmWords& words = gemm_words();
    const bool together = key.variant == words.batched || key.variant == words.grouped;
    if (key.variant == words.stream_k) return {shared_way(key, problem, workgroups_at_once)};
    std::int64_t deepest = problem.k;
    for (const GemmGroup& group : problem.groups) deepest = std::max(deepest, group.k);
    std::vector<GemmWay> ways;
    for (const std::int64_t parts :
         SplitK::choices(key.split_k, problem.split_k, problem.deterministic, key.tile.k, deepest))
        ways.push_back({parts, together, parts});
    return ways;
}

template class Selector<GemmFamily>;
template class Dispatcher<GemmFamily>;

}  // namespace ckdispatch

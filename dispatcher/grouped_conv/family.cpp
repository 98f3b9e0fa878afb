// SPDX-License-Identifier: MIT
// Which problems a kernel computes, and in which ways.
#include "ckdispatch/grouped_conv/family.hpp"

#include <numeric>

#include "ckdispatch/grouped_conv/layouts.hpp"
#include "ckdispatch/grouped_conv/words.hpp"
#include "ckdispatch/product/split_k.hpp"

namespace ckdispatch {
namespace {

std::string text(Name word) { return std::string(word.text()); }

std::string computes(const char* what, Name has, Name wanted) {
    return std::string("computes ") + what + text(has) + ", not " + text(wanted) + ".";
}

std::string operation(Name op, int d_count) {
    if (d_count == 0) return op == grouped_conv_words().pass_through ? "the convolution alone" : text(op);
    return text(op) + " with a bias";
}

template <class Holds>
bool everywhere(const GroupedConvProblem& problem, Holds&& holds) {
    for (const GroupedConvAxis& axis : problem.axes)
        if (!holds(axis)) return false;
    return true;
}

// What the kernel takes for granted. A dimension that is not there has a filter of 1 without strides and pads.
std::string specialization_mismatch(const GroupedConvKey& key, const GroupedConvProblem& problem) {
    const GroupedConvWords& words = grouped_conv_words();
    const auto no_pads = [](const GroupedConvAxis& axis) {
        return axis.filter == 1 && axis.left_pad == 0 && axis.right_pad == 0;
    };
    if (key.specialization == words.by_default) return {};
    if (key.specialization == words.filter_1x1_pad0)
        return everywhere(problem, no_pads) ? "" : "computes filters of 1 without pads alone.";
    if (key.specialization == words.filter_1x1_stride1_pad0)
        return everywhere(problem, [&](const GroupedConvAxis& axis) { return no_pads(axis) && axis.stride == 1; })
                   ? ""
                   : "computes filters of 1 with strides of 1 and without pads alone.";
    if (key.specialization != words.filter_3x3)
        return "is specialised for " + text(key.specialization) + ", which this runtime does not know.";
    bool fits = problem.c == 1;
    for (int i = 0; i < problem.ndim_spatial; ++i) fits = fits && problem.axes[std::size_t(i)].filter == 3;
    return fits ? "" : "computes filters of 3 with one channel in a group alone.";
}

// A manifest may say anything.
std::string vectors_mismatch(const GroupedConvKey& key) {
    constexpr int kMost = 1024;
    for (const int vector : {key.vector_a, key.vector_b, key.vector_c})
        if (vector < 1 || vector > kMost)
            return "moves vectors of " + std::to_string(vector) + ", which this runtime does not know.";
    return {};
}

std::string groups_mismatch(const GroupedConvKey& key, const GroupedConvProblem& problem) {
    if (key.merged_groups < 1)
        return "merges " + std::to_string(key.merged_groups) + " groups, which this runtime does not know.";
    if (problem.g % key.merged_groups)
        return "merges " + std::to_string(key.merged_groups) + " groups, and there are " + std::to_string(problem.g) +
               ".";
    return {};
}

}  // namespace

const GroupedConvWords& grouped_conv_words() {
    static const GroupedConvWords words;
    return words;
}

Mismatch GroupedConvFamily::mismatch(const GroupedConvKey& key, const GroupedConvProblem& problem,
                                     const arch::GpuSpec&) {
    return Checks()
        .check(grouped_conv_words().is_direction(key.variant),
               [&] { return "is of the variant " + text(key.variant) + ", which this runtime does not know."; })
        .check(key.variant == problem.direction, [&] { return computes("", key.variant, problem.direction); })
        .check(key.ndim_spatial == problem.ndim_spatial,
               [&] {
                   return "computes " + std::to_string(key.ndim_spatial) + " spatial dimensions, not " +
                          std::to_string(problem.ndim_spatial) + ".";
               })
        .check(key.layout == problem.layout, [&] { return computes("the layout ", key.layout, problem.layout); })
        .check(key.dtype_x == problem.dtype_x, [&] { return computes("with x in ", key.dtype_x, problem.dtype_x); })
        .check(key.dtype_w == problem.dtype_w, [&] { return computes("with w in ", key.dtype_w, problem.dtype_w); })
        .check(key.dtype_y == problem.dtype_y, [&] { return computes("with y in ", key.dtype_y, problem.dtype_y); })
        .check(key.fused_op == problem.fused_op && key.d_count == problem.d_count,
               [&] {
                   return "computes " + operation(key.fused_op, key.d_count) + ", not " +
                          operation(problem.fused_op, problem.d_count) + ".";
               })
        .check([&] { return specialization_mismatch(key, problem); })
        .check([&] { return groups_mismatch(key, problem); })
        .check([&] { return vectors_mismatch(key); })
        .check([&] { return SplitK::mismatch(key.split_k, problem.split_k, problem.deterministic, "the sum"); })
        .result();
}

// With whole vectors of channels. The vectors are those of A, B and C, which are other tensors in each direction.
std::optional<GroupedConvProblem> GroupedConvFamily::enlarged(const GroupedConvKey& key,
                                                              const GroupedConvProblem& problem) {
    const auto round_up = [](std::int64_t extent, std::int64_t step) { return (extent + step - 1) / step * step; };
    std::int64_t c = std::lcm(key.vector_b, key.vector_c), k = key.vector_a;
    if (key.variant == grouped_conv_words().forward) c = std::lcm(key.vector_a, key.vector_b), k = key.vector_c;
    // The first is one of w, along channels and taps; the others move positions.
    if (GroupedConvLayout::find(key.layout).channels_first) c = key.vector_a, k = 1;
    GroupedConvProblem larger = problem;
    larger.c = round_up(problem.c, c);
    larger.k = round_up(problem.k, k);
    larger.alignment = 16;
    return larger;
}

std::vector<GroupedConvWay> GroupedConvFamily::ways(const GroupedConvKey& key, const GroupedConvProblem& problem,
                                                    double) {
    std::vector<GroupedConvWay> ways;
    for (const std::int64_t parts : SplitK::choices(key.split_k, problem.split_k, problem.deterministic, key.tile.k,
                                                    problem.n * problem.outputs()))
        ways.push_back({parts});
    return ways;
}

template class Selector<GroupedConvFamily>;
template class Dispatcher<GroupedConvFamily>;

}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
#include "ckdispatch/gemm/problem.hpp"

#include <charconv>
#include <tuple>

#include "ckdispatch/core/dtypes.hpp"
#include "ckdispatch/core/error.hpp"
#include "ckdispatch/core/hash.hpp"

namespace ckdispatch {
namespace {

// Words are kept once, so that their addresses tell them apart.
auto identity(const GemmProblem& p) {
    return std::make_tuple(p.m, p.n, p.k, p.batch, p.stride_a, p.stride_b, p.stride_c, p.batch_stride_a,
                           p.batch_stride_b, p.batch_stride_c, p.dtype_a.c_str(), p.dtype_b.c_str(), p.dtype_c.c_str(),
                           p.layout.c_str(), p.fused_op.c_str(), p.d_count, p.dtype_d.c_str(), p.d_layout.c_str(),
                           p.weights.c_str(), p.split_k, p.alignment, p.deterministic, p.workspace_limit);
}

auto identity(const GemmGroup& g) { return std::make_tuple(g.m, g.n, g.k, g.stride_a, g.stride_b, g.stride_c); }

std::string extents(std::int64_t m, std::int64_t n, std::int64_t k) {
    return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
}

// All of them would be no text for a person.
std::string sizes(const std::vector<GemmGroup>& groups) {
    constexpr std::size_t kShown = 3;
    std::string shown = "of " + std::to_string(groups.size()) + " groups (";
    for (std::size_t i = 0; i < groups.size() && i < kShown; ++i)
        shown += (i ? ", " : "") + extents(groups[i].m, groups[i].n, groups[i].k);
    return shown + (groups.size() > kShown ? ", …)" : ")");
}

}  // namespace

bool operator==(const GemmProblem& a, const GemmProblem& b) {
    if (identity(a) != identity(b) || a.stride_d != b.stride_d || a.batch_stride_d != b.batch_stride_d ||
        a.groups.size() != b.groups.size())
        return false;
    for (std::size_t i = 0; i < a.groups.size(); ++i)
        if (identity(a.groups[i]) != identity(b.groups[i])) return false;
    return true;
}

std::size_t GemmProblem::hash() const {
    std::size_t seed = 0;
    mix(seed, identity(*this));
    for (int i = 0; i < d_count; ++i)
        mix(seed, std::make_tuple(stride_d[std::size_t(i)], batch_stride_d[std::size_t(i)]));
    for (const GemmGroup& group : groups) mix(seed, identity(group));
    return seed;
}

GemmProblem GemmProblem::without_groups() const {
    GemmProblem one = *this;
    one.groups = {};
    return one;
}

void GemmProblem::take_sizes(const GemmGroup& group) {
    m = group.m, n = group.n, k = group.k;
    stride_a = group.stride_a, stride_b = group.stride_b, stride_c = group.stride_c;
}

std::vector<GemmProblem> GemmProblem::products() const {
    std::vector<GemmProblem> all;
    all.reserve(groups.size());
    for_each_product([&](std::size_t, const GemmProblem& product) { all.push_back(product); });
    return all;
}

double GemmProblem::flops() const {
    double products = double(m) * double(n) * double(k) * double(batch);
    for (const GemmGroup& group : groups) products += double(group.m) * double(group.n) * double(group.k);
    return 2.0 * products;
}

double GemmProblem::bytes() const {
    const double a = element_bytes(dtype_a), b = element_bytes(dtype_b), c = element_bytes(dtype_c);
    const auto of = [&](double rows, double columns, double depth) {
        return rows * depth * a + depth * columns * b + rows * columns * c;
    };
    double all = of(double(m), double(n), double(k));
    for (std::size_t i = 0; i < std::size_t(d_count); ++i)
        all += (stride_d[i]              ? double(m) * double(n)
                : d_layout.text() == "r" ? double(n)
                                         : double(m)) *
               element_bytes(dtype_d);
    all *= double(batch);
    for (const GemmGroup& group : groups) all += of(double(group.m), double(group.n), double(group.k));
    return all;
}

std::string GemmProblem::text() const {
    std::string shown =
        "gemm " + (groups.empty() ? extents(m, n, k) : sizes(groups)) + " " + std::string(dtype_a.text());
    if (dtype_b != dtype_a) shown += "*" + std::string(dtype_b.text());
    if (dtype_c != dtype_a) shown += "->" + std::string(dtype_c.text());
    shown += " " + std::string(layout.text());
    if (!weights.empty()) shown += " preshuffled " + std::string(weights.text());
    if (batch != 1) shown += " batch " + std::to_string(batch);
    if (split_k != 1) shown += split_k == 0 ? " split-K auto" : " split-K " + std::to_string(split_k);
    if (d_count || fused_op.text() != "PassThrough") shown += " " + std::string(fused_op.text());
    if (d_count) {
        shown +=
            " of " + std::to_string(d_count) + (dtype_d != dtype_c ? " " + std::string(dtype_d.text()) : "") + " D";
        if (d_layout.text() == "c") shown += " in columns";
    }
    return shown;
}

WeightsBlock WeightsBlock::of(Name weights) {
    const std::string_view text = weights.text();
    const std::size_t cross = text.find('x');
    const auto number = [](std::string_view digits) {
        std::int64_t value = 0;
        const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return result.ec == std::errc{} && result.ptr == digits.data() + digits.size() ? value : 0;
    };
    const WeightsBlock block = cross == text.npos
                                   ? WeightsBlock{}
                                   : WeightsBlock{number(text.substr(0, cross)), number(text.substr(cross + 1))};
    if (block.n < 1 || block.k < 1 || block.n > 256 || block.k > 256)
        throw InvalidArgumentError(
            "A GEMM with weights preshuffled as '" + std::string(text.substr(0, 20)) +
            "' was asked for; it is columns and their neighbours along K that lie together, such as 16x8.");
    return block;
}

WeightsBlock WeightsBlock::read_by(const Extent3& warp_tile, const arch::GpuSpec& gpu) {
    return {warp_tile.n, gpu.k_per_lane(warp_tile.n, warp_tile.k)};
}

std::int64_t WeightsBlock::place(std::int64_t row, std::int64_t column, std::int64_t depth) const {
    const std::int64_t block = column / n * (depth / k) + row / k;
    return (block * n + column % n) * k + row % k;
}

}  // namespace ckdispatch

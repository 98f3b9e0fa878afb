// SPDX-License-Identifier: MIT
#include "ckdispatch/grouped_conv/problem.hpp"

#include <tuple>

#include "ckdispatch/core/dtypes.hpp"
#include "ckdispatch/core/hash.hpp"
#include "ckdispatch/grouped_conv/words.hpp"

namespace ckdispatch {
namespace {

// Words are kept once, so that their addresses tell them apart.
auto identity(const GroupedConvProblem& p) {
    return std::make_tuple(p.direction.c_str(), p.n, p.g, p.c, p.k, p.ndim_spatial, p.dtype_x.c_str(),
                           p.dtype_w.c_str(), p.dtype_y.c_str(), p.layout.c_str(), p.fused_op.c_str(), p.d_count,
                           p.split_k, p.alignment, p.deterministic, p.workspace_limit);
}

auto identity(const GroupedConvAxis& a) {
    return std::make_tuple(a.input, a.filter, a.output, a.stride, a.dilation, a.left_pad, a.right_pad);
}

// One value of each dimension, such as 56x56.
template <class Show>
std::string joined(const GroupedConvProblem& p, Show&& show) {
    std::string all;
    for (int i = 0; i < p.ndim_spatial; ++i) all += (i ? "x" : "") + show(p.axes[std::size_t(i)]);
    return all;
}

std::string joined(const GroupedConvProblem& p, std::int64_t GroupedConvAxis::* extent) {
    return joined(p, [&](const GroupedConvAxis& axis) { return std::to_string(axis.*extent); });
}

// One number where both sides are padded alike.
std::string pads(const GroupedConvAxis& axis) {
    const std::string left = std::to_string(axis.left_pad);
    return axis.left_pad == axis.right_pad ? left : left + "+" + std::to_string(axis.right_pad);
}

}  // namespace

bool operator==(const GroupedConvProblem& a, const GroupedConvProblem& b) {
    if (identity(a) != identity(b)) return false;
    for (std::size_t i = 0; i < a.axes.size(); ++i)
        if (identity(a.axes[i]) != identity(b.axes[i])) return false;
    return true;
}

std::size_t GroupedConvProblem::hash() const {
    std::size_t seed = 0;
    mix(seed, identity(*this));
    for (const GroupedConvAxis& axis : axes) mix(seed, identity(axis));
    return seed;
}

std::int64_t GroupedConvProblem::elements(std::size_t tensor) const {
    switch (tensor) {
        case 0: return n * inputs() * g * c;
        case 1: return g * k * filters() * c;
        case 2: return n * outputs() * g * k;
        default: return g * k;
    }
}

std::size_t GroupedConvProblem::result() const {
    const GroupedConvWords& words = grouped_conv_words();
    return direction == words.backward_data ? 0 : direction == words.backward_weight ? 1 : 2;
}

double GroupedConvProblem::flops() const { return 2.0 * double(elements(2)) * double(c) * double(filters()); }

double GroupedConvProblem::bytes() const {
    double all = 0;
    for (std::size_t tensor = 0; tensor < 3 + std::size_t(d_count); ++tensor)
        all += double(elements(tensor)) * element_bytes(dtype_of(tensor));
    return all;
}

std::string GroupedConvProblem::text() const {
    const auto size = [](const char* name, std::int64_t value) {
        return " " + std::string(name) + std::to_string(value);
    };
    bool dilated = false;
    for (const GroupedConvAxis& axis : axes) dilated = dilated || axis.dilation != 1;
    std::string shown =
        "grouped_conv " + std::string(direction.text()) + size("n", n) + size("g", g) + size("c", c) + size("k", k);
    shown += " " + joined(*this, &GroupedConvAxis::input) + " " + joined(*this, &GroupedConvAxis::filter) + " stride " +
             joined(*this, &GroupedConvAxis::stride);
    if (dilated) shown += " dilation " + joined(*this, &GroupedConvAxis::dilation);
    shown += " pad " + joined(*this, pads) + " " + std::string(dtype_x.text());
    if (dtype_w != dtype_x) shown += "*" + std::string(dtype_w.text());
    if (dtype_y != dtype_x) shown += "->" + std::string(dtype_y.text());
    shown += " " + std::string(layout.text());
    if (split_k != 1) shown += split_k == 0 ? " split-K auto" : " split-K " + std::to_string(split_k);
    if (d_count || fused_op != grouped_conv_words().pass_through) shown += " " + std::string(fused_op.text());
    if (d_count) shown += " of a bias";
    return shown;
}

}  // namespace ckdispatch

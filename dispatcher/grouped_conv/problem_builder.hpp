// SPDX-License-Identifier: MIT
// Makes problems of convolutions from what a caller says, and refuses those that make no sense.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ckdispatch/grouped_conv/problem.hpp"

namespace ckdispatch {

class GroupedConvProblemBuilder {
public:
    /// One number for each spatial dimension, the innermost last.
    using Extents = std::vector<std::int64_t>;

    /// forward unless told otherwise, backward_data or backward_weight.
    GroupedConvProblemBuilder& direction(std::string_view word) { return problem_.direction = word, *this; }
    /// Images, groups, and channels in and out of one group.
    GroupedConvProblemBuilder& sizes(std::int64_t n, std::int64_t g, std::int64_t c, std::int64_t k) {
        return problem_.n = n, problem_.g = g, problem_.c = c, problem_.k = k, sized_ = true, *this;
    }
    GroupedConvProblemBuilder& input(Extents positions) { return dimensions_.input = std::move(positions), *this; }
    GroupedConvProblemBuilder& filter(Extents positions) { return dimensions_.filter = std::move(positions), *this; }
    /// Follows from the others, and is checked if it is given.
    GroupedConvProblemBuilder& output(Extents positions) { return dimensions_.output = std::move(positions), *this; }
    /// The shapes of x and w, and if one likes of y, in the order of the layout, in place of all of the above but the
    /// direction.
    GroupedConvProblemBuilder& shapes(Extents x, Extents w, Extents y = {}) {
        return x_ = std::move(x), w_ = std::move(w), y_ = std::move(y), *this;
    }
    /// 1 in each dimension unless given.
    GroupedConvProblemBuilder& stride(Extents positions) { return stride_ = std::move(positions), *this; }
    GroupedConvProblemBuilder& dilation(Extents positions) { return dilation_ = std::move(positions), *this; }
    /// None unless given.
    GroupedConvProblemBuilder& pads(Extents left, Extents right) {
        return left_pad_ = std::move(left), right_pad_ = std::move(right), *this;
    }
    GroupedConvProblemBuilder& pad(const Extents& both) { return pads(both, both); }
    /// Of x, w and y; y's is the usual one of the pair if it is not given.
    GroupedConvProblemBuilder& dtypes(std::string_view x, std::string_view w, std::string_view y = {}) {
        return problem_.dtype_x = x, problem_.dtype_w = w, problem_.dtype_y = y, *this;
    }
    GroupedConvProblemBuilder& dtype(std::string_view all) { return dtypes(all, all); }
    /// Such as "nhwgc", or "ngchw" in forward; the one with channels last if it is not given.
    GroupedConvProblemBuilder& layout(std::string_view word) { return problem_.layout = word, *this; }
    /// An operation on y, and with one D tensor on a bias.
    GroupedConvProblemBuilder& fused(std::string_view op, int d_count) {
        return problem_.fused_op = op, problem_.d_count = d_count, *this;
    }
    GroupedConvProblemBuilder& split_k(std::int64_t parts) { return problem_.split_k = parts, *this; }
    GroupedConvProblemBuilder& alignment(int bytes) { return problem_.alignment = bytes, *this; }
    GroupedConvProblemBuilder& deterministic(bool wanted) { return problem_.deterministic = wanted, *this; }
    GroupedConvProblemBuilder& workspace_limit(std::uint64_t bytes) { return problem_.workspace_limit = bytes, *this; }

    /// Throws InvalidArgumentError with the sentence about the first thing that is wrong.
    GroupedConvProblem build() const;

private:
    struct Dimensions {
        Extents input, filter, output;
    };
    Dimensions read_shapes(GroupedConvProblem& problem) const;

    GroupedConvProblem problem_;
    Dimensions dimensions_;
    Extents stride_, dilation_, left_pad_, right_pad_;
    bool sized_ = false;
    Extents x_, w_, y_;
};

}  // namespace ckdispatch

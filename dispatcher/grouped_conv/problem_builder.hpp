// SPDX-License-Identifier: MIT
// Makes problems of convolutions from what a caller says, and refuses those that make no sense.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ckdispatch/grouped_conv/problem.hpp"

namespace ckdispatch {

class GroupedConvProblemBuilder {
public:
    /// One number for each spatial dimension, the innermost last.
    using Extents = std::vector<std::int64_t>;

    /// forward unless told otherwise, backward_data or backward_weight.
    GroupedConvProblemBuilder& direction(std::string_view word);
    /// Images, groups, and channels in and out of one group.
    GroupedConvProblemBuilder& sizes(std::int64_t n, std::int64_t g, std::int64_t c, std::int64_t k);
    GroupedConvProblemBuilder& input(Extents positions);
    GroupedConvProblemBuilder& filter(Extents positions);
    /// Follows from the others, and is checked if it is given.
    GroupedConvProblemBuilder& output(Extents positions);
    /// The shapes of x and w, and if one likes of y, in the order of the layout, in place of all of the above but the direction.
    GroupedConvProblemBuilder& shapes(Extents x, Extents w, Extents y = {});
    /// 1 in each dimension unless given.
    GroupedConvProblemBuilder& stride(Extents positions);
    GroupedConvProblemBuilder& dilation(Extents positions);
    /// None unless given.
    GroupedConvProblemBuilder& pads(Extents left, Extents right);
    GroupedConvProblemBuilder& pad(Extents both) { return pads(both, both); }
    /// Of x, w and y; y's is the usual one of the pair if it is not given.
    GroupedConvProblemBuilder& dtypes(std::string_view x, std::string_view w, std::string_view y = {});
    GroupedConvProblemBuilder& dtype(std::string_view all) { return dtypes(all, all); }
    /// Such as "nhwgc", or "ngchw" in forward; the one with channels last if it is not given.
    GroupedConvProblemBuilder& layout(std::string_view word);
    /// An operation on y, and with one D tensor on a bias.
    GroupedConvProblemBuilder& fused(std::string_view op, int d_count);
    GroupedConvProblemBuilder& split_k(std::int64_t parts);
    GroupedConvProblemBuilder& alignment(int bytes);
    GroupedConvProblemBuilder& deterministic(bool wanted);
    GroupedConvProblemBuilder& workspace_limit(std::uint64_t bytes);

    /// Throws Error (invalid_argument) with the sentence about the first thing that is wrong.
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

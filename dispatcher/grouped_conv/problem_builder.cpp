// SPDX-License-Identifier: MIT
#include "ckdispatch/grouped_conv/problem_builder.hpp"

#include <algorithm>

#include "ckdispatch/core/dtypes.hpp"
#include "ckdispatch/core/error.hpp"
#include "ckdispatch/core/tensors.hpp"
#include "ckdispatch/grouped_conv/layouts.hpp"
#include "ckdispatch/grouped_conv/words.hpp"

namespace ckdispatch {
namespace {

using Extents = GroupedConvProblemBuilder::Extents;

constexpr std::int64_t kLimit = std::int64_t(1) << 31;

[[noreturn]] void refuse(const std::string& rest) { throw InvalidArgumentError(kAGroupedConvolution + rest); }

std::string number(std::int64_t value) { return std::to_string(value); }
std::string word(Name name) { return std::string(name.text().substr(0, 40)); }

std::string shown(const Extents& extents) {
    std::string all;
    for (const std::int64_t extent : extents) all += (all.empty() ? "" : "x") + number(extent);
    return all;
}

std::string dimensions(std::size_t count) {
    return number(std::int64_t(count)) + (count == 1 ? " spatial dimension" : " spatial dimensions");
}

void check_extents(const char* what, const Extents& extents, std::int64_t least) {
    for (const std::int64_t extent : extents)
        if (extent < least || extent >= kLimit)
            refuse(" was asked for with " + std::string(what) + " " + shown(extents) + "; each must be from " +
                   number(least) + " to 2^31-1.");
}

// One value for each dimension, or the same for all if none is given.
Extents completed(const char* what, Extents given, std::size_t dims, std::int64_t otherwise) {
    if (given.empty()) given.assign(dims, otherwise);
    if (given.size() != dims)
        refuse(" of " + dimensions(dims) + " was asked for with " + what + " " + shown(given) +
               "; there is one for each.");
    return given;
}

// What follows for the output of a dimension; the letter is its name.
std::int64_t output_of(const GroupedConvAxis& a, char letter) {
    const std::int64_t padded = a.input + a.left_pad + a.right_pad, covered = a.dilation * (a.filter - 1) + 1;
    if (covered > padded)
        refuse(" was asked for whose filter covers " + number(covered) + " positions along " + letter +
               ", where the input has " + number(padded) + " with its pads; the filter must fit into it.");
    return (padded - covered) / a.stride + 1;
}

// As a double: far too large a product would not be a number of 64 bits.
double positions(const GroupedConvProblem& p, std::int64_t GroupedConvAxis::* extent) {
    double all = 1;
    for (const GroupedConvAxis& axis : p.axes) all *= double(axis.*extent);
    return all;
}

// Kernels begin at a group's filters with an address of 64 bits, and go on from there by offsets of 32 bits: as many
// bytes as those can count. Images may be larger: kernels divide those, or say that they cannot.
void check_reach(const GroupedConvProblem& p) {
    constexpr double kAddressable = double(std::int64_t(1) << 48);
    const double n = double(p.n), g = double(p.g);
    const double filters =
        positions(p, &GroupedConvAxis::filter) * double(p.k) * double(p.c) * element_bytes(p.dtype_w);
    if (filters > double(kLimit))
        refuse(
            " was asked for with the filters of a group of more than 2 GiB, further than kernels reach in it; divide "
            "its channels among several groups or convolutions.");
    const double x = n * positions(p, &GroupedConvAxis::input) * g * double(p.c) * element_bytes(p.dtype_x),
                 y = n * positions(p, &GroupedConvAxis::output) * g * double(p.k) * element_bytes(p.dtype_y);
    const char* tensor = x > kAddressable ? "x" : y > kAddressable ? "y" : g * filters > kAddressable ? "w" : nullptr;
    if (tensor)
        refuse(" was asked for with " + std::string(tensor) +
               " of more than 256 TiB, which no GPU addresses; divide its images or its positions among several.");
}

void check_operation(GroupedConvProblem& p) {
    const GroupedConvWords& words = grouped_conv_words();
    if (p.fused_op.empty()) p.fused_op = words.pass_through;
    if (p.d_count < 0 || p.d_count > CK_GROUPED_CONV_MAX_DS)
        refuse(" with " + number(p.d_count) + " D tensors was asked for; there may be one, a bias.");
    if (p.direction != words.forward && (p.d_count || p.fused_op != words.pass_through))
        refuse(" " + word(p.direction) + " was asked for with " +
               (p.d_count ? "a bias" : "the operation " + word(p.fused_op)) +
               "; that is applied to y, in forward alone.");
}

void check_split(GroupedConvProblem& p) {
    const GroupedConvWords& words = grouped_conv_words();
    if (p.direction != words.backward_weight) {
        if (p.split_k != 0 && p.split_k != 1)
            refuse(" " + word(p.direction) + " was asked for with its sum in " + number(p.split_k) +
                   " parts; only that of backward_weight is split.");
        p.split_k = 1;
        return;
    }
    const std::int64_t depth = p.n * p.outputs();
    if (p.split_k < 0 || p.split_k > depth)
        refuse(" with a sum of n * outputs = " + number(depth) + " split into " + number(p.split_k) +
               " parts was asked for; parts are from 1 to that, or 0 for the dispatcher to choose.");
}

// An extent of a tensor by its letter in the layout, and those of its positions.
std::int64_t extent_of(const Extents& shape, std::string_view letters, char letter) {
    return shape[letters.find(letter)];
}

Extents positions_of(const Extents& shape, std::string_view letters) {
    Extents positions;
    for (std::size_t i = 0; i < letters.size(); ++i)
        if (GroupedConvLayout::is_position(letters[i])) positions.push_back(shape[i]);
    return positions;
}

void check_same(const char* what, const char* one, std::int64_t of_one, const char* other, std::int64_t of_other) {
    if (of_one != of_other)
        refuse(" was asked for whose " + std::string(one) + " has " + number(of_one) + " " + what + " and whose " +
               other + " has " + number(of_other) + "; they must be the same.");
}

}  // namespace

// What the shapes say, checked against each other. Without a layout there are as many dimensions as x has beyond n, g
// and c.
GroupedConvProblemBuilder::Dimensions GroupedConvProblemBuilder::read_shapes(GroupedConvProblem& p) const {
    if (sized_ || !dimensions_.input.empty() || !dimensions_.filter.empty() || !dimensions_.output.empty())
        refuse(" was asked for by shapes and by sizes; shapes say all.");
    const GroupedConvLayout* layout =
        p.layout.empty() ? GroupedConvLayout::of(int(x_.size()) - 3) : &GroupedConvLayout::find(p.layout);
    if (!layout)
        refuse(" was asked for with x of the shape " + shown(x_) +
               "; without a layout it has n, one to three positions, g and c.");
    const auto check_rank = [&](const char* name, const Extents& shape, std::string_view letters) {
        if (shape.size() != letters.size())
            refuse(" of the layout " + std::string(layout->word) + " was asked for with " + name + " of the shape " +
                   shown(shape) + "; it has the extents " + std::string(letters) + ".");
    };
    check_rank("x", x_, layout->x);
    check_rank("w", w_, layout->w);
    const auto of_x = [&](char letter) { return extent_of(x_, layout->x, letter); };
    const auto of_w = [&](char letter) { return extent_of(w_, layout->w, letter); };
    const auto of_y = [&](char letter) { return extent_of(y_, layout->y, letter); };
    p.n = of_x('n'), p.g = of_x('g'), p.c = of_x('c'), p.k = of_w('k');
    check_same("groups", "x", p.g, "w", of_w('g'));
    check_same("channels in a group", "x", p.c, "w", of_w('c'));
    Dimensions read{positions_of(x_, layout->x), positions_of(w_, layout->w), {}};
    if (y_.empty()) return read;
    check_rank("y", y_, layout->y);
    check_same("images", "x", p.n, "y", of_y('n'));
    check_same("groups", "x", p.g, "y", of_y('g'));
    check_same("channels out of a group", "w", p.k, "y", of_y('k'));
    read.output = positions_of(y_, layout->y);
    return read;
}

GroupedConvProblem GroupedConvProblemBuilder::build() const {
    const GroupedConvWords& words = grouped_conv_words();
    GroupedConvProblem p = problem_;
    if (p.direction.empty()) p.direction = words.forward;
    if (!words.is_direction(p.direction))
        refuse(" of the direction '" + word(p.direction) +
               "' was asked for; there are forward, backward_data and backward_weight.");

    const Dimensions given = x_.empty() && w_.empty() && y_.empty() ? dimensions_ : read_shapes(p);
    const std::size_t dims = given.input.size();
    const auto* layout = p.layout.empty() ? GroupedConvLayout::of(int(dims)) : &GroupedConvLayout::find(p.layout);
    if (!layout) refuse(" of " + dimensions(dims) + " was asked for; there are from one to three.");
    if (dims != std::size_t(layout->ndim_spatial))
        refuse(" of " + dimensions(dims) + " was asked for in the layout " + std::string(layout->word) +
               ", which has " + number(layout->ndim_spatial) + ".");
    if (layout->channels_first && p.direction != words.forward)
        refuse(" " + word(p.direction) + " was asked for in the layout " + std::string(layout->word) +
               ", which has channels first and is forward only; " +
               std::string(GroupedConvLayout::of(int(dims))->word) + " is for all directions.");
    p.layout = layout->word;
    p.ndim_spatial = layout->ndim_spatial;

    for (const std::int64_t size : {p.n, p.g, p.c, p.k})
        if (size < 1 || size >= kLimit)
            refuse(" of n, g, c and k = " + number(p.n) + ", " + number(p.g) + ", " + number(p.c) + " and " +
                   number(p.k) + " was asked for; each must be from 1 to 2^31-1.");
    if (given.filter.size() != dims)
        refuse(" of " + dimensions(dims) + " was asked for with " +
               (given.filter.empty() ? "no filter" : "the filter " + shown(given.filter)) +
               "; it has an extent for each.");
    const Extents stride = completed("the strides", stride_, dims, 1),
                  dilation = completed("the dilations", dilation_, dims, 1);
    const Extents left_pad = completed("the left pads", left_pad_, dims, 0),
                  right_pad = completed("the right pads", right_pad_, dims, 0);
    check_extents("the input", given.input, 1);
    check_extents("the filter", given.filter, 1);
    check_extents("the strides", stride, 1);
    check_extents("the dilations", dilation, 1);
    check_extents("the left pads", left_pad, 0);
    check_extents("the right pads", right_pad, 0);
    for (std::size_t i = 0; i < dims; ++i) {
        GroupedConvAxis& axis = p.axes[i];
        axis = {given.input[i], given.filter[i], 0, stride[i], dilation[i], left_pad[i], right_pad[i]};
        axis.output = output_of(axis, "dhw"[i + 3 - dims]);
    }
    if (!given.output.empty() &&
        !std::equal(given.output.begin(), given.output.end(), p.axes.begin(), p.axes.begin() + std::ptrdiff_t(dims),
                    [](std::int64_t wanted, const GroupedConvAxis& axis) { return wanted == axis.output; })) {
        Extents following;
        for (std::size_t i = 0; i < dims; ++i) following.push_back(p.axes[i].output);
        refuse(" was asked for with the output " + shown(given.output) +
               "; from its input, filter, strides, dilations and pads follows " + shown(following) + ".");
    }

    (void)dtype_facts(p.dtype_x, kAGroupedConvolution), (void)dtype_facts(p.dtype_w, kAGroupedConvolution);
    if (p.dtype_y.empty()) p.dtype_y = usual_output(p.dtype_x, p.dtype_w, kAGroupedConvolution);
    (void)dtype_facts(p.dtype_y, kAGroupedConvolution);
    check_reach(p);
    check_operation(p);
    check_split(p);
    check_alignment(p.alignment, kAGroupedConvolution);
    return p;
}

}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
#include "ckdispatch/capi/of_family.hpp"
#include "ckdispatch/capi/structures.hpp"
#include "ckdispatch/grouped_conv/family.hpp"
#include "ckdispatch/grouped_conv/layouts.hpp"
#include "ckdispatch/product/split_k.hpp"

namespace ckdispatch::capi {
namespace {

static_assert(CKD_GROUPED_CONV_MAX_SPATIAL == CK_GROUPED_CONV_MAX_SPATIAL);

void read_axes(const ckd_grouped_conv_problem& p, GroupedConvProblemBuilder& builder) {
    const int dims =
        p.ndim_spatial || !p.layout ? p.ndim_spatial : GroupedConvLayout::find(text(p.layout, "")).ndim_spatial;
    if (dims < 1 || dims > CKD_GROUPED_CONV_MAX_SPATIAL)
        throw InvalidArgumentError("A grouped convolution of " + std::to_string(dims) +
                                   " spatial dimensions was asked for; there are from one to three.");
    GroupedConvProblemBuilder::Extents input, filter, output, stride, dilation, left, right;
    bool has_output = false;
    for (int i = 0; i < dims; ++i) {
        const ckd_grouped_conv_axis& axis = p.axis[i];
        input.push_back(axis.input);
        filter.push_back(axis.filter);
        output.push_back(axis.output);
        stride.push_back(axis.stride ? axis.stride : 1);
        dilation.push_back(axis.dilation ? axis.dilation : 1);
        left.push_back(axis.left_pad);
        right.push_back(axis.right_pad);
        has_output = has_output || axis.output;
    }
    builder.input(input).filter(filter).stride(stride).dilation(dilation).pads(left, right);
    if (has_output) builder.output(output);
}

GroupedConvProblem read(const ckd_problem& base) {
    const auto p = whole<ckd_grouped_conv_problem>(
        base, CKD_GROUPED_CONV, sizeof(ckd_grouped_conv_problem),
        "A grouped convolution was asked for with a structure that is no ckd_grouped_conv_problem of this version.");
    if (!p.dtype_x)
        throw InvalidArgumentError("A grouped convolution was asked for without the dtype of x; fp16 is one.");
    const std::string_view dtype_x = text(p.dtype_x, "");
    GroupedConvProblemBuilder builder;
    builder.direction(text(p.direction, ""))
        .sizes(p.n, p.g ? p.g : 1, p.c, p.k)
        .dtypes(dtype_x, text(p.dtype_w, dtype_x), text(p.dtype_y, ""))
        .layout(text(p.layout, ""))
        .fused(text(p.fused_op, ""), p.d_count)
        .split_k(SplitK::parts_of(p.split_k))
        .alignment(p.alignment ? p.alignment : 16)
        .deterministic(p.deterministic != 0);
    if (p.workspace_limit) builder.workspace_limit(p.workspace_limit);
    read_axes(p, builder);
    return builder.build();
}

}  // namespace

std::unique_ptr<FamilyDispatcher> make_grouped_conv_dispatcher(const KernelRegistry& registry, Name gpu) {
    return std::make_unique<DispatcherOf<GroupedConvFamily, read>>(registry, gpu);
}

}  // namespace ckdispatch::capi

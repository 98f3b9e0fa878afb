// SPDX-License-Identifier: MIT
// Problems and tensors as kernels take them.
#include "ck_families.h"
#include "ckdispatch/grouped_conv/family.hpp"
#include "ckdispatch/grouped_conv/words.hpp"

namespace ckdispatch {

ck_grouped_conv_problem GroupedConvFamily::probe(const GroupedConvProblem& problem, const GroupedConvWay& way) {
    // supports() looks at an address's alignment and never at what is there.
    const std::vector<void*> tensors(tensor_count(problem), reinterpret_cast<void*>(std::uintptr_t(problem.alignment)));
    return bind(problem, way, tensors.data(), 0);
}

ck_grouped_conv_problem GroupedConvFamily::bind(const GroupedConvProblem& problem, const GroupedConvWay& way, Tensors tensors, std::int64_t) {
    ck_grouped_conv_problem bound{};
    bound.base = {sizeof(ck_grouped_conv_problem), CK_FAMILY_GROUPED_CONV};
    bound.n    = problem.n;
    bound.g    = problem.g;
    bound.c    = problem.c;
    bound.k    = problem.k;
    for (std::size_t i = 0; i < std::size_t(problem.ndim_spatial); ++i) {
        const GroupedConvAxis& axis = problem.axes[i];
        bound.axis[i]               = {axis.input, axis.filter, axis.output, axis.stride, axis.dilation, axis.left_pad, axis.right_pad};
    }
    bound.k_batch = way.parts;
    bound.x       = tensors[0];
    bound.w       = tensors[1];
    bound.y       = tensors[2];
    for (std::size_t i = 0; i < std::size_t(problem.d_count); ++i) bound.d[i] = tensors[3 + i];
    return bound;
}

Region GroupedConvFamily::region(const GroupedConvProblem& problem, std::size_t tensor) {
    Region region  = region_of(problem.dtype_of(tensor), problem.elements(tensor), 1, 0, 1, 0);
    region.written = tensor == problem.result();
    return region;
}

std::string GroupedConvFamily::tensor_name(const GroupedConvProblem&, std::size_t tensor) {
    constexpr const char* names[] = {"x", "w", "y", "the bias"};
    return names[tensor];
}

GroupedConvProblem GroupedConvFamily::aligned(const GroupedConvProblem& problem, Tensors tensors) {
    const int alignment = alignment_of(tensors, tensor_count(problem), problem.alignment, kAsked, [&](std::size_t i) { return tensor_name(problem, i); });
    if (alignment >= problem.alignment) return problem;
    GroupedConvProblem looser = problem;
    looser.alignment          = alignment;
    return looser;
}

}  // namespace ckdispatch

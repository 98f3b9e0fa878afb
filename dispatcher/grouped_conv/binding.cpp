// SPDX-License-Identifier: MIT
// Problems and tensors as kernels take them.
#include <cmath>

#include "ckdispatch/core/dtypes.hpp"
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

std::size_t GroupedConvFamily::tensor_bytes(const GroupedConvProblem& problem, std::size_t tensor) {
    return std::size_t(std::ceil(double(problem.elements(tensor)) * element_bytes(problem.dtype_of(tensor))));
}

GroupedConvProblem GroupedConvFamily::aligned(const GroupedConvProblem& problem, Tensors tensors) {
    constexpr const char* names[] = {"x", "w", "y", "the bias"};
    const int alignment           = alignment_of(tensors, tensor_count(problem), problem.alignment, kAGroupedConvolution, [&](std::size_t i) { return names[i]; });
    if (alignment >= problem.alignment) return problem;
    GroupedConvProblem looser = problem;
    looser.alignment          = alignment;
    return looser;
}

}  // namespace ckdispatch

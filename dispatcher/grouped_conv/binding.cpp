// SPDX-License-Identifier: MIT
// Problems and tensors as kernels take them.
#include "ck_families.h"
#include "ckdispatch/grouped_conv/family.hpp"
#include "ckdispatch/grouped_conv/layouts.hpp"
#include "ckdispatch/grouped_conv/words.hpp"

namespace ckdispatch {

ck_grouped_conv_problem GroupedConvFamily::probe(const GroupedConvProblem& problem, const GroupedConvWay& way) {
    // supports() looks at an address's alignment and never at what is there.
    const std::vector<void*> tensors(tensor_count(problem), reinterpret_cast<void*>(std::uintptr_t(problem.alignment)));
    return bind(problem, way, tensors.data(), 0);
}

ck_grouped_conv_problem GroupedConvFamily::bind(const GroupedConvProblem& problem, const GroupedConvWay& way,
                                                Tensors tensors, std::int64_t) {
    ck_grouped_conv_problem bound{};
    bound.base = {sizeof(ck_grouped_conv_problem), CK_FAMILY_GROUPED_CONV};
    bound.n = problem.n;
    bound.g = problem.g;
    bound.c = problem.c;
    bound.k = problem.k;
    for (std::size_t i = 0; i < std::size_t(problem.ndim_spatial); ++i) {
        const GroupedConvAxis& axis = problem.axes[i];
        bound.axis[i] = {axis.input,    axis.filter,   axis.output,   axis.stride,
                         axis.dilation, axis.left_pad, axis.right_pad};
    }
    bound.k_batch = way.parts;
    bound.x = tensors[0];
    bound.w = tensors[1];
    bound.y = tensors[2];
    for (std::size_t i = 0; i < std::size_t(problem.d_count); ++i) bound.d[i] = tensors[3 + i];
    return bound;
}

// Channels begin a line, and the outer of two kinds of channels a matrix: what more channels make longer.
Lines GroupedConvFamily::lines(const GroupedConvProblem& p, std::size_t tensor) {
    const std::int64_t positions[] = {p.inputs(), p.filters(), p.outputs(), 1};
    const std::string_view letters = tensor == 3 ? "gk" : GroupedConvLayout::find(p.layout).of_tensor(tensor);
    const std::size_t inner = letters.find_last_of("ck"), outer = letters.find_first_of("ck");
    Lines all{p.dtype_of(tensor)};
    all.written = tensor == p.result();
    bool met = false;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        std::int64_t extent = letters[i] == 'n'   ? p.n
                              : letters[i] == 'g' ? p.g
                              : letters[i] == 'c' ? p.c
                              : letters[i] == 'k' ? p.k
                                                  : 1;
        if (GroupedConvLayout::is_position(letters[i])) extent = met ? 1 : positions[tensor], met = true;
        (i >= inner ? all.width : i >= outer ? all.lines : all.matrices) *= extent;
    }
    all.stride = all.width;
    all.matrix_stride = all.width * all.lines;
    return all;
}

std::string GroupedConvFamily::tensor_name(const GroupedConvProblem&, std::size_t tensor) {
    constexpr const char* names[] = {"x", "w", "y", "the bias"};
    return names[tensor];
}

}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// Problems and tensors as kernels take them.
#include "ck_families.h"
#include "ckdispatch/core/dtypes.hpp"
#include "ckdispatch/gemm/family.hpp"
#include "ckdispatch/gemm/oriented.hpp"
#include "ckdispatch/gemm/words.hpp"
#include "ckdispatch/product/split_k.hpp"

namespace ckdispatch {
namespace {

void* moved(const void* tensor, std::int64_t matrices, std::int64_t stride, Name dtype) {
    if (matrices == 0) return const_cast<void*>(tensor);
    return static_cast<char*>(const_cast<void*>(tensor)) +
           std::int64_t(double(matrices * stride) * element_bytes(dtype));
}

// One product, or a batch that one launch computes; `matrix` of the batch otherwise.
void bind_product(const GemmProblem& problem, const GemmWay& way, Tensors tensors, std::int64_t matrix,
                  ck_gemm_problem& bound) {
    const Oriented o = oriented(problem);
    // Kernels of packed dtypes count the bytes that their elements share.
    const std::int64_t pack_a = o.exchanged ? problem.pack_b : problem.pack_a,
                       pack_b = o.exchanged ? problem.pack_a : problem.pack_b;
    bound.base = {sizeof(ck_gemm_problem), CK_FAMILY_GEMM};
    bound.m = o.m;
    bound.n = o.n;
    bound.k = problem.k / pack_a;
    bound.stride_a = o.stride_a / pack_a;
    bound.stride_b = o.stride_b / pack_b;
    bound.stride_c = o.stride_c;
    bound.k_batch = way.k_batch;
    bound.a = moved(tensors[o.exchanged ? 1 : 0], matrix, o.batch_stride_a, o.dtype_a);
    bound.b = moved(tensors[o.exchanged ? 0 : 1], matrix, o.batch_stride_b, o.dtype_b);
    bound.c = moved(tensors[2], matrix, o.batch_stride_c, problem.dtype_c);
    for (std::size_t i = 0; i < std::size_t(problem.d_count); ++i) {
        bound.d[i] = moved(tensors[3 + i], matrix, problem.batch_stride_d[i], problem.dtype_d);
        bound.stride_d[i] = problem.stride_d[i];
    }
    bound.batch = 1;
    if (way.together && problem.batch > 1) {
        bound.batch = problem.batch;
        bound.batch_stride_a = o.batch_stride_a / pack_a;
        bound.batch_stride_b = o.batch_stride_b / pack_b;
        bound.batch_stride_c = o.batch_stride_c;
    }
}

// From one matrix of a batch to the next.
std::uintptr_t batch_bytes(const GemmProblem& p, std::size_t tensor) {
    switch (tensor) {
        case 0: return std::uintptr_t(double(p.batch_stride_a) * element_bytes(p.dtype_a));
        case 1: return std::uintptr_t(double(p.batch_stride_b) * element_bytes(p.dtype_b));
        case 2: return std::uintptr_t(double(p.batch_stride_c) * element_bytes(p.dtype_c));
        default: return std::uintptr_t(double(p.batch_stride_d[tensor - 3]) * element_bytes(p.dtype_d));
    }
}

}  // namespace

GemmFamily::Bound GemmFamily::probe(const GemmProblem& problem, const GemmWay& way) {
    // supports() looks at an address's alignment and never at what is there.
    std::vector<void*> tensors(tensor_count(problem), reinterpret_cast<void*>(std::uintptr_t(problem.alignment)));
    // With a launch for each matrix of a batch, the later ones begin whole strides after the first.
    if (problem.batch > 1 && !way.together)
        for (std::size_t i = 0; i < tensors.size(); ++i)
            tensors[i] =
                reinterpret_cast<void*>(lowest_bit(std::uintptr_t(problem.alignment) | batch_bytes(problem, i)));
    return bind(problem, way, tensors.data(), 0);
}

GemmFamily::Bound GemmFamily::bind(const GemmProblem& problem, const GemmWay& way, Tensors tensors,
                                   std::int64_t launch) {
    Bound bound;
    if (problem.groups.empty()) {
        bind_product(problem, way, tensors, launch, bound);
        return bound;
    }
    bound.members.resize(problem.groups.size());
    problem.for_each_product([&](std::size_t i, const GemmProblem& product) {
        bind_product(product, way, tensors + 3 * i, 0, bound.members[i]);
    });
    bound.base = {sizeof(ck_gemm_problem), CK_FAMILY_GEMM};
    bound.k_batch = way.k_batch;
    bound.batch = 1;
    bound.groups = bound.members.data();
    bound.group_count = std::int64_t(bound.members.size());
    return bound;
}

Lines GemmFamily::lines(const GemmProblem& p, std::size_t tensor) {
    const std::string_view letters = p.layout.text();
    // Of a group: it has sizes and leading dimensions of its own, and no batch and no D tensors.
    const GemmGroup own{p.m, p.n, p.k, p.stride_a, p.stride_b, p.stride_c};
    const GemmGroup& g = p.groups.empty() ? own : p.groups[tensor / 3];
    const std::size_t which = p.groups.empty() ? tensor : tensor % 3;
    const auto of = [&](char letter, std::int64_t rows, std::int64_t columns, std::int64_t stride,
                        std::int64_t batch_stride, Name dtype) {
        return letter == 'r' ? Lines{dtype, columns, rows, stride, p.batch, batch_stride, which == 2}
                             : Lines{dtype, rows, columns, stride, p.batch, batch_stride, which == 2};
    };
    switch (which) {
        case 0: return of(letters[0], g.m, g.k, g.stride_a, p.batch_stride_a, p.dtype_a);
        case 1: return of(letters[1], g.k, g.n, g.stride_b, p.batch_stride_b, p.dtype_b);
        case 2: return of(letters[2], g.m, g.n, g.stride_c, p.batch_stride_c, p.dtype_c);
        default:
            return of(p.d_layout.text()[0], p.m, p.n, p.stride_d[which - 3], p.batch_stride_d[which - 3], p.dtype_d);
    }
}

// Each product by itself, with its own three tensors.
Division<GemmProblem> GemmFamily::divide(const GemmProblem& problem) {
    Division<GemmProblem> division;
    problem.for_each_product([&](std::size_t i, const GemmProblem& product) {
        division.pieces.push_back(
            {product, {Argument::tensor(3 * i), Argument::tensor(3 * i + 1), Argument::tensor(3 * i + 2)}, {}, {}});
    });
    return division;
}

// CK's shuffling epilogue has each lane read the D tensors where it writes C, right before it does; others, and what
// adds up parts, do not.
bool GemmFamily::reads_where_it_writes(const Stage<GemmFamily>& stage, std::size_t tensor) {
    const GemmKey& key = stage.kernel->key();
    const GemmProblem& p = stage.problem;
    const GemmWords& words = gemm_words();
    const bool alike = p.groups.empty() && p.dtype_d == p.dtype_c && p.d_layout.text()[0] == p.layout.text()[2];
    return tensor >= 3 && alike && key.epilogue == words.cshuffle && key.split_k == SplitK::words().none;
}

std::string GemmFamily::tensor_name(const GemmProblem& problem, std::size_t tensor) {
    if (!problem.groups.empty()) return std::string(1, "ABC"[tensor % 3]) + " of group " + std::to_string(tensor / 3);
    return tensor < 3 ? std::string(1, "ABC"[tensor]) : "D" + std::to_string(tensor - 3);
}

}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
#include "ckdispatch/gemm/family.hpp"

#include <algorithm>
#include <cmath>

#include "arch/arch_specs.hpp"

namespace ckdispatch {
namespace {

// A problem whose C has contiguous columns is its own transpose with the operands exchanged: C' = B' A'.
struct Oriented {
    std::int64_t m, n, stride_a, stride_b, stride_c, batch_stride_a, batch_stride_b, batch_stride_c;
    Name dtype_a, dtype_b;
    char layout[3];
    bool exchanged;
};

Oriented oriented(const GemmProblem& p) {
    const std::string_view letters = p.layout.text();
    const auto other               = [](char letter) { return letter == 'r' ? 'c' : 'r'; };
    if (letters[2] == 'r')
        return {p.m, p.n, p.stride_a, p.stride_b, p.stride_c, p.batch_stride_a, p.batch_stride_b, p.batch_stride_c, p.dtype_a, p.dtype_b, {letters[0], letters[1], 'r'}, false};
    return {p.n, p.m, p.stride_b, p.stride_a, p.stride_c, p.batch_stride_b, p.batch_stride_a, p.batch_stride_c, p.dtype_b, p.dtype_a, {other(letters[1]), other(letters[0]), 'r'}, true};
}

double bytes_of(Name dtype) {
    const arch::DtypeSpec* spec = arch::find_by_name<arch::DtypeSpec>(arch::dtypes, dtype.text());
    return spec ? spec->bytes : 1.0;
}

double ceil_div(double a, double b) { return std::ceil(a / b); }

std::string computes(const char* what, std::string_view has, std::string_view wanted) {
    return std::string("computes ") + what + " " + std::string(has) + ", not " + std::string(wanted) + ".";
}

}  // namespace

std::string GemmFamily::mismatch(const GemmKey& key, const GemmProblem& problem) {
    const Oriented o = oriented(problem);
    if (key.dtype_a != o.dtype_a) return computes("A in", key.dtype_a.text(), o.dtype_a.text());
    if (key.dtype_b != o.dtype_b) return computes("B in", key.dtype_b.text(), o.dtype_b.text());
    if (key.dtype_c != problem.dtype_c) return computes("C in", key.dtype_c.text(), problem.dtype_c.text());
    if (key.layout.text() != std::string_view(o.layout, 3)) return computes("the layout", key.layout.text(), std::string_view(o.layout, 3));
    static const Name standard("standard"), pass_through("PassThrough");
    if (key.variant == standard && (problem.d_count != 0 || problem.fused_op != pass_through))
        return "computes the product alone, not " + std::string(problem.fused_op.text()) + " with " + std::to_string(problem.d_count) + " D tensors.";
    if (key.split_k && problem.split_k == 1) return "adds the parts of a split K to C; for a whole K others are better.";
    if (!key.split_k && problem.split_k > 1) return "computes K whole, not in " + std::to_string(problem.split_k) + " parts.";
    // Two parts are added to zero in either order with the same result; more are not.
    if (key.split_k && problem.deterministic && problem.split_k > 2) return "adds its parts in any order, and the result was to be the same every time.";
    return {};
}

std::vector<GemmWay> GemmFamily::ways(const GemmKey& key, const GemmProblem& problem) {
    if (problem.split_k > 0) return {{problem.split_k}};
    if (!key.split_k) return {{1}};
    std::vector<GemmWay> ways;
    for (std::int64_t parts = 2; parts <= (problem.deterministic ? 2 : 32) && parts * key.tile.k <= problem.k; parts *= 2) ways.push_back({parts});
    return ways;
}

Work GemmFamily::work(const GemmKey& key, const GemmProblem& problem, const GemmWay& way) {
    const Oriented o      = oriented(problem);
    const double a_bytes  = bytes_of(key.dtype_a), b_bytes = bytes_of(key.dtype_b), c_bytes = bytes_of(key.dtype_c);
    const double tile_m = key.tile.m, tile_n = key.tile.n, tile_k = key.tile.k;
    const double parts = double(way.k_batch);
    Work work;
    work.loops         = ceil_div(double(problem.k) / parts, tile_k);
    work.workgroups    = ceil_div(double(o.m), tile_m) * ceil_div(double(o.n), tile_n) * parts;
    work.flops         = 2 * tile_m * tile_n * work.loops * tile_k;
    work.element_bytes = std::max(a_bytes, b_bytes);
    work.l2_bytes      = work.loops * tile_k * (tile_m * a_bytes + tile_n * b_bytes) + tile_m * tile_n * c_bytes;
    work.memory_bytes  = double(o.m) * double(problem.k) * a_bytes + double(o.n) * double(problem.k) * b_bytes + double(o.m) * double(o.n) * c_bytes * parts;
    if (key.split_k) work.extra_passes = double(problem.batch) * double(o.m) * double(o.n) * c_bytes;
    work.launches = double(problem.batch);

    // How much of each trip is spent on the matrix cores: the more a fragment from LDS is used again, the better.
    const double per_wave_m = tile_m / key.waves.m, per_wave_n = tile_n / key.waves.n;
    const double reuse      = per_wave_m * per_wave_n / (per_wave_m + per_wave_n);
    static const Name mem("mem"), compv4("compv4");
    work.compute_share = reuse / (reuse + 12.0);
    if (key.pipeline == mem) work.compute_share *= 0.8;     // it schedules for loads, not for the matrix cores
    if (key.pipeline == compv4) work.compute_share *= 1.05; // a second LDS buffer overlaps reading with writing
    work.tiles_in_flight = key.pipeline == mem ? 4 : 2;
    // Bounds are checked in every load.
    if (key.pad_m || key.pad_n || key.pad_k) work.compute_share *= 0.96;
    return work;
}

GemmFamily::Bound GemmFamily::probe(const GemmProblem& problem, const GemmWay& way) {
    // supports() looks at an address's alignment and never at what is there.
    void* const address = reinterpret_cast<void*>(std::uintptr_t(problem.alignment));
    void* const tensors[3] = {address, address, address};
    return bind(problem, way, tensors, 0);
}

GemmFamily::Bound GemmFamily::bind(const GemmProblem& problem, const GemmWay& way, Tensors tensors, std::int64_t launch) {
    const Oriented o    = oriented(problem);
    const auto at = [&](void* tensor, std::int64_t stride, double bytes) { return static_cast<char*>(tensor) + std::int64_t(double(launch * stride) * bytes); };
    Bound bound{};
    bound.base     = {sizeof(Bound), CK_FAMILY_GEMM};
    bound.m        = o.m;
    bound.n        = o.n;
    bound.k        = problem.k;
    bound.stride_a = o.stride_a;
    bound.stride_b = o.stride_b;
    bound.stride_c = o.stride_c;
    bound.k_batch  = way.k_batch;
    bound.a        = tensors[o.exchanged ? 1 : 0];
    bound.b        = tensors[o.exchanged ? 0 : 1];
    bound.c        = tensors[2];
    if (launch) {
        bound.a = at(const_cast<void*>(bound.a), o.batch_stride_a, bytes_of(o.dtype_a));
        bound.b = at(const_cast<void*>(bound.b), o.batch_stride_b, bytes_of(o.dtype_b));
        bound.c = at(bound.c, o.batch_stride_c, bytes_of(problem.dtype_c));
    }
    return bound;
}

std::size_t GemmFamily::tensor_bytes(const GemmProblem& p, std::size_t tensor) {
    const std::string_view letters = p.layout.text();
    const auto reach = [&](char letter, std::int64_t rows, std::int64_t columns, std::int64_t stride, std::int64_t batch_stride, Name dtype) {
        const std::int64_t width = letter == 'r' ? columns : rows, lines = letter == 'r' ? rows : columns;
        return std::size_t(std::ceil(double((p.batch - 1) * batch_stride + (lines - 1) * stride + width) * bytes_of(dtype)));
    };
    switch (tensor) {
        case 0: return reach(letters[0], p.m, p.k, p.stride_a, p.batch_stride_a, p.dtype_a);
        case 1: return reach(letters[1], p.k, p.n, p.stride_b, p.batch_stride_b, p.dtype_b);
        default: return reach(letters[2], p.m, p.n, p.stride_c, p.batch_stride_c, p.dtype_c);
    }
}

GemmProblem GemmFamily::aligned(const GemmProblem& problem, Tensors tensors) {
    std::uintptr_t bits = std::uintptr_t(problem.alignment);
    for (std::size_t i = 0; i < 3; ++i) {
        if (!tensors[i]) throw Error(ErrorCode::invalid_argument, std::string("A GEMM was to be run with no address for ") + "ABC"[i] + ".");
        bits |= reinterpret_cast<std::uintptr_t>(tensors[i]);
    }
    const int alignment = int(bits & (~bits + 1));
    if (alignment >= problem.alignment) return problem;
    GemmProblem looser = problem;
    looser.alignment   = alignment;
    return looser;
}

}  // namespace ckdispatch

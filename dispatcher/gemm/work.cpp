// SPDX-License-Identifier: MIT
// What a GEMM tells the cost model; docs/dispatcher.md has the table.
#include <iterator>
#include <utility>

#include "ckdispatch/core/dtypes.hpp"
#include "ckdispatch/gemm/family.hpp"
#include "ckdispatch/gemm/oriented.hpp"
#include "ckdispatch/gemm/words.hpp"
#include "ckdispatch/product/split_k.hpp"
#include "ckdispatch/product/tiles.hpp"

namespace ckdispatch {
namespace {

// Sums over all products of a launch.
struct Totals {
    TiledProducts tiles;
    double operand_bytes = 0, outputs = 0;
};

Totals totals_of(const GemmKey& key, const GemmProblem& problem, double parts, double matrices) {
    const double a_bytes = element_bytes(key.dtype_a), b_bytes = element_bytes(key.dtype_b);
    const bool exchanged = oriented(problem).exchanged;
    const TiledKernel kernel = {key.tile,    key.waves, key.warp_tile, key.pipeline,         key.dtype_a,
                                key.dtype_b, a_bytes,   b_bytes,       widest_load(a_bytes), widest_load(b_bytes)};
    Totals totals{TiledProducts(kernel, parts)};
    const auto add = [&](double m, double n, double k) {
        if (exchanged) std::swap(m, n);
        totals.tiles.add(m, n, k, matrices);
        totals.operand_bytes += m * k * a_bytes + n * k * b_bytes;
        totals.outputs += m * n;
    };
    if (problem.groups.empty()) add(double(problem.m), double(problem.n), double(problem.k));
    for (const GemmGroup& group : problem.groups) add(double(group.m), double(group.n), double(group.k));
    return totals;
}

// Bytes of all D tensors, a repeated row or column counted as one.
double d_bytes(const GemmProblem& p) {
    double elements = 0;
    for (std::size_t i = 0; i < std::size_t(p.d_count); ++i)
        elements += p.stride_d[i] ? double(p.m) * double(p.n) : double(p.d_layout.text() == "r" ? p.n : p.m);
    return p.d_count ? elements * element_bytes(p.dtype_d) : 0;
}

// Nothing of this was measured: it decides between kernels that are alike in all else.
double effort(const GemmKey& key) {
    const GemmWords& words = gemm_words();
    double effort = 1;
    if (key.pad_m || key.pad_n || key.pad_k) effort *= 1.04;  // bounds are checked in every load
    // A workgroup finds its matrices first, which a single product would do without.
    if (key.variant == words.batched || key.variant == words.grouped) effort *= 1.01;
    return effort;
}

}  // namespace

std::vector<std::string> GemmFamily::details() {
    return {std::begin(TiledProducts::kDetails), std::end(TiledProducts::kDetails)};
}

Work GemmFamily::work(const GemmKey& key, const GemmProblem& problem, const GemmWay& way) {
    const SplitK& split = SplitK::words();
    const bool streaming = key.variant == gemm_words().stream_k;
    // Shares of stream-K are whole tiles here, which the last round divides among all units.
    const double parts = streaming ? 1.0 : double(way.k_batch), matrices = way.together ? double(problem.batch) : 1.0;
    const double c_bytes = element_bytes(key.dtype_c), partial_bytes = element_bytes(key.dtype_acc);
    const bool apart =
        key.split_k == split.workspace;  // parts are kept in the accumulator's dtype until they are added up
    const Totals totals = totals_of(key, problem, parts, matrices);
    Work work = totals.tiles.work();
    work.launches = double(launches(problem, way));
    work.memory_bytes = matrices * (totals.operand_bytes + totals.outputs * (apart ? partial_bytes : c_bytes) * parts +
                                    d_bytes(problem));
    work.effort = effort(key);
    work.even = streaming;
    const double outputs = totals.outputs * double(problem.batch);
    if (key.split_k == split.atomic) work.extra_passes = outputs * c_bytes;  // C is cleared first
    if (apart) {
        work.extra_passes = outputs * (partial_bytes * parts + c_bytes);
        work.extra_launches = work.launches;
    }
    return work;
}

}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
// What a GEMM tells the cost model; docs/dispatcher.md has the table.
#include <algorithm>
#include <cmath>

#include "ckdispatch/gemm/dtypes.hpp"
#include "ckdispatch/gemm/family.hpp"
#include "ckdispatch/gemm/oriented.hpp"
#include "ckdispatch/gemm/words.hpp"

namespace ckdispatch {
namespace {

double ceil_div(double a, double b) { return std::ceil(a / b); }

// Sums over all products of a launch.
struct Totals {
    double workgroups = 0, trips = 0, operand_bytes = 0, outputs = 0;
};

Totals totals_of(const GemmKey& key, const GemmProblem& problem, double parts) {
    const double a_bytes = element_bytes(key.dtype_a), b_bytes = element_bytes(key.dtype_b);
    const bool exchanged = oriented(problem).exchanged;
    Totals totals;
    const auto add = [&](double m, double n, double k) {
        if (exchanged) std::swap(m, n);
        const double workgroups = ceil_div(m, key.tile.m) * ceil_div(n, key.tile.n) * parts;
        totals.workgroups += workgroups;
        totals.trips += workgroups * ceil_div(k / parts, key.tile.k);
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
    for (std::size_t i = 0; i < std::size_t(p.d_count); ++i) elements += p.stride_d[i] ? double(p.m) * double(p.n) : double(p.d_layout.text() == "r" ? p.n : p.m);
    return p.d_count ? elements * element_bytes(p.dtype_d) : 0;
}

// How much of each trip is spent on the matrix cores: the more a fragment from LDS is used again, the better.
double compute_share(const GemmKey& key) {
    const GemmWords& words  = gemm_words();
    const double per_wave_m = double(key.tile.m) / key.waves.m, per_wave_n = double(key.tile.n) / key.waves.n;
    const double reuse      = per_wave_m * per_wave_n / (per_wave_m + per_wave_n);
    double share            = reuse / (reuse + 12.0);
    if (key.pipeline == words.mem) share *= 0.8;      // it schedules for loads, not for the matrix cores
    if (key.pipeline == words.compv4) share *= 1.05;  // a second LDS buffer overlaps reading with writing
    if (key.pad_m || key.pad_n || key.pad_k) share *= 0.96;  // bounds are checked in every load
    // A workgroup finds its matrices first, which a single product would do without.
    if (key.variant == words.batched || key.variant == words.grouped) share *= 0.99;
    return share;
}

}  // namespace

Work GemmFamily::work(const GemmKey& key, const GemmProblem& problem, const GemmWay& way) {
    const GemmWords& words = gemm_words();
    // Shares of stream-K are whole tiles here, which the last round divides among all units.
    const double parts = key.variant == words.stream_k ? 1.0 : double(way.k_batch), matrices = way.together ? double(problem.batch) : 1.0;
    const double a_bytes = element_bytes(key.dtype_a), b_bytes = element_bytes(key.dtype_b), c_bytes = element_bytes(key.dtype_c), partial_bytes = element_bytes(key.dtype_acc);
    const double tile_m = key.tile.m, tile_n = key.tile.n, tile_k = key.tile.k;
    const bool apart    = key.split_k == words.workspace;  // parts are kept in the accumulator's dtype until they are added up
    const Totals totals = totals_of(key, problem, parts);
    Work work;
    work.launches        = double(launches(problem, way));
    work.workgroups      = totals.workgroups * matrices;
    work.loops           = totals.trips / totals.workgroups;
    work.flops           = 2 * tile_m * tile_n * work.loops * tile_k;
    work.element_bytes   = std::max(a_bytes, b_bytes);
    work.l2_bytes        = work.loops * tile_k * (tile_m * a_bytes + tile_n * b_bytes) + tile_m * tile_n * (c_bytes + problem.d_count * element_bytes(problem.dtype_d));
    work.memory_bytes    = matrices * (totals.operand_bytes + totals.outputs * (apart ? partial_bytes : c_bytes) * parts + d_bytes(problem));
    work.tiles_in_flight = key.pipeline == words.mem ? 4 : 2;
    work.compute_share   = compute_share(key);
    work.even            = key.variant == words.stream_k;
    const double outputs = totals.outputs * double(problem.batch);
    if (key.split_k == words.atomic) work.extra_passes = outputs * c_bytes;  // C is cleared first
    if (apart) {
        work.extra_passes   = outputs * (partial_bytes * parts + c_bytes);
        work.extra_launches = work.launches;
    }
    return work;
}

}  // namespace ckdispatch

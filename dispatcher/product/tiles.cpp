// SPDX-License-Identifier: MIT
#include "ckdispatch/product/tiles.hpp"

#include <algorithm>
#include <cmath>

namespace ckdispatch {
namespace {

// Looked up once: a word is found again by its address.
struct Pipelines {
    Name mem{"mem"}, compv4{"compv4"};
};
const Pipelines& pipelines() {
    static const Pipelines words;
    return words;
}

}  // namespace

void TiledProducts::add(double m, double n, double k, double times) {
    const double workgroups = std::ceil(m / tile_.m) * std::ceil(n / tile_.n) * parts_ * times;
    workgroups_ += workgroups;
    trips_ += workgroups * std::ceil(k / parts_ / tile_.k);
}

Work TiledProducts::work(double a_bytes, double b_bytes, double output_bytes) const {
    const double m = tile_.m, n = tile_.n, k = tile_.k;
    Work work;
    work.workgroups    = workgroups_;
    work.loops         = workgroups_ > 0 ? trips_ / workgroups_ : 0;
    work.flops         = 2 * m * n * work.loops * k;
    work.element_bytes = std::max(a_bytes, b_bytes);
    work.l2_bytes      = work.loops * k * (m * a_bytes + n * b_bytes) + m * n * output_bytes;
    return work;
}

double tiles_in_flight(Name pipeline) { return pipeline == pipelines().mem ? 4 : 2; }

double tile_share(const Extent3& tile, const Extent3& waves, Name pipeline) {
    // The more a fragment from LDS is used again, the better.
    const double per_wave_m = double(tile.m) / waves.m, per_wave_n = double(tile.n) / waves.n;
    const double reuse      = per_wave_m * per_wave_n / (per_wave_m + per_wave_n);
    double share            = reuse / (reuse + 12.0);
    if (pipeline == pipelines().mem) share *= 0.8;      // it schedules for loads, not for the matrix cores
    if (pipeline == pipelines().compv4) share *= 1.05;  // a second LDS buffer overlaps reading with writing
    return share;
}

}  // namespace ckdispatch

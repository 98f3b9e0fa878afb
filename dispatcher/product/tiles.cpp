// SPDX-License-Identifier: MIT
#include "ckdispatch/product/tiles.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ckdispatch {
namespace {

constexpr double kWidestBytes = 16;

bool has_two_buffers(Name pipeline) {
    // Looked up once: a word is found again by its address.
    static const Name compv4("compv4");
    return pipeline == compv4;
}

}  // namespace

double widest_load(double element_bytes) { return kWidestBytes / element_bytes; }

void TiledProducts::add(double m, double n, double k, double times) {
    const Extent3& tile = kernel_.tile;
    const double rows = std::ceil(m / tile.m), columns = std::ceil(n / tile.n), trips = std::ceil(k / parts_ / tile.k);
    const double workgroups = rows * columns * parts_ * times;
    workgroups_ += workgroups;
    trips_ += workgroups * trips;
    m_.add(m, rows, tile.m, times);
    n_.add(n, columns, tile.n, times);
    k_.add(k / parts_, trips, tile.k, times);
    columns_ = std::max(columns_, columns);
}

Work TiledProducts::work() const {
    const double m = kernel_.tile.m, n = kernel_.tile.n, k = kernel_.tile.k, waves_m = kernel_.waves.m,
                 waves_n = kernel_.waves.n;
    const double a_bytes = kernel_.a_bytes, b_bytes = kernel_.b_bytes;
    Work work;
    work.workgroups = workgroups_;
    work.waves = waves_m * waves_n * kernel_.waves.k;
    work.trips = workgroups_ > 0 ? trips_ / workgroups_ : 0;
    work.flops = 2 * m * n * k;
    work.element_bytes = std::max(a_bytes, b_bytes);
    work.dtype = a_bytes >= b_bytes ? kernel_.dtype_a : kernel_.dtype_b;
    work.warp_tile = kernel_.warp_tile;
    work.loads_a = m * k / std::clamp(kernel_.a_at_a_time, 1.0, widest_load(a_bytes));
    work.loads_b = n * k / std::clamp(kernel_.b_at_a_time, 1.0, widest_load(b_bytes));
    // Each wave reads its rows of A and its columns of B, which others read too.
    work.lds_reads = (m * waves_n * a_bytes + n * waves_m * b_bytes) * k / kWidestBytes;
    work.tile_bytes = (m * a_bytes + n * b_bytes) * k;
    work.outputs = m * n;
    work.two_buffers = has_two_buffers(kernel_.pipeline);
    work.details = {m_.share(),
                    n_.share(),
                    k_.share(),
                    m,
                    n,
                    k,
                    waves_m,
                    waves_n,
                    work.two_buffers ? 1.0 : 0.0,
                    std::log(std::max(1.0, columns_))};
    static_assert(std::size(kDetails) == kMostDetails);
    return work;
}

}  // namespace ckdispatch

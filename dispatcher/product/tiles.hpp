// SPDX-License-Identifier: MIT
// Matrix products in tiles as the cost model sees them; docs/dispatcher.md has the table. For GEMM, and for what is
// computed like one.
#pragma once

#include "ckdispatch/core/cost.hpp"
#include "ckdispatch/core/fields.hpp"

namespace ckdispatch {

/// How a kernel computes products in tiles.
struct TiledKernel {
    Extent3 tile, waves, warp_tile;
    Name pipeline, dtype_a, dtype_b;
    double a_bytes, b_bytes;          ///< of an element
    double a_at_a_time, b_at_a_time;  ///< elements that a lane loads at once
};

/// The products of one launch, each in tiles of which a workgroup computes one, or one part.
class TiledProducts {
public:
    TiledProducts(const TiledKernel& kernel, double parts) : kernel_(kernel), parts_(parts) {}

    /// So many products of that size.
    void add(double m, double n, double k, double times = 1);

    /// Workgroups with their mean work.
    Work work() const;

    /// What learned models know of it besides, in the order of Work::details.
    static constexpr const char* kDetails[] = {"fill_m", "fill_n",  "fill_k",  "tile_m",      "tile_n",
                                               "tile_k", "waves_m", "waves_n", "two_buffers", "log_columns"};

private:
    TiledKernel kernel_;
    double parts_;
    double workgroups_ = 0, trips_ = 0;
    struct Filled {
        double asked = 0, computed = 0;
        void add(double size, double tiles, double tile, double times) {
            asked += size * times, computed += tiles * tile * times;
        }
        double share() const { return computed > 0 ? asked / computed : 0; }
    } m_, n_, k_;
    double columns_ = 0;
};

/// Elements that a lane loads at once if it loads 16 bytes.
double widest_load(double element_bytes);

}  // namespace ckdispatch

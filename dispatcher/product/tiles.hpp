// SPDX-License-Identifier: MIT
// Matrix products in tiles as the cost model sees them; docs/dispatcher.md has the table. For GEMM, and for what is computed like one.
#pragma once

#include "ckdispatch/core/cost.hpp"
#include "ckdispatch/core/fields.hpp"

namespace ckdispatch {

/// The products of one launch, each in tiles of which a workgroup computes one, or one part.
class TiledProducts {
public:
    TiledProducts(const Extent3& tile, double parts) : tile_(tile), parts_(parts) {}

    /// So many products of that size.
    void add(double m, double n, double k, double times = 1);

    /// Workgroups with their mean work, given the bytes of an element of A and of B, and those that an element of C needs.
    Work work(double a_bytes, double b_bytes, double output_bytes) const;

private:
    Extent3 tile_;
    double parts_;
    double workgroups_ = 0, trips_ = 0;
};

/// Loads that a pipeline has under way at once.
double tiles_in_flight(Name pipeline);

/// How much of each trip is spent on the matrix cores.
double tile_share(const Extent3& tile, const Extent3& waves, Name pipeline);

}  // namespace ckdispatch

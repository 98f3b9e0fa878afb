// SPDX-License-Identifier: MIT
// A launch as the cost model sees it. For tests that have the runtime's private headers.
#pragma once

#include "ckdispatch/core/cost.hpp"

namespace ckdispatch::test {

/// That of a 128x128x32 tile of 16-bit elements with vectors of 8, in an odd number of trips.
inline Work sample_work() {
    Work work;
    work.workgroups = 1000;
    work.waves = 4;
    work.trips = 33;
    work.flops = 2.0 * 128 * 128 * 32;
    work.loads_a = 128 * 32 / 8;
    work.loads_b = 128 * 32 / 8;
    work.lds_reads = (128 * 2 + 128 * 2) * 32 * 2 / 16;
    work.tile_bytes = (128 + 128) * 32 * 2;
    work.outputs = 128 * 128;
    work.memory_bytes = 64e6;
    return work;
}

}  // namespace ckdispatch::test

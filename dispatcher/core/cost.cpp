// SPDX-License-Identifier: MIT
#include "ckdispatch/core/cost.hpp"

#include <algorithm>
#include <cmath>

namespace ckdispatch {
namespace {

// Orders of magnitude that are about the same on every GPU here; what differs between GPUs comes from arch/.
constexpr double kLaunchMicroseconds  = 4.0;
constexpr double kLoadMicroseconds    = 0.8;  // from memory to LDS, unhidden
constexpr double kL2OverMemory        = 4.0;  // bandwidth of L2 against memory's
constexpr double kOverlapLoss         = 0.15; // of the smaller of two things that run at the same time
constexpr double kSpillPenalty        = 1.5;

// What a workgroup runs on: a compute unit, or a pair of them.
double units_of(const arch::GpuSpec& gpu) { return gpu.workgroup_processor_mode ? gpu.compute_units / 2.0 : gpu.compute_units; }
double residents_of(const Resources& used, const arch::GpuSpec& gpu) { return std::max(1, used.workgroups_per_unit(gpu)); }

}  // namespace

double workgroups_at_once(const Resources& used, const arch::GpuSpec& gpu) { return units_of(gpu) * residents_of(used, gpu); }

double transfer_microseconds(std::uint64_t bytes, const arch::GpuSpec& gpu) { return 2.0 * double(bytes) / (gpu.memory_bandwidth_gb_s * 1e3); }

double predicted_microseconds(const Work& work, const Resources& used, const arch::GpuSpec& gpu) {
    const double units = units_of(gpu), resident = residents_of(used, gpu);
    const double unit_flops = gpu.matrix_flops_per_cycle * (gpu.workgroup_processor_mode ? 2 : 1) * (2.0 / work.element_bytes) * gpu.max_clock_mhz;

    // The fullest unit decides: it runs whole rounds of `resident` workgroups, and its share of the last one.
    const double exact    = work.workgroups / (units * resident);
    const double rounds   = work.even ? exact : std::ceil(exact);
    const double last     = work.workgroups - (rounds - 1) * units * resident;
    const double per_unit = work.even ? work.workgroups / units : (rounds - 1) * resident + std::ceil(last / units);
    const double compute  = per_unit * work.flops / (unit_flops * std::clamp(work.compute_share, 0.01, 1.0));

    // Loads wait for each other within a workgroup; other workgroups on the unit fill the gaps.
    const double waiting = rounds * (work.loops / std::max(1.0, work.tiles_in_flight) + 1) * kLoadMicroseconds / std::min(resident, 2.0);

    const double bandwidth = gpu.memory_bandwidth_gb_s * 1e3;  // bytes per microsecond
    const double busy      = std::min(1.0, work.workgroups * (work.even ? std::max(1.0, work.loops) : 1.0) / units);
    const double memory    = std::max(work.memory_bytes / (bandwidth * std::max(busy, 0.05)), work.workgroups * work.l2_bytes / (bandwidth * kL2OverMemory * std::max(busy, 0.05)));

    const double longest = std::max({compute, waiting, memory});
    const double others  = compute + waiting + memory - longest;
    const double spills  = used.vgpr_spills || used.scratch_bytes ? kSpillPenalty : 1.0;
    return work.launches * (kLaunchMicroseconds + spills * (longest + kOverlapLoss * others)) + work.extra_launches * kLaunchMicroseconds + work.extra_passes / bandwidth;
}

}  // namespace ckdispatch

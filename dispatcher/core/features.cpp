// SPDX-License-Identifier: MIT
#include "ckdispatch/core/features.hpp"

#include <algorithm>
#include <cmath>

#include "arch/occupancy.hpp"

namespace ckdispatch {
namespace {

constexpr double kWorkingSet = 256.0 * 1024 * 1024;
constexpr double kLeast = 1e-12;

// Of what may be nothing.
double log_of(double value) { return std::log(std::max(value, kLeast)); }

}  // namespace

Features features_of(const Work& work, const Rounds& on, const Terms& terms, const CostModel& costs) {
    namespace term = arch::cost_term;
    const Terms& constants = costs.constants();
    const arch::GpuSpec& gpu = costs.gpu();
    double once = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) once += constants[i] * terms[i];
    once = std::max(once, kLeast);  // constants may all be 0
    const auto share = [&](auto... of) { return ((constants[of] * terms[of]) + ...) / once; };

    const double flops = work.workgroups * work.trips * work.flops;
    const double bandwidth = gpu.memory_bandwidth_gb_s * 1e3;
    const double per_unit = std::ceil(work.workgroups / on.units);
    const Features common = {
        share(term::launch, term::first),
        share(term::trip, term::fragment),
        share(term::load_a, term::load_b, term::matrix, term::crowded),
        share(term::store),
        share(term::turn, term::two_buffers),
        log_of(on.rounds),
        log_of(work.workgroups / on.units),
        on.fullest > 0 ? work.workgroups / (on.fullest * on.units) : 0,
        on.rounds > 0 ? work.workgroups / (on.rounds * on.units * on.resident) : 0,
        on.last / on.resident,
        log_of(work.trips),
        std::fmod(work.trips, 2.0),
        on.resident,
        std::min(on.resident, per_unit) * work.waves / arch::simds_per_unit(gpu),
        log_of(flops > 0 ? work.memory_bytes / flops : 0),
        log_of(work.memory_bytes / bandwidth / once),
        log_of(terms[term::l2] / once),
        log_of(work.memory_bytes / kWorkingSet),
    };
    Features all = common;
    std::copy(work.details.begin(), work.details.end(), all.begin() + kCommonFeatureCount);
    return all;
}

}  // namespace ckdispatch

// SPDX-License-Identifier: MIT
#include "ckdispatch/core/cost.hpp"

#include <algorithm>
#include <cmath>

#include "arch/occupancy.hpp"

namespace ckdispatch {
namespace {

// The unit of the constants: a cycle of the GPU whose measurements they were fitted on.
constexpr double kClockMhz = 2400;
constexpr double kL2BytesPerUnitCycle = 49;  // 30 TB/s on an MI355X: the unit of the constant l2
constexpr double kOutputs = 1024;            // the unit of the constant store
constexpr int kManyRegisters = 256;          // a lane reaches more of them through moves only
constexpr double kSpillEffort = 1.5;         // assumed
constexpr double kLeastReach = 0.03;         // of memory's bandwidth, by one workgroup

// What a workgroup runs on: a compute unit, or a pair of them.
double units_of(const arch::GpuSpec& gpu) {
    return gpu.workgroup_processor_mode ? gpu.compute_units / 2.0 : gpu.compute_units;
}
double residents_of(const Resources& used, const arch::GpuSpec& gpu) {
    return std::max(1, used.resident ? used.resident : used.workgroups_per_unit(gpu));
}
double bytes_per_microsecond(const arch::GpuSpec& gpu) { return gpu.memory_bandwidth_gb_s * 1e3; }

}  // namespace

double workgroups_at_once(const Resources& used, const arch::GpuSpec& gpu) {
    return units_of(gpu) * residents_of(used, gpu);
}

Rounds rounds_of(const Work& work, const Resources& used, const arch::GpuSpec& gpu) {
    Rounds found;
    found.units = units_of(gpu);
    found.resident = residents_of(used, gpu);
    const double at_once = found.units * found.resident;
    if (work.even) {
        found.rounds = work.workgroups / at_once;
        found.fullest = work.workgroups / found.units;
        return found;
    }
    const double whole = std::floor(work.workgroups / at_once);
    found.last = std::ceil((work.workgroups - whole * at_once) / found.units);
    found.rounds = whole + (found.last > 0 ? 1 : 0);
    found.fullest = whole * found.resident + found.last;
    return found;
}

CostModel::CostModel(std::string_view family, const arch::GpuSpec& gpu)
    : gpu_(&gpu), fitted_(arch::cost_constants), bandwidth_share_(1) {
    const auto likeness = [&](const arch::CostConstants& one) {
        return (one.family == family ? 2 : 0) + (one.gpu == gpu.name ? 1 : 0);
    };
    for (const arch::CostConstants& one : arch::cost_constants)
        if (likeness(one) > likeness(*fitted_)) fitted_ = &one;
    constants_ = fitted_->values;
    carried_over_ = likeness(*fitted_) < 3;
    for (const arch::BandwidthShare& one : arch::bandwidth_shares)
        if (one.gpu == gpu.name) bandwidth_share_ = one.per_workgroup;
    const double simds = arch::simds_per_unit(gpu);
    for (const arch::MatrixCycles& one : arch::matrix_cycles)
        if (one.gpu == gpu.name) {
            const Name dtype(one.dtype);
            auto of = std::find_if(instructions_.begin(), instructions_.end(),
                                   [&](const Instructions& some) { return some.dtype == dtype; });
            if (of == instructions_.end()) of = instructions_.insert(of, {dtype, 0, {}});
            of->all.push_back({{one.m, one.n, one.k}, 2.0 * one.m * one.n * one.k / one.cycles * simds});
            of->peak = std::max(of->peak, of->all.back().rate);
        }
    for (Instructions& of : instructions_)
        std::stable_sort(of.all.begin(), of.all.end(),
                         [](const Instruction& a, const Instruction& b) { return a.tile.k > b.tile.k; });
}

CostModel::CostModel(const arch::GpuSpec& gpu, const Terms& constants) : CostModel("", gpu) {
    static constexpr arch::CostConstants kOwn = {"", "", "constants of the caller's own", "", {}};
    fitted_ = &kOwn;
    constants_ = constants;
    carried_over_ = false;
}

CostModel::MatrixRate CostModel::matrix_rate(const Work& work) const {
    for (const Instructions& of : instructions_) {
        if (of.dtype != work.dtype) continue;
        // A warp tile is made of the deepest instruction that divides it.
        for (const Instruction& one : of.all)
            if (one.tile.m == work.warp_tile.m && one.tile.n == work.warp_tile.n && work.warp_tile.k % one.tile.k == 0)
                return {of.peak, one.rate};
        return {of.peak, of.peak};
    }
    const double peak =
        gpu_->matrix_flops_per_cycle * (gpu_->workgroup_processor_mode ? 2 : 1) * (2.0 / work.element_bytes);
    return {peak, peak};
}

Terms CostModel::terms(const Work& work, const Rounds& on, const Resources& used, const MatrixRate& rate) const {
    const double cycle = kClockMhz / gpu_->max_clock_mhz, simds = arch::simds_per_unit(*gpu_), lanes = gpu_->wave_size;
    const double spilling = used.vgpr_spills || used.scratch_bytes ? kSpillEffort : 1.0;
    const double trips = (work.two_buffers ? std::max(work.trips, 2.0) : work.trips) * work.effort * spilling;
    // Workgroups of a round wait together; what they compute takes turns on their unit.
    const double waited = on.rounds * trips, worked = on.fullest * trips;
    const double reach = std::clamp(bandwidth_share_ * work.workgroups * (work.even ? std::max(1.0, work.trips) : 1.0),
                                    kLeastReach, 1.0);
    namespace term = arch::cost_term;
    Terms terms{};
    terms[term::launch] = 1;
    terms[term::trip] = waited;
    terms[term::fragment] = waited * cycle * work.lds_reads / (lanes * work.waves);
    terms[term::turn] = std::max(0.0, on.rounds - 1) * cycle * work.waves / simds;
    terms[term::load_a] = worked * cycle * work.loads_a / (lanes * simds);
    terms[term::load_b] = worked * cycle * work.loads_b / (lanes * simds);
    terms[term::matrix] = worked * (work.flops / (rate.peak * gpu_->max_clock_mhz));
    terms[term::store] = on.fullest * cycle * work.outputs / kOutputs;
    terms[term::crowded] = used.vgprs > kManyRegisters ? worked : 0;
    terms[term::two_buffers] = work.two_buffers ? on.rounds : 0;
    terms[term::l2] =
        work.workgroups * trips * work.tile_bytes / (kL2BytesPerUnitCycle * gpu_->compute_units * gpu_->max_clock_mhz);
    terms[term::memory] = work.memory_bytes / (bytes_per_microsecond(*gpu_) * reach);
    terms[term::first] = 1;
    return terms;
}

double CostModel::microseconds(const Work& work, const Terms& terms, const MatrixRate& rate) const {
    const double bandwidth = bytes_per_microsecond(*gpu_), launch = constants_[arch::cost_term::launch];
    double once = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) once += constants_[i] * terms[i];
    // Whatever is hidden behind something else: bytes go through memory, and instructions through the matrix cores.
    once = std::max(
        {once, launch + work.memory_bytes / bandwidth, launch + terms[arch::cost_term::matrix] * rate.peak / rate.own});
    return work.launches * once + work.extra_launches * launch + work.extra_passes / bandwidth;
}

double CostModel::transfer_microseconds(std::uint64_t bytes, std::size_t launches) const {
    return double(launches) * constants_[arch::cost_term::launch] + 2.0 * double(bytes) / bytes_per_microsecond(*gpu_);
}

}  // namespace ckdispatch

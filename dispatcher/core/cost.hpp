// SPDX-License-Identifier: MIT
// The documented cost model behind the rules strategy: docs/dispatcher.md explains every term. It predicts; it measures
// nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "arch/arch_types.hpp"
#include "arch/cost_constants.hpp"
#include "ckdispatch/core/fields.hpp"
#include "ckdispatch/core/name.hpp"
#include "ckdispatch/core/resources.hpp"

namespace ckdispatch {

/// What a family's own features are at most; docs/dispatcher.md names those of each.
inline constexpr std::size_t kMostDetails = 10;

/// A launch as the model sees it, whatever the family: workgroups that do the same work, padding included.
struct Work {
    double workgroups = 0;     ///< in all
    double waves = 1;          ///< of a workgroup
    double trips = 0;          ///< of a workgroup's main loop, each with a wait for its loads
    double flops = 0;          ///< matrix operations of a trip
    double element_bytes = 2;  ///< of the operands: at the peak narrower ones multiply faster
    Name dtype;                ///< of the wider operand
    Extent3 warp_tile;         ///< what a wave multiplies at once, in one matrix instruction or several
    double loads_a = 0;        ///< of single lanes, in a trip
    double loads_b = 0;
    double lds_reads = 0;      ///< of 16 bytes, by single lanes, in a trip
    double tile_bytes = 0;     ///< what a trip reads, mostly from L2
    double outputs = 0;        ///< of a workgroup
    double effort = 1;         ///< of a trip against one of the kernels that were measured: an assumption
    bool two_buffers = false;  ///< the loop begins with two tiles in LDS
    double memory_bytes = 0;   ///< what must go through memory once, for all workgroups together
    double extra_passes = 0;   ///< bytes of further passes over memory, such as zeroing an output
    double launches = 1;
    double extra_launches = 0;  ///< of those passes
    bool even = false;          ///< the last round is shared out among all units, as if a workgroup could be divided
    /// What else a learned model may know of it, in the order of the family's names.
    std::array<double, kMostDetails> details{};
};

/// How workgroups fall on the units of a GPU: compute units, or pairs of them.
struct Rounds {
    double units = 1;
    double resident = 1;  ///< workgroups that a unit holds at once
    double rounds = 0;    ///< of so many on every unit
    double last = 0;      ///< workgroups of the fullest unit in the last round, if it is not a whole one
    double fullest = 0;   ///< workgroups of the fullest unit, which decides when all is done
};

/// What each constant of the model is multiplied by, in the order of arch::cost_terms. Of one launch, without further
/// passes.
using Terms = std::array<double, arch::kCostTerms>;

Rounds rounds_of(const Work& work, const Resources& used, const arch::GpuSpec& gpu);

/// Workgroups of a kernel that the GPU runs at once.
double workgroups_at_once(const Resources& used, const arch::GpuSpec& gpu);

/// The model for the kernels of a family on one GPU.
class CostModel {
public:
    /// Matrix operations of a unit in a cycle.
    struct MatrixRate {
        double peak;  ///< of the fastest instruction of the dtype
        double own;   ///< of the instructions that the work is made of; the peak where their cycles are not known
    };

    /// With constants that were fitted on the family and the GPU; else on another GPU; else on another family.
    CostModel(std::string_view family, const arch::GpuSpec& gpu);
    /// With constants of one's own.
    CostModel(const arch::GpuSpec& gpu, const Terms& constants);

    double microseconds(const Work& work, const Resources& used) const {
        const MatrixRate rate = matrix_rate(work);
        return microseconds(work, terms(work, rounds_of(work, used, *gpu_), used, rate), rate);
    }
    double microseconds(const Work& work, const Terms& terms) const {
        return microseconds(work, terms, matrix_rate(work));
    }
    Terms terms(const Work& work, const Rounds& rounds, const Resources& used) const {
        return terms(work, rounds, used, matrix_rate(work));
    }

    /// Of bytes that are copied from memory to memory, in so many launches.
    double transfer_microseconds(std::uint64_t bytes, std::size_t launches) const;

    const arch::GpuSpec& gpu() const { return *gpu_; }
    const Terms& constants() const { return constants_; }
    /// Where the constants come from, and whether that is another GPU or family; of one's own without a name.
    const arch::CostConstants& fitted() const { return *fitted_; }
    bool carried_over() const { return carried_over_; }

    MatrixRate matrix_rate(const Work& work) const;

private:
    struct Instruction {
        Extent3 tile;
        double rate;  ///< of all SIMDs of a unit
    };
    struct Instructions {
        Name dtype;
        double peak;
        std::vector<Instruction> all;  ///< the deepest first
    };
    double microseconds(const Work& work, const Terms& terms, const MatrixRate& rate) const;
    Terms terms(const Work& work, const Rounds& rounds, const Resources& used, const MatrixRate& rate) const;

    const arch::GpuSpec* gpu_;
    const arch::CostConstants* fitted_;
    Terms constants_;
    double bandwidth_share_;                  ///< of a workgroup
    std::vector<Instructions> instructions_;  ///< of this GPU
    bool carried_over_;
};

}  // namespace ckdispatch

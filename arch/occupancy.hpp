// SPDX-License-Identifier: MIT
// How many waves of a kernel a SIMD can hold: ckarch.waves_per_simd for C++. //tests/arch holds the two together.
#pragma once

#include "arch/arch_types.hpp"

namespace ckdispatch::arch {

/// What a kernel uses, with the meaning the code object's metadata gives each figure: `vgprs` includes the AGPRs where
/// the GPU keeps both in one file.
struct KernelResources {
    int vgprs;
    int agprs;
    int sgprs;
    std::int64_t lds_bytes;
    int workgroup_size;
};

constexpr std::int64_t rounded_up(std::int64_t amount, std::int64_t granule) {
    const std::int64_t granules = (amount + granule - 1) / granule;
    return (granules > 1 ? granules : 1) * granule;
}

constexpr int waves_per_workgroup(const GpuSpec& gpu, const KernelResources& kernel) {
    return (kernel.workgroup_size + gpu.wave_size - 1) / gpu.wave_size;
}

constexpr int simds_per_unit(const GpuSpec& gpu) { return gpu.simds_per_cu * (gpu.workgroup_processor_mode ? 2 : 1); }

/// Workgroups that fit on one compute unit at a time, or on a workgroup processor; 0 when not even one does.
constexpr int workgroups_per_unit(const GpuSpec& gpu, const KernelResources& kernel) {
    const RegisterSpec& registers = gpu.registers;
    const bool separate = registers.agprs == AgprKind::separate;
    const int vgprs = separate && kernel.agprs > kernel.vgprs ? kernel.agprs : kernel.vgprs;
    if (vgprs > registers.max_vgprs_per_wave || kernel.lds_bytes > gpu.lds_bytes) return 0;
    std::int64_t waves = registers.max_waves_per_simd;
    const std::int64_t by_vgprs = registers.vgprs_per_simd / rounded_up(vgprs, registers.vgpr_granule);
    const std::int64_t by_sgprs = registers.sgprs_per_simd / rounded_up(kernel.sgprs, registers.sgpr_granule);
    if (by_vgprs < waves) waves = by_vgprs;
    if (by_sgprs < waves) waves = by_sgprs;
    const std::int64_t by_waves = waves * simds_per_unit(gpu) / waves_per_workgroup(gpu, kernel);
    const std::int64_t by_lds = gpu.lds_pool_bytes / rounded_up(kernel.lds_bytes, gpu.lds_granule);
    return static_cast<int>(by_waves < by_lds ? by_waves : by_lds);
}

/// The most waves of the kernel on the fullest SIMD.
constexpr int waves_per_simd(const GpuSpec& gpu, const KernelResources& kernel) {
    const int simds = simds_per_unit(gpu);
    return (workgroups_per_unit(gpu, kernel) * waves_per_workgroup(gpu, kernel) + simds - 1) / simds;
}

}  // namespace ckdispatch::arch

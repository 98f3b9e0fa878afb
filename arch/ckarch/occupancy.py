# SPDX-License-Identifier: MIT
"""How many waves of a kernel a SIMD can hold, from what a code object says the kernel uses."""

from __future__ import annotations

from dataclasses import dataclass

from ckarch.model import AgprKind, GpuSpec


@dataclass(frozen=True)
class KernelResources:
    """What a kernel uses, with the meaning the code object's metadata gives each figure.

    ``vgprs`` includes the AGPRs where the GPU keeps both in one file. ``lds_bytes`` and
    ``workgroup_size`` are those of one workgroup.
    """

    vgprs: int
    agprs: int
    sgprs: int
    lds_bytes: int
    workgroup_size: int


def waves_per_simd(gpu: GpuSpec, kernel: KernelResources) -> int:
    """The most waves of ``kernel`` on the fullest SIMD; 0 when not even one workgroup fits."""
    registers = gpu.registers
    separate = registers.agprs is AgprKind.SEPARATE
    vgprs = max(kernel.vgprs, kernel.agprs) if separate else kernel.vgprs
    if vgprs > registers.max_vgprs_per_wave or kernel.lds_bytes > gpu.lds_bytes:
        return 0
    waves = min(
        registers.max_waves_per_simd,
        registers.vgprs_per_simd // _rounded_up(vgprs, registers.vgpr_granule),
        registers.sgprs_per_simd // _rounded_up(kernel.sgprs, registers.sgpr_granule),
    )
    simds = gpu.simds_per_cu * (2 if gpu.workgroup_processor_mode else 1)
    waves_per_workgroup = -(-kernel.workgroup_size // gpu.wave_size)
    workgroups = min(
        waves * simds // waves_per_workgroup,
        gpu.lds_pool_bytes // _rounded_up(kernel.lds_bytes, gpu.lds_granule),
    )
    return -(-workgroups * waves_per_workgroup // simds)


def _rounded_up(amount: int, granule: int) -> int:
    """What is allocated for ``amount``: whole granules, at least one."""
    return max(1, -(-amount // granule)) * granule

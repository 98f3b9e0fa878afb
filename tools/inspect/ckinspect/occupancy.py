# SPDX-License-Identifier: MIT
"""How many waves of a compiled kernel fit on one SIMD at a time, and which resource decides."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ckarch import GpuSpec, KernelResources, waves_per_simd

from ckinspect.metadata import KernelMetadata

# A workgroup processor is by definition a pair of compute units.
_CUS_PER_WORKGROUP_PROCESSOR = 2

_FIELDS_OF_RESOURCE = {"vgprs": ("vgprs", "agprs"), "sgprs": ("sgprs",), "lds": ("lds_bytes",)}


@dataclass(frozen=True)
class Occupancy:
    """The most waves that share one SIMD, and the resources that each keep another one out.

    The kernel is taken to run with its largest workgroup. No limits means that only the hardware's
    wave slots, or the size of the workgroup, set the bound.
    """

    waves_per_simd: int
    limits: tuple[str, ...]


def occupancy(kernel: KernelMetadata, gpu: GpuSpec) -> Occupancy:
    """Derives the occupancy of `kernel` on `gpu` in the mode that it was compiled for."""
    running = _as_compiled(kernel, gpu)
    used = KernelResources(
        vgprs=kernel.vgprs,
        agprs=kernel.agprs,
        sgprs=kernel.sgprs,
        lds_bytes=kernel.lds_bytes,
        workgroup_size=kernel.max_workgroup_size,
    )
    waves = waves_per_simd(running, used)
    if waves == waves_per_simd(running, _only((), used)):
        return Occupancy(waves_per_simd=waves, limits=())
    limits = tuple(
        resource
        for resource, fields in _FIELDS_OF_RESOURCE.items()
        if waves_per_simd(running, _only(fields, used)) == waves
    )
    return Occupancy(waves_per_simd=waves, limits=limits)


def _only(fields: tuple[str, ...], used: KernelResources) -> KernelResources:
    """`used` as if the kernel needed nothing but `fields`."""
    every = (field for group in _FIELDS_OF_RESOURCE.values() for field in group)
    return replace(used, **{field: 0 for field in every if field not in fields})


def _as_compiled(kernel: KernelMetadata, gpu: GpuSpec) -> GpuSpec:
    """`gpu` as a kernel sees it that may use another wave size, or one CU of a pair, than usual."""
    if kernel.wavefront_size != gpu.wave_size:
        # The specs count a lane's registers at the usual wave size: half the lanes, twice as many.
        registers = gpu.registers
        gpu = replace(
            gpu,
            wave_size=kernel.wavefront_size,
            registers=replace(
                registers,
                vgprs_per_simd=registers.vgprs_per_simd * gpu.wave_size // kernel.wavefront_size,
                vgpr_granule=max(
                    1, registers.vgpr_granule * gpu.wave_size // kernel.wavefront_size
                ),
            ),
        )
    if gpu.workgroup_processor_mode and not kernel.workgroup_processor_mode:
        gpu = replace(
            gpu,
            workgroup_processor_mode=False,
            lds_pool_bytes=gpu.lds_pool_bytes // _CUS_PER_WORKGROUP_PROCESSOR,
        )
    return gpu

# SPDX-License-Identifier: MIT
"""Rules about loads, LDS and registers."""

from __future__ import annotations

from ckarch import AgprKind

from ckgen.core.rules import Purpose, Rules
from ckgen.core.target import Target
from ckgen.product.geometry import accumulators_per_lane, lds_bytes, load_grids, registers_per_lane
from ckgen.product.spec import Pipeline, ProductSpec

_ASYNC_WIDTHS = (4, 12, 16)

MEMORY_RULES = Rules()


@MEMORY_RULES.rule(
    "The threads of a workgroup must cover the tiles of A and B evenly with the widest loads that "
    "fit, 16 bytes at most.",
    ("tile", "waves", "warp_tile"),
)
def vector_load(spec: ProductSpec, target: Target) -> str | None:
    for grid in load_grids(spec, target):
        complaint = grid.complaint()
        if complaint is not None:
            return complaint
    return None


@MEMORY_RULES.rule(
    "The pipeline comp_async loads straight into LDS, for which there are instructions of 4, 12 "
    "and 16 bytes a lane.",
    ("tile", "waves", "operand_layout", "pipeline"),
)
def async_load(spec: ProductSpec, target: Target) -> str | None:
    if spec.pipeline is not Pipeline.COMP_ASYNC:
        return None
    for grid, dtype in zip(load_grids(spec, target), (spec.dtype_a, spec.dtype_b), strict=False):
        width = int(grid.moved * target.arch.dtype(dtype).bytes)
        if width not in _ASYNC_WIDTHS:
            return f"a lane loads {width} bytes of {grid.what} at a time"
    return None


@MEMORY_RULES.rule(
    "All LDS buffers of the pipeline together, each large enough for the tiles of A and B and for "
    "the epilogue, must fit into the LDS of one workgroup.",
    ("tile", "pipeline"),
)
def lds_capacity(spec: ProductSpec, target: Target) -> str | None:
    needed, available = lds_bytes(spec, target), target.gpu.lds_bytes
    if needed <= available:
        return None
    return (
        f"tile {spec.tile} with the pipeline {spec.pipeline} needs {needed} bytes of LDS, "
        f"and {target.name} has {available}"
    )


@MEMORY_RULES.rule(
    "The accumulators of a lane must leave half of its registers free, or fit into the "
    "accumulation registers where the GPU keeps them apart.",
    ("tile", "waves"),
    Purpose.SPEED,
)
def accumulator_registers(spec: ProductSpec, target: Target) -> str | None:
    # Separate accumulation registers come on top; otherwise half must be left for everything else.
    separate = target.gpu.registers.agprs is AgprKind.SEPARATE
    available = registers_per_lane(spec, target) // (1 if separate else 2)
    needed = accumulators_per_lane(spec, target)
    if needed <= available:
        return None
    return (
        f"tile {spec.tile} with waves {spec.waves} needs {needed} accumulators per lane, "
        f"and {target.name} can spare {available}"
    )

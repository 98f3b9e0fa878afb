# SPDX-License-Identifier: MIT
"""Rules about kernels whose weights are given in the order of the matrix instructions."""

from __future__ import annotations

from ckgen.core.rules import Purpose, Rules
from ckgen.core.target import Target
from ckgen.gemm.spec import GemmSpec, Variant
from ckgen.product.spec import Layout, Pipeline, Scheduler

_VECTOR = 16
"""Bytes that a lane loads at once."""
_WIDTHS = (16, 32)

SCHEDULER_RULES = Rules("gemm")


@SCHEDULER_RULES.rule(
    "The pipeline preshufflev2 has no scheduler to choose, which is called default.",
    ("scheduler", "pipeline"),
    Purpose.NAMES,
)
def preshuffle_scheduler(spec: GemmSpec, target: Target) -> str | None:
    if spec.pipeline is not Pipeline.PRESHUFFLEV2 or spec.scheduler is Scheduler.DEFAULT:
        return None
    return f"the pipeline {spec.pipeline} has one scheduler, default, and not {spec.scheduler}"


PRESHUFFLE_RULES = Rules("gemm")


@PRESHUFFLE_RULES.rule("Preshuffled weights need the layout rcr.", ("layout",))
def preshuffle_layout(spec: GemmSpec, target: Target) -> str | None:
    if spec.variant is not Variant.PRESHUFFLE or spec.layout is Layout.RCR:
        return None
    return f"weights are preshuffled from columns, and the layout is {spec.layout}"


@PRESHUFFLE_RULES.rule(
    "Weights are preshuffled in warp tiles of 16 or 32 columns that plain weights have too; CK has "
    "no order, or no instruction, for others.",
    ("warp_tile",),
)
def preshuffle_warp_tile(spec: GemmSpec, target: Target) -> str | None:
    """CK's users list 32x32x32 and 16x16x64 of 16-bit floats for gfx950.

    A kernel drawn at random, 64x64x128 with 16x16x64 of fp16, did not compile: CK has no
    WarpGemmDispatcher for it, and for none that plain weights do not have too.
    """
    if spec.variant is not Variant.PRESHUFFLE:
        return None
    if spec.warp_tile.n not in _WIDTHS:
        return f"warp tile {spec.warp_tile} is {spec.warp_tile.n} columns wide"
    if spec.warp_tile in target.gpu.warp_tiles.get(spec.dtype_key, ()):
        return None
    return f"CK has no warp tile {spec.warp_tile} of {spec.dtype_key} on {target.name}"


@PRESHUFFLE_RULES.rule(
    "The waves of a preshuffle kernel must write and read the A tile in whole vectors of 16 bytes.",
    ("tile", "warp_tile", "waves"),
)
def preshuffle_lds(spec: GemmSpec, target: Target) -> str | None:
    if spec.variant is not Variant.PRESHUFFLE:
        return None
    size = target.arch.dtype(spec.dtype_a).bytes
    wave, repeat = target.gpu.wave_size, spec.tiling.repeat.m
    per_lane = spec.warp_tile.m * spec.warp_tile.k * size * repeat / wave
    if per_lane % _VECTOR:
        return f"a lane reads {per_lane:g} bytes of A at a time, which is not a multiple of 16"
    k1 = int(_VECTOR / size)
    lanes = spec.tile.k // k1
    if spec.tile.k % k1 or wave % lanes:
        return f"a row of the A tile takes {spec.tile.k}/{k1} lanes, which do not divide a wave"
    rows = spec.tiling.wave_count * wave // lanes
    if spec.tile.m % rows:
        return f"the waves write {rows} rows of A at a time, not the {spec.tile.m} of the tile"
    return None

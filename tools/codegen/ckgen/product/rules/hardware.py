# SPDX-License-Identifier: MIT
"""Rules about what the GPU's instructions offer."""

from __future__ import annotations

from collections.abc import Iterable

from ckarch import UnknownNameError

from ckgen.core.rules import Purpose, Rules
from ckgen.core.target import Target
from ckgen.core.tile import Dim3
from ckgen.product.dtypes import EIGHT_BIT_FLOATS, allowed_outputs
from ckgen.product.geometry import warp_tiles_of, wave_layouts
from ckgen.product.pipelines import PIPELINE_CLASSES
from ckgen.product.spec import Dtype, Layout, ProductSpec


def _listed(triples: Iterable[tuple[int, int, int]]) -> str:
    return ", ".join(str(Dim3(*triple)) for triple in triples)


HARDWARE_RULES = Rules()


@HARDWARE_RULES.rule(
    "The GPU must have a matrix instruction for the dtypes of A and B, which also decides the "
    "accumulator and what C can be stored as: sums of integers not as bf16, of which CK would make "
    "their low bits.",
    ("dtype_c", "dtype_acc", "dtype_b"),
)
def dtype_combination(spec: ProductSpec, target: Target) -> str | None:
    try:
        combination = target.arch.dtype_combination(spec.dtype_a, spec.dtype_b)
    except UnknownNameError:
        return f"{spec.dtype_a} x {spec.dtype_b} is not a product that any GPU here computes"
    pair = f"{combination.a} x {combination.b}"
    if spec.dtype_acc != combination.accumulator:
        return f"{pair} accumulates in {combination.accumulator}, not in {spec.dtype_acc}"
    outputs = allowed_outputs(spec.dtype_a, spec.dtype_b, target.arch)
    if spec.dtype_c not in outputs and output_encoding(spec, target) is None:
        return f"{pair} can be stored as {', '.join(outputs)}, not as {spec.dtype_c}"
    if combination.key not in target.gpu.warp_tiles:
        return f"{target.name} has no matrix instruction for {pair}"
    return None


@HARDWARE_RULES.rule(
    "C is an 8-bit float only where A and B are, because they say which of the two encodings is "
    "meant.",
    ("dtype_c",),
    Purpose.MEANING,
)
def output_encoding(spec: ProductSpec, target: Target) -> str | None:
    """CK compiles such kernels, and they store what the GPU's encoding is."""
    operands = {spec.dtype_a, spec.dtype_b}
    if spec.dtype_c not in EIGHT_BIT_FLOATS or spec.dtype_acc is Dtype.INT32:
        return None
    if operands <= {*EIGHT_BIT_FLOATS}:
        return None
    return (
        f"{spec.dtype_a} x {spec.dtype_b} does not say in which of its two encodings "
        f"{spec.dtype_c} is meant"
    )


@HARDWARE_RULES.rule(
    "The GPU must have the instructions that the pipeline is built on.", ("pipeline",)
)
def pipeline_supported(spec: ProductSpec, target: Target) -> str | None:
    if spec.pipeline in target.gpu.pipelines:
        return None
    return f"{target.name} lacks what the pipeline {spec.pipeline} needs"


@HARDWARE_RULES.rule(
    "The layout of waves must be one that the GPU's table lists: those that keep every SIMD busy. "
    "The pipeline compv5 has its own.",
    ("waves",),
    Purpose.SPEED,
)
def wave_layout_supported(spec: ProductSpec, target: Target) -> str | None:
    layouts = wave_layouts(spec.pipeline, target)
    # What waves that take turns must be is for another rule.
    if PIPELINE_CLASSES[spec.pipeline].takes_turns or spec.waves in layouts:
        return None
    return f"waves {spec.waves} are not among those of {target.name} ({_listed(layouts)})"


@HARDWARE_RULES.rule(
    "One wave must cover the whole of k, because CK does not add up partial sums of several; but "
    "compv5 has two waves, 1x1x2, which take turns with the tiles of k and are added up.",
    ("waves", "pipeline"),
)
def wave_k(spec: ProductSpec, target: Target) -> str | None:
    groups = PIPELINE_CLASSES[spec.pipeline].wave_groups
    if groups > 1 and spec.waves != (1, 1, groups):
        return f"the pipeline {spec.pipeline} has waves 1x1x{groups}, not {spec.waves}"
    if spec.waves.k == groups:
        return None
    return f"waves {spec.waves} divide k among {spec.waves.k}, and nothing adds up their parts"


@HARDWARE_RULES.rule(
    "The warp tile must be one that the GPU's matrix instructions compute for these dtypes.",
    ("warp_tile", "preshuffled"),
)
def warp_tile_supported(spec: ProductSpec, target: Target) -> str | None:
    tiles = warp_tiles_of(spec, target)
    if spec.warp_tile in tiles:
        return None
    kind = "preshuffled " if spec.preshuffled else ""
    return (
        f"warp tile {spec.warp_tile} is not among those of {target.name} for "
        f"{kind}{spec.dtype_key} "
        f"({_listed(tiles) or 'none'})"
    )


@HARDWARE_RULES.rule(
    "The warp tile must not be one that is known to compile and to give wrong results, such as "
    "those of int8 on GPUs for which CK has no instruction for it.",
    ("warp_tile",),
)
def warp_tile_correct(spec: ProductSpec, target: Target) -> str | None:
    """CK's users report zeros from fp8 with 16 rows and another k than 128 on gfx950 or 32
    elsewhere.

    Those of the table are right on the simulator: 16x16x32 and 16x16x64 on gfx942 and gfx950.
    """
    if spec.warp_tile not in target.gpu.broken_warp_tiles.get(spec.dtype_key, ()):
        return None
    return (
        f"warp tile {spec.warp_tile} of {spec.dtype_key} compiles but gives wrong results "
        f"on {target.name}"
    )


@HARDWARE_RULES.rule(
    "Some warp tiles need A and B with contiguous k: on gfx950 CK transposes other operands on "
    "their way from LDS, and has no such load for fp32, for warp tiles of four rows or columns, "
    "nor for some of 8-bit floats.",
    ("warp_tile", "operand_layout"),
)
def warp_tile_layout(spec: ProductSpec, target: Target) -> str | None:
    tiles = target.gpu.contiguous_k_warp_tiles.get(spec.dtype_key, ())
    if spec.warp_tile not in tiles or spec.operand_layout is Layout.RCR:
        return None
    return (
        f"warp tile {spec.warp_tile} of {spec.dtype_key} does not go with the layout "
        f"{spec.operand_layout} on {target.name}, only with rcr"
    )

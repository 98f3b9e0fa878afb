# SPDX-License-Identifier: MIT
"""What a kernel is that a declaration says only the head size of: CK's own choices, with registers
to spare.
"""

from __future__ import annotations

from ckgen.core.tile import Extents
from ckgen.fmha.spec import ATTENDING, PIPELINES, Bias, Dtype, FmhaSpec, Mode, Pipeline, Variant
from ckgen.fmha.tilings import Tiling, tilings_of

_NO_TILE = Extents()


def usual_pipeline(variant: Variant) -> Pipeline:
    """The pipeline that a variant has on most GPUs."""
    return PIPELINES[variant][0]


def usual_tiling(
    variant: Variant,
    dtype: Dtype,
    hdim_q: int,
    hdim_v: int,
    pipeline: Pipeline,
    tile: Extents | None,
) -> Tiling | None:
    """The first tiling for all of these, of those with ``tile`` if it is given."""
    fitting = [
        one
        for one in tilings_of(variant, dtype, hdim_q, hdim_v)
        if tile is None or one.tile == tile
    ]
    return next(
        (one for one in fitting if pipeline in one.pipelines),
        fitting[0] if fitting and tile is not None else None,
    )


def usual_waves(variant: Variant, tiling: Tiling | None) -> Extents:
    """Of a tile that CK does not have: four waves one below the other, or beside."""
    if tiling is not None:
        return tiling.waves
    if variant in ATTENDING:
        return Extents.of(4, 1, 1)
    return Extents.of(1, 4, 1, 4, 1, 1, 1, 4, 1) if variant is Variant.DQ_DK_DV else Extents.of(4)


def usual_warp_tile(variant: Variant, tiling: Tiling | None) -> Extents:
    """Of a tile that CK does not have: what every GPU multiplies."""
    if tiling is not None:
        return tiling.warp_tile
    if variant in ATTENDING:
        return Extents.of(16, 16, 16)
    return Extents.of(16, 16, 16, 16, 16, 16) if variant is Variant.DQ_DK_DV else _NO_TILE


def usual_pads(variant: Variant, pipeline: Pipeline, mode: Mode) -> Extents:
    """Any lengths, and head sizes as they are said, unless the pipeline wants otherwise."""
    if variant in (Variant.SUM, Variant.SINK):
        return Extents.of(1, 0, 1, 1)
    if variant is Variant.COMBINE:
        return Extents.of(1, 0, 0, 1)
    if variant is Variant.APPENDKV:
        return Extents.of(1, 1, 1, 1)
    if variant is Variant.DOT_DO_O:
        return Extents.of(1, 0, 0, 1)
    if variant is Variant.CONVERT_DQ:
        return Extents.of(1, 0, 1, 0)
    if variant is Variant.DQ_DK_DV:
        return Extents.of(1, 1, 8, 8)
    if pipeline is Pipeline.QR_ASYNC:
        return Extents.of(1, 1, 1, 1)
    if pipeline is Pipeline.TRLOAD and mode is Mode.BATCH:
        return Extents.of(0, 0, 1, 1)
    return Extents.of(1, 1, 0, 0)


def usual_occupancy(spec: FmhaSpec) -> int:
    """The most waves per SIMD for which clang 21 spills nothing; at twice 128 rows and more it is
    one.
    """
    if spec.variant is Variant.DQ_DK_DV:
        return 2 if spec.pipeline is Pipeline.QR_TRLOAD else 1
    if spec.variant is Variant.DOT_DO_O:
        # A lane holds a row of o and of its gradient.
        return 1 if spec.hdim_v > 128 else 2
    if not spec.attends:
        return 2
    hdim = max(spec.hdim_q, spec.hdim_v)
    by_element = spec.pipeline is Pipeline.QR and any(spec.pads[2:])
    if hdim <= 64:
        return 1 if spec.dtype.is_fp8 else 2
    if spec.pipeline in (Pipeline.TRLOAD, Pipeline.V3):
        return 2
    if (
        hdim > 128
        or spec.dtype not in (Dtype.FP16, Dtype.BF16)
        or spec.pipeline is Pipeline.QR_ASYNC
    ):
        return 1
    if spec.variant is Variant.SPLITKV:
        return 2 if spec.bias is not Bias.ELEMENTWISE else 1
    return (
        1
        if by_element or spec.dropout or spec.bias is not Bias.NONE or spec.hdim_q != spec.hdim_v
        else 2
    )

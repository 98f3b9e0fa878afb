# SPDX-License-Identifier: MIT
"""What to try instead of an illegal choice."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from math import log2
from typing import Any

from ckgen.core.choice import Choice
from ckgen.core.target import Target
from ckgen.core.tile import Dim3
from ckgen.gemm.dtypes import allowed_outputs, default_dtypes
from ckgen.gemm.geometry import warp_tiles_of, wave_layouts
from ckgen.gemm.spec import MAX_DS, GemmSpec, Pipeline

_PER_AXIS = 5


def alternatives(spec: GemmSpec, field: str, target: Target) -> Iterable[Any]:
    """Values worth trying for ``field`` when ``spec`` is illegal on ``target``."""
    current = getattr(spec, field)
    if isinstance(current, bool):
        return (not current,)
    if field == "tile":
        return _nearby_tiles(spec)
    if field == "waves":
        return wave_layouts(spec.pipeline, target)
    if field == "warp_tile":
        return tuple(Dim3(*tile) for tile in warp_tiles_of(spec, target))
    if field == "d_count":
        return tuple(range(MAX_DS + 1))
    if field == "dtype_d":
        return (spec.dtype_c,)
    if field == "dtype_b":
        return (spec.dtype_a,)
    if field == "dtype_acc":
        return (default_dtypes(spec.dtype_a, spec.dtype_b, target.arch)[0],)
    if field == "dtype_c":
        return allowed_outputs(spec.dtype_a, spec.dtype_b, target.arch)
    if field == "pipeline":
        return tuple(pipeline for pipeline in Pipeline if pipeline in target.gpu.pipelines)
    kind: type[Choice] = type(current)
    return tuple(kind)


def _nearby_tiles(spec: GemmSpec) -> Iterable[Dim3]:
    covered = spec.tiling.coverage
    axes = (_nearby_extents(extent, part) for extent, part in zip(spec.tile, covered))
    return (Dim3(*extents) for extents in product(*axes))


def _nearby_extents(extent: int, part: int) -> tuple[int, ...]:
    """The closest extents that are multiples of ``part``, powers of two among them."""
    power = 1 << (extent.bit_length() - 1)
    wishes = (extent, extent + part - 1, power, power * 2, extent // 2, extent // 4, extent * 2)
    multiples = {max(part, wish // part * part) for wish in wishes}
    return tuple(sorted(multiples, key=lambda value: abs(log2(value / extent))))[:_PER_AXIS]

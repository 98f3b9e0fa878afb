# SPDX-License-Identifier: MIT
"""Kernels that may stand for a cell, the best suited first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any, cast

from ckarch import ArchSpecs
from ckgen.core.target import Target
from ckgen.core.tile import Dim3, TileConfig
from ckgen.families import FAMILIES
from ckgen.gemm.spec import GemmSpec
from ckgen.product.dtypes import default_dtypes
from ckgen.product.geometry import warp_tile_tables, wave_layouts
from ckgen.product.pipelines import loop_variants, prefetch_stages
from ckgen.product.spec import Dtype, Layout, Pipeline

from cksupport.questions import Fields

_FAMILY = FAMILIES["gemm"]
_DEFAULTS: Mapping[str, Any] = {field.name: field.default for field in _FAMILY.entry_fields}
_ALONG_M_AND_N = (1, 2)
_ALONG_K = (1, 2, 4)
_NO_SHAPE = Dim3(1, 1, 1)
_LARGEST = 256
_SMALLEST = 16
_USUAL = 16
"""The least rows and columns of a warp tile that kernels in use have."""


def candidates(chosen: Fields, target: Target) -> Iterator[GemmSpec]:
    """Every kernel with the ``chosen`` fields and some geometry.

    Earlier choices of a field come before later ones. Then those come first whose waves repeat the
    warp tile along every axis, because that is what kernels in use do, and of these the ones with
    the least code, because code is what compiling costs.
    """
    names = [name for name, _ in chosen]
    for values in product(*(values for _, values in chosen)):
        spec = _spec(dict(zip(names, values, strict=False)), target.arch)
        for shape in _geometries(spec.dtype_a, spec.dtype_b, spec.pipeline, target):
            yield _shaped(spec, shape)


def _spec(fixed: Mapping[str, Any], arch: ArchSpecs) -> GemmSpec:
    """With a geometry that is to be replaced."""
    none = {"tile": _NO_SHAPE, "waves": _NO_SHAPE, "warp_tile": _NO_SHAPE}
    return cast(GemmSpec, _FAMILY.build({**_DEFAULTS, **none, **fixed}, arch))


def _shaped(spec: GemmSpec, shape: TileConfig) -> GemmSpec:
    return spec.with_fields(
        {"tile": shape.tile, "waves": shape.waves, "warp_tile": shape.warp_tile}
    )


@cache
def _geometries(a: Dtype, b: Dtype, pipeline: Pipeline, target: Target) -> tuple[TileConfig, ...]:
    """Tiles that repeat the warp tile a few times, the best suited first."""
    found = []
    layouts, warp_tiles = wave_layouts(pipeline, target), _warp_tiles(a, b, pipeline, target)
    for waves, warp_tile in product(layouts, warp_tiles):
        covered = TileConfig(_NO_SHAPE, waves, Dim3(*warp_tile)).coverage
        for m, n, k in product(_ALONG_M_AND_N, _ALONG_M_AND_N, _ALONG_K):
            tile = covered * Dim3(m, n, k)
            if max(tile) <= _LARGEST and min(tile) >= _SMALLEST:
                found.append(TileConfig(tile, waves, Dim3(*warp_tile)))
    fixed = {"dtype": a, "dtype_b": b, "layout": Layout.RCR, "pipeline": pipeline}
    plain = _spec({**fixed, "pad": (False, False, False)}, target.arch)
    return tuple(sorted(found, key=lambda shape: _rank(shape, plain, target.arch)))


def _warp_tiles(
    a: Dtype, b: Dtype, pipeline: Pipeline, target: Target
) -> tuple[tuple[int, int, int], ...]:
    """Those of the GPU, or of another if it has none: rules can only refuse what was asked for."""
    accumulator, _ = default_dtypes(a, b, target.arch)
    others = (Target.of(target.arch, gpu) for gpu in target.arch.gpus)
    tables = (warp_tile_tables(pipeline is Pipeline.PRESHUFFLEV2, one) for one in (target, *others))
    dtypes = f"{a}_{b}_{accumulator}"
    return next((table[dtypes] for table in tables if dtypes in table), ((16, 16, 16),))


def _rank(shape: TileConfig, plain: GemmSpec, arch: ArchSpecs) -> tuple[int, ...]:
    spec = _shaped(plain, shape)
    unusual = sum(repeat == 1 for repeat in shape.repeat) + (min(shape.warp_tile[:2]) < _USUAL)
    unrolled = max(1, prefetch_stages(spec, arch)) * shape.repeat.volume
    code = len(loop_variants(spec, arch)) * unrolled
    longest = max(shape.tile.m, shape.tile.n)
    return (unusual, code, shape.tile.volume, longest, *shape.tile, *shape.waves, *shape.warp_tile)

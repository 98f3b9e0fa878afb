# SPDX-License-Identifier: MIT
"""GEMM kernels drawn at random, and how one is changed a little."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ckgen.core.choice import Choice
from ckgen.core.target import Target
from ckgen.core.tile import Dim3
from ckgen.families import FAMILIES
from ckgen.gemm.choices import ALL_PADS
from ckgen.gemm.spec import MAX_DS, DLayout, GemmSpec, Variant
from ckgen.product.dtypes import allowed_outputs, default_dtypes
from ckgen.product.geometry import warp_tiles_of, wave_layouts
from ckgen.product.spec import Dtype, Epilogue, FusedOp, Layout, Pipeline, Scheduler, SplitK

from cksupport.samples import Draw

_REPEATS = (1, 1, 2, 2, 3, 4)
_LARGEST = 128
"""Rows or columns of tiles: what is larger compiles for minutes and shows nothing new."""
_EXTENTS = (8, 16, 24, 32, 48, 64, 96, 128, 192, 256)
_OUT_OF_PLACE = ((32, 32, 4), (16, 16, 8), (16, 16, 64), (32, 32, 64), (8, 8, 16), (64, 64, 8))


class GemmDraw(Draw[GemmSpec]):
    """Kernels of GEMM, of every variant as often."""

    family = FAMILIES["gemm"]
    kinds = tuple(Variant)

    def is_small(self, spec: GemmSpec) -> bool:
        return max(spec.tile.m, spec.tile.n) <= _LARGEST

    def spec(self, target: Target, kind: Variant) -> GemmSpec | None:
        variant, known = kind, target.gpu.warp_tiles
        pair = self._one([pair for pair in self._arch.dtype_combinations if pair.key in known])
        a, b = Dtype(pair.a), Dtype(pair.b)
        accumulator, _ = default_dtypes(a, b, self._arch)
        c = self._one(allowed_outputs(a, b, self._arch))
        fused = self._one(tuple(FusedOp)) if variant is Variant.MULTI_D else FusedOp.PASS_THROUGH
        d_count = self._one(range(1, MAX_DS + 1)) if fused.takes_ds else 0
        parts = variant in (Variant.STANDARD, Variant.STREAM_K)
        preshuffle = variant is Variant.PRESHUFFLE
        pipelines = [p for p in Pipeline if p in target.gpu.pipelines]
        pipeline = Pipeline.PRESHUFFLEV2 if preshuffle else self._one(pipelines)
        pad_m, pad_n, pad_k = self._one(ALL_PADS)
        unshaped = GemmSpec(
            variant=variant,
            dtype_a=a,
            dtype_b=b,
            dtype_c=c,
            dtype_acc=accumulator,
            layout=Layout.RCR if preshuffle else self._one(tuple(Layout)),
            tile=Dim3(1, 1, 1),
            waves=self._one(wave_layouts(pipeline, target)),
            warp_tile=Dim3(1, 1, 1),
            pipeline=pipeline,
            epilogue=self._one(tuple(Epilogue)),
            scheduler=Scheduler.DEFAULT if preshuffle else self._one(tuple(Scheduler)),
            pad_m=pad_m,
            pad_n=pad_n,
            pad_k=pad_k,
            persistent=self._random.random() < 0.2,
            split_k=self._one(tuple(SplitK)) if parts else SplitK.NONE,
            fused_op=fused,
            d_count=d_count,
            dtype_d=self._one((c, c, *Dtype)) if d_count else c,
            d_layout=self._one(tuple(DLayout)) if d_count else DLayout.ROWS,
        )
        tiles = warp_tiles_of(unshaped, target)
        if not tiles:
            return None
        spec = replace(unshaped, warp_tile=Dim3(*self._one(tiles)))
        repeats = Dim3(self._one(_REPEATS), self._one(_REPEATS), self._one(_REPEATS))
        return replace(spec, tile=spec.tiling.coverage * repeats)

    def changed(self, spec: GemmSpec, target: Target) -> GemmSpec:
        return self._one(_CHANGES)(self, spec, target)

    def _other_word(self, spec: GemmSpec, target: Target) -> GemmSpec:
        names = (
            "layout",
            "pipeline",
            "epilogue",
            "scheduler",
            "split_k",
            "variant",
            "d_layout",
            "fused_op",
            "dtype_c",
            "dtype_b",
            "dtype_d",
            "dtype_acc",
        )
        name = self._one(names)
        words: type[Choice] = type(getattr(spec, name))
        changed: dict[str, Any] = {name: self._one(list(words))}
        return replace(spec, **changed)

    def _other_switch(self, spec: GemmSpec, target: Target) -> GemmSpec:
        name = self._one(("pad_m", "pad_n", "pad_k", "persistent"))
        changed: dict[str, Any] = {name: not getattr(spec, name)}
        return replace(spec, **changed)

    def _other_tile(self, spec: GemmSpec, target: Target) -> GemmSpec:
        extents = list(spec.tile)
        extents[self._random.randrange(3)] = self._one(_EXTENTS)
        return replace(spec, tile=Dim3(*extents))

    def _other_repeat(self, spec: GemmSpec, target: Target) -> GemmSpec:
        repeats = Dim3(*(self._one((1, 2, 3, 4, 5, 6, 8)) for _ in range(3)))
        return replace(spec, tile=spec.tiling.coverage * repeats)

    def _other_waves(self, spec: GemmSpec, target: Target) -> GemmSpec:
        layouts = {tuple(w) for gpu in self._arch.architectures.values() for w in gpu.wave_layouts}
        others = ((1, 1, 1), (1, 2, 1), (1, 1, 2), (2, 1, 2), (3, 1, 1), (8, 4, 1))
        waves = self._one((*sorted(layouts), *others))
        return replace(spec, waves=Dim3(*waves))

    def _other_warp_tile(self, spec: GemmSpec, target: Target) -> GemmSpec:
        broken = target.gpu.broken_warp_tiles.get(spec.dtype_key, ())
        tiles = (*warp_tiles_of(spec, target), *broken, *_OUT_OF_PLACE)
        warp_tile = Dim3(*self._one(tiles))
        changed = replace(spec, warp_tile=warp_tile)
        return replace(changed, tile=changed.tiling.coverage * spec.tiling.repeat)

    def _other_count(self, spec: GemmSpec, target: Target) -> GemmSpec:
        return replace(spec, d_count=self._one(range(MAX_DS + 2)))


_Change = Callable[[GemmDraw, GemmSpec, Target], GemmSpec]
_CHANGES: tuple[_Change, ...] = (
    GemmDraw._other_word,
    GemmDraw._other_word,
    GemmDraw._other_switch,
    GemmDraw._other_tile,
    GemmDraw._other_tile,
    GemmDraw._other_repeat,
    GemmDraw._other_waves,
    GemmDraw._other_warp_tile,
    GemmDraw._other_count,
)

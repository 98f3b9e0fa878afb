# SPDX-License-Identifier: MIT
"""Kernels drawn at random: legal ones, and ones that a single rule refuses."""

from __future__ import annotations

import random as randomness
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ckarch import ArchSpecs
from ckgen.core.errors import SpecError
from ckgen.core.rules import Purpose
from ckgen.core.target import Target
from ckgen.core.tile import Dim3
from ckgen.families import FAMILIES
from ckgen.gemm.choices import ALL_PADS
from ckgen.gemm.names import parse_name
from ckgen.gemm.rules import GEMM_RULES
from ckgen.gemm.spec import (
    MAX_DS,
    DLayout,
    Dtype,
    Epilogue,
    FusedOp,
    GemmSpec,
    Layout,
    Pipeline,
    Scheduler,
    SplitK,
    Variant,
)
from ckgen.product.dtypes import allowed_outputs, default_dtypes
from ckgen.product.geometry import warp_tiles_of, wave_layouts

from cksupport.kernels import Kernel

_Item = TypeVar("_Item")

_REPEATS = (1, 1, 2, 2, 3, 4)
_LARGEST = Dim3(128, 128, 128)
"""Of tiles: what is larger compiles for minutes and shows nothing new."""
_EXTENTS = (8, 16, 24, 32, 48, 64, 96, 128, 192, 256)
_OUT_OF_PLACE = ((32, 32, 4), (16, 16, 8), (16, 16, 64), (32, 32, 64), (8, 8, 16), (64, 64, 8))
_FAMILY = FAMILIES["gemm"]
_RULES = {rule.id: rule for rule in GEMM_RULES}
_MOST_DRAWS = 1_000_000
_DRAWS_OF_A_KIND = 200
_KERNELS_WITHOUT_A_NEW_RULE = 20


@dataclass(frozen=True)
class Sample(Kernel):
    """A kernel that was drawn, or named; ``rules`` are the ids of those that refuse it."""

    rules: tuple[str, ...] = ()

    @classmethod
    def judged(cls, gpu: str, spec: GemmSpec, arch: ArchSpecs) -> Sample:
        """With the rules that refuse it now."""
        return cls(gpu, spec, tuple(broken_rules(spec, Target.of(arch, gpu))))

    def may_be(self, right: bool) -> bool:
        """Whether that says nothing against the rules."""
        if not self.rules:
            return right
        return not right or all(_RULES[rule].purpose is not Purpose.RESULTS for rule in self.rules)

    def __str__(self) -> str:
        against = f" against {', '.join(self.rules)}" if self.rules else ""
        return f"{super().__str__()}{against}"

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {"gpu": self.gpu, "kernel": self.spec.name, "rules": list(self.rules)}


class Draw:
    """Kernels drawn by a seed: the same seed draws the same kernels."""

    def __init__(self, arch: ArchSpecs, seed: int, gpus: Sequence[str] = ()) -> None:
        self._arch = arch
        self._random = randomness.Random(seed)
        self._gpus = tuple(gpus) or arch.gpus

    def legal(self) -> Iterator[Sample]:
        """Legal kernels, without end and without repetition, of every variant as often."""
        seen = set()
        for _ in range(_MOST_DRAWS):
            target = Target.of(self._arch, self._one(self._gpus))
            variant = self._one(tuple(Variant))
            for _ in range(_DRAWS_OF_A_KIND):
                spec = self._spec(target, variant)
                if spec is None:
                    continue
                if max(spec.tile.m, spec.tile.n) <= _LARGEST.m and _FAMILY.is_legal(spec, target):
                    if (target.name, spec) not in seen:
                        seen.add((target.name, spec))
                        yield Sample(target.name, spec)
                    break

    def at_the_border(self) -> Iterator[Sample]:
        """Legal kernels with one field changed, which a single rule refuses for its results.

        What other rules refuse may be right, so trying it shows nothing. No rule is drawn a second
        time as long as others are found.
        """
        taken: Counter[str] = Counter()
        turn = since = 0
        for sample in self.legal():
            target = Target.of(self._arch, sample.gpu)
            for _ in range(len(GEMM_RULES)):
                spec = self._changed(sample.spec, target)
                broken = broken_rules(spec, target)
                if len(broken) != 1 or _RULES[broken[0]].purpose is not Purpose.RESULTS:
                    continue
                if taken[broken[0]] > turn or not _has_a_name(spec):
                    continue
                taken[broken[0]] += 1
                since = 0
                yield Sample(sample.gpu, spec, tuple(broken))
                break
            else:
                since += 1
                if since >= _KERNELS_WITHOUT_A_NEW_RULE:
                    turn, since = turn + 1, 0

    def _one(self, items: Sequence[_Item]) -> _Item:
        return self._random.choice(items)

    def _spec(self, target: Target, variant: Variant) -> GemmSpec | None:
        """Any kernel of a variant, legal or not; None if the GPU has nothing to build it of."""
        known = target.gpu.warp_tiles
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
            variant=variant, dtype_a=a, dtype_b=b, dtype_c=c, dtype_acc=accumulator,
            layout=Layout.RCR if preshuffle else self._one(tuple(Layout)),
            tile=Dim3(1, 1, 1), waves=self._one(wave_layouts(pipeline, target)),
            warp_tile=Dim3(1, 1, 1),
            pipeline=pipeline,
            epilogue=self._one(tuple(Epilogue)),
            scheduler=Scheduler.DEFAULT if preshuffle else self._one(tuple(Scheduler)),
            pad_m=pad_m, pad_n=pad_n, pad_k=pad_k, persistent=self._random.random() < 0.2,
            split_k=self._one(tuple(SplitK)) if parts else SplitK.NONE,
            fused_op=fused, d_count=d_count,
            dtype_d=self._one((c, c, *Dtype)) if d_count else c,
            d_layout=self._one(tuple(DLayout)) if d_count else DLayout.ROWS,
        )  # fmt: skip
        tiles = warp_tiles_of(unshaped, target)
        if not tiles:
            return None
        spec = replace(unshaped, warp_tile=Dim3(*self._one(tiles)))
        repeats = Dim3(self._one(_REPEATS), self._one(_REPEATS), self._one(_REPEATS))
        return replace(spec, tile=spec.tiling.coverage * repeats)

    def _changed(self, spec: GemmSpec, target: Target) -> GemmSpec:
        return self._one(_CHANGES)(self, spec, target)

    def _other_word(self, spec: GemmSpec, target: Target) -> GemmSpec:
        names = ("layout", "pipeline", "epilogue", "scheduler", "split_k", "variant", "d_layout",
                 "fused_op", "dtype_c", "dtype_b", "dtype_d", "dtype_acc")  # fmt: skip
        name = self._one(names)
        return _replaced(spec, name, self._one(list(type(getattr(spec, name)))))

    def _other_switch(self, spec: GemmSpec, target: Target) -> GemmSpec:
        name = self._one(("pad_m", "pad_n", "pad_k", "persistent"))
        return _replaced(spec, name, not getattr(spec, name))

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


_Change = Callable[[Draw, GemmSpec, Target], GemmSpec]
_CHANGES: tuple[_Change, ...] = (
    Draw._other_word,
    Draw._other_word,
    Draw._other_switch,
    Draw._other_tile,
    Draw._other_tile,
    Draw._other_repeat,
    Draw._other_waves,
    Draw._other_warp_tile,
    Draw._other_count,
)


def _replaced(spec: GemmSpec, name: str, value: Any) -> GemmSpec:
    changes: dict[str, Any] = {name: value}
    return replace(spec, **changes)


def broken_rules(spec: GemmSpec, target: Target) -> list[str]:
    """The ids of all rules that refuse ``spec``."""
    return [finding.rule.id for finding in _FAMILY.judge(spec, target).violations]


def _has_a_name(spec: GemmSpec) -> bool:
    """Whether its name says all of it: a rule about what cannot be said cannot be tried."""
    try:
        return parse_name(spec.name) == spec
    except SpecError:
        return False

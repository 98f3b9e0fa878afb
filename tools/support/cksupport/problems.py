# SPDX-License-Identifier: MIT
"""The problems that a kernel is tried on: every loop variant, remainders, and gaps between rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm

from ckgen.core.target import Target
from ckgen.gemm.geometry import load_grids, store_vector
from ckgen.gemm.pipelines import prefetch_stages
from ckgen.gemm.spec import GemmSpec, Pipeline

_LOOPS = 5
"""Turns of the main loop after which no pipeline but mem begins anything new."""


@dataclass(frozen=True)
class Problem:
    """Sizes, and how many elements lie between the rows (or columns) of A, B and C."""

    m: int
    n: int
    k: int
    gap_a: int = 0
    gap_b: int = 0
    gap_c: int = 0

    def __str__(self) -> str:
        gaps = (self.gap_a, self.gap_b, self.gap_c)
        apart = f" gaps {'/'.join(str(gap) for gap in gaps)}" if any(gaps) else ""
        return f"{self.m}x{self.n}x{self.k}{apart}"


@dataclass(frozen=True)
class Steps:
    """What sizes and gaps must be multiples of, because elements are moved in vectors."""

    m: int
    n: int
    k: int
    a: int
    b: int
    c: int

    @classmethod
    def of(cls, spec: GemmSpec, target: Target) -> Steps:
        grids = load_grids(spec, target)
        a, b = (min(grid.vector, grid.columns) for grid in grids)
        c, layout = store_vector(spec, target), spec.layout
        return cls(
            m=1 if layout.a_by_rows else a,
            n=lcm(c, b) if layout.b_by_rows else c,
            k=lcm(a if layout.a_by_rows else 1, 1 if layout.b_by_rows else b),
            a=a,
            b=b,
            c=c,
        )


def problems(spec: GemmSpec, target: Target) -> tuple[Problem, ...]:
    """One for each number of turns of the main loop, until every loop variant and tail has run.

    Where an extent is padded its size has a remainder, now more and now less than a tile; where it
    is not, it has one or two tiles. Every other problem has gaps between the rows.
    """
    steps = Steps.of(spec, target)
    found = []
    for turns in range(_first_turns(spec), _last_turns(spec, target) + 1):
        odd = turns % 2 == 1
        k = turns * spec.tile.k
        found.append(
            Problem(
                m=_extent(spec.tile.m, spec.pad_m, steps.m, odd),
                n=_extent(spec.tile.n, spec.pad_n, steps.n, turns % 4 < 2),
                # The remainder belongs to the last turn, so that the number of turns stays.
                k=_shorter(k, spec.tile.k, steps.k) if spec.pad_k else k,
                gap_a=steps.a * turns if odd else 0,
                gap_b=steps.b * (turns + 1) if odd else 0,
                gap_c=steps.c if odd else 0,
            )
        )
    return tuple(found)


def _first_turns(spec: GemmSpec) -> int:
    # compv6 reads ahead of a single turn, and only padding keeps that within the row.
    return 2 if spec.pipeline is Pipeline.COMPV6 and not spec.pad_k else 1


def _last_turns(spec: GemmSpec, target: Target) -> int:
    return max(_LOOPS, 2 * prefetch_stages(spec, target.arch))


def _extent(tile: int, padded: bool, step: int, longer: bool) -> int:
    if not padded:
        return 2 * tile if longer else tile
    return tile + _remainder(tile, step) if longer else _shorter(tile, tile, step)


def _shorter(extent: int, tile: int, step: int) -> int:
    rest = _remainder(tile, step)
    return extent - tile + rest


def _remainder(tile: int, step: int) -> int:
    """About a third of a tile, a multiple of ``step``, of an odd one if possible."""
    steps = max(1, tile // 3 // step)
    return min(step * (steps | 1), tile)

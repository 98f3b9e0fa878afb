# SPDX-License-Identifier: MIT
"""The problems that a kernel is tried on: every loop variant, remainders, and gaps between rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm

from ckgen.core.target import Target
from ckgen.gemm.spec import DLayout, GemmSpec, Variant
from ckgen.product.geometry import load_grids, store_vector
from ckgen.product.spec import SplitK

from cksupport.operands import PACKED, Spacing
from cksupport.product.sizes import first_turns, last_turns, remainder

_GROUPS = 3
_SEVERAL_TILES = 2
_MANY_TILES = 5
"""Along m and n, beyond the usual. One multiprocessor holds 8 workgroups of four waves, fewer than
the 9 tiles that this makes at least, and 32 of two."""
ALIGNED = 32
"""Elements that are a multiple of 16 bytes in every dtype, as addresses of a run should be."""


@dataclass(frozen=True)
class Problem:
    """Sizes, and how the operands lie in memory.

    ``parts`` of K are computed apart. ``repeated_ds`` says of each D tensor whether it is one row
    (or column) for all, and ``shares_b`` whether the batch has one B.
    """

    m: int
    n: int
    k: int
    a: Spacing = PACKED
    b: Spacing = PACKED
    c: Spacing = PACKED
    d: Spacing = PACKED
    batch: int = 1
    shares_b: bool = False
    parts: int = 1
    repeated_ds: tuple[bool, ...] = ()

    @property
    def text(self) -> str:
        """It in words."""
        spacings = [self.a, self.b, self.c, *([self.d] if self.repeated_ds else [])]
        words = [f"{self.m}x{self.n}x{self.k}"]
        for word, name in (("gaps", "gap"), ("batch gaps", "batch_gap"), ("shifts", "shift")):
            numbers = [getattr(one, name) for one in spacings]
            if any(numbers):
                words.append(f"{word} {'/'.join(str(number) for number in numbers)}")
        if self.batch > 1:
            words.append(f"batch {self.batch}{' of one B' if self.shares_b else ''}")
        if self.parts > 1:
            words.append(f"parts {self.parts}")
        if any(self.repeated_ds):
            which = ", ".join(str(i) for i, repeated in enumerate(self.repeated_ds) if repeated)
            words.append(f"one line of D {which}")
        return " ".join(words)


Launch = tuple[Problem, ...]
"""What is computed at once: one product, or several by a grouped kernel."""


@dataclass(frozen=True)
class Steps:
    """What sizes and gaps must be multiples of, because elements are moved in vectors."""

    m: int
    n: int
    k: int
    a: int
    b: int
    c: int
    d: int

    @classmethod
    def of(cls, spec: GemmSpec, target: Target) -> Steps:
        a, *plain_b = (min(grid.vector, grid.columns) for grid in load_grids(spec, target))
        c, layout = store_vector(spec, target), spec.layout
        d = store_vector(spec, target, of=spec.dtype_d) if spec.d_layout is DLayout.ROWS else 1
        if plain_b:
            (b,) = plain_b
            b_n, b_k = (b, 1) if layout.b_by_rows else (1, b)
        else:
            b = 0  # preshuffled weights have no rows that could be apart
            b_n, b_k = spec.warp_tile.n, spec.tile.k
        return cls(
            m=1 if layout.a_by_rows else a,
            n=lcm(c, b_n, d if spec.d_count else 1),
            k=lcm(a if layout.a_by_rows else 1, b_k),
            a=a,
            b=b,
            c=c,
            d=d,
        )


def launches(spec: GemmSpec, target: Target) -> tuple[Launch, ...]:
    """One for each number of turns of the main loop, until every loop variant and tail has run.

    Where an extent is padded its size has a remainder, now more and now less than a tile; where it
    is not, it has one or two tiles. Every other problem has gaps between the rows. A persistent
    kernel has so many tiles that a workgroup computes several if it runs on one multiprocessor.
    """
    steps = Steps.of(spec, target)
    turns = range(first_turns(spec), last_turns(spec, target) + 1)
    if spec.variant is not Variant.GROUPED:
        return tuple((_problem(spec, steps, one),) for one in turns)
    together = (range(one, one + _GROUPS) for one in turns[:: _GROUPS - 1])
    return tuple(tuple(_problem(spec, steps, one) for one in group) for group in together)


def _problem(spec: GemmSpec, steps: Steps, turns: int) -> Problem:
    odd = turns % 2 == 1
    parts = 1
    if spec.split_k is not SplitK.NONE and spec.variant is not Variant.STREAM_K:
        parts = 2 if odd else 3
    batch = 1
    if spec.variant is Variant.BATCHED:
        batch = 2 if odd else 3
    k = parts * turns * spec.tile.k
    between = 1 if batch > 1 and odd else 0
    more = 0
    if spec.persistent:
        more = _MANY_TILES if turns == first_turns(spec) else _SEVERAL_TILES
    return Problem(
        m=more * spec.tile.m + _extent(spec.tile.m, spec.pad_m, steps.m, odd),
        n=more * spec.tile.n + _extent(spec.tile.n, spec.pad_n, steps.n, turns % 4 < 2),
        # The remainder belongs to the last turn, so that the number of turns stays.
        k=_shorter(k, spec.tile.k, steps.k) if spec.pad_k else k,
        a=Spacing(steps.a * turns if odd else 0, steps.a * between),
        b=Spacing(steps.b * (turns + 1) if odd else 0, steps.b * between),
        c=Spacing(steps.c if odd else 0, steps.c * between),
        d=Spacing(steps.d if odd else 0),
        batch=batch,
        shares_b=batch > 1 and turns % 4 == 2,
        parts=parts,
        # Each of them is repeated in every third problem, and none or all in others.
        repeated_ds=tuple((turns + i) % 3 == 0 for i in range(spec.d_count)),
    )


def _extent(tile: int, padded: bool, step: int, longer: bool) -> int:
    if not padded:
        return 2 * tile if longer else tile
    return tile + remainder(tile, step) if longer else _shorter(tile, tile, step)


def _shorter(extent: int, tile: int, step: int) -> int:
    rest = remainder(tile, step)
    return extent - tile + rest

# SPDX-License-Identifier: MIT
"""Random problems for a kernel: some that it must take, and some that it may only refuse."""

from __future__ import annotations

import random as randomness
from collections.abc import Callable
from dataclasses import dataclass, replace

from ckgen.core.target import Target
from ckgen.gemm.spec import GemmSpec, Variant
from ckgen.product.spec import SplitK
from cksupport.gemm.problems import ALIGNED, Launch, Problem, Steps
from cksupport.operands import Spacing
from cksupport.product.sizes import first_turns, last_turns

_MOST_PRODUCTS = 4
_MOST_PARTS = 6
_ODD = 0.4
"""How often a problem gets something that the kernel may not be made for."""


@dataclass(frozen=True)
class Fuzzed:
    """One launch, and whether the kernel has to take it."""

    launch: Launch
    fits: bool


class Fuzz:
    """Problems for one kernel, decided by a seed."""

    def __init__(self, spec: GemmSpec, target: Target, seed: int) -> None:
        self._spec = spec
        self._steps = Steps.of(spec, target)
        self._turns = range(first_turns(spec), last_turns(spec, target) + 1)
        self._pack = target.arch.dtype(spec.dtype_a).pack
        self._random = randomness.Random(f"{seed} {target.name} {spec.name}")

    def next(self) -> Fuzzed:
        """Another problem, or several for a grouped kernel."""
        count = self._up_to(_MOST_PRODUCTS) if self._spec.variant is Variant.GROUPED else 1
        problems = [self._fitting() for _ in range(count)]
        # Whether K can be divided is for the kernel to say.
        fits = all(problem.parts == 1 for problem in problems)
        while self._random.random() < _ODD:
            fits = False
            which = self._random.randrange(count)
            changed = self._random.choice(_CHANGES)(self, problems[which])
            problems[which] = replace(changed, parts=min(changed.parts, changed.k))
        return Fuzzed(tuple(problems), fits)

    def _up_to(self, most: int) -> int:
        return self._random.randint(1, most)

    def _fitting(self) -> Problem:
        spec, steps = self._spec, self._steps
        turns = self._random.choice(self._turns)
        parts = batch = 1
        if spec.split_k is not SplitK.NONE and spec.variant is not Variant.STREAM_K:
            parts = self._random.randint(2, _MOST_PARTS)
        if spec.variant is Variant.BATCHED:
            batch = self._up_to(_MOST_PRODUCTS)
        k = parts * turns * spec.tile.k
        return Problem(
            m=self._extent(spec.tile.m, spec.pad_m, steps.m),
            n=self._extent(spec.tile.n, spec.pad_n, steps.n),
            k=k - self._up_to(spec.tile.k // steps.k) * steps.k + steps.k if spec.pad_k else k,
            a=self._spacing(steps.a, batch),
            b=self._spacing(steps.b, batch),
            c=self._spacing(steps.c, batch),
            d=self._spacing(steps.d, 1),
            batch=batch,
            shares_b=batch > 1 and self._random.random() < 0.3,
            parts=parts,
            repeated_ds=tuple(self._random.random() < 0.4 for _ in range(spec.d_count)),
        )

    def _extent(self, tile: int, padded: bool, step: int) -> int:
        most = 2 * tile
        return self._up_to(most // step) * step if padded else self._up_to(2) * tile

    def _spacing(self, step: int, batch: int) -> Spacing:
        gap = step * self._random.choice((0, 0, 1, self._up_to(9)))
        between = step * self._random.choice((0, 1, 2)) if batch > 1 else 0
        return Spacing(gap, between, ALIGNED * self._random.choice((0, 0, 1)))

    def _other_size(self, problem: Problem) -> Problem:
        sizes = [problem.m, problem.n, problem.k]
        axis = self._random.randrange(3)
        near = sizes[axis] + self._random.choice((-1, 1)) * self._up_to(9)
        sizes[axis] = max(1, self._random.choice((near, self._up_to(2 * self._spec.tile[axis]))))
        return replace(problem, m=sizes[0], n=sizes[1], k=sizes[2])

    def _other_spacing(self, problem: Problem) -> Problem:
        change: dict[str, Spacing] = {}
        name = self._random.choice("abcd")
        spacing = getattr(problem, name)
        odd = self._up_to(17)
        # No address begins within a byte.
        odds = self._random.choice(({"gap": odd}, {"shift": odd * self._pack}))
        change[name] = replace(spacing, **odds)
        return replace(problem, **change)  # type: ignore[arg-type]  # fields by their names

    def _other_parts(self, problem: Problem) -> Problem:
        alone = self._spec.variant is Variant.STANDARD
        return replace(problem, parts=self._up_to(_MOST_PARTS)) if alone else problem

    def _other_batch(self, problem: Problem) -> Problem:
        """Of a kernel that knows none: one launch for each."""
        alone = self._spec.variant is Variant.STANDARD
        return replace(problem, batch=self._up_to(3), shares_b=False) if alone else problem


_Change = Callable[[Fuzz, Problem], Problem]
_CHANGES: tuple[_Change, ...] = (
    Fuzz._other_size,
    Fuzz._other_size,
    Fuzz._other_spacing,
    Fuzz._other_spacing,
    Fuzz._other_parts,
    Fuzz._other_batch,
)

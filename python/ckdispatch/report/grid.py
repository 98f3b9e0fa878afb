# SPDX-License-Identifier: MIT
"""Maps: problems of two sizes, a third one for each map. A family whose problems have such sizes has a module ``grids``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ckdispatch.problem import Problem


@dataclass(frozen=True)
class Axis:
    """A size of problems, and what it is on a map."""

    name: str
    values: tuple[int, ...]


@dataclass(frozen=True)
class Grid:
    """Problems that the same kernels may compute: ``problem`` makes one of a value of each axis, down, across, each."""

    title: str
    down: Axis
    across: Axis
    each: Axis
    problem: Callable[[int, int, int], Problem]

    def __len__(self) -> int:
        return len(self.each.values) * len(self.down.values) * len(self.across.values)

# SPDX-License-Identifier: MIT
"""Maps: problems of two sizes, a third one for each map. A family whose problems have such sizes
has a module ``grids``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from ckdispatch.problem import Problem


@dataclass(frozen=True)
class Axis:
    """A size of problems, and what it is on a map."""

    name: str
    values: tuple[int, ...]

    def thinner(self) -> Axis:
        """Every second value, with the first and, if their number is odd, the last."""
        return Axis(self.name, self.values[::2])


@dataclass(frozen=True)
class Grid:
    """Problems that the same kernels may compute: ``problem`` makes one of a value of each axis,
    down, across, each.
    """

    title: str
    down: Axis
    across: Axis
    each: Axis
    problem: Callable[[int, int, int], Problem]
    words: Mapping[str, str] = field(default_factory=dict)
    """What all kernels that compute them have in common, in words of a registry."""

    def __len__(self) -> int:
        return len(self.each.values) * len(self.down.values) * len(self.across.values)

    def thinner(self) -> Grid:
        """With fewer sizes."""
        return replace(
            self, down=self.down.thinner(), across=self.across.thinner(), each=self.each.thinner()
        )

# SPDX-License-Identifier: MIT
"""Problems with the time of each way to compute them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import median

Way = tuple[str, int]
"""A kernel, and the parts of the sum that it is asked to make."""


@dataclass(frozen=True)
class Case:
    """A problem; ``measured`` has microseconds, of at least one way.

    ``complete`` says that all ways were measured that there are to choose from, so that picks can
    be judged.
    """

    name: str
    measured: Mapping[Way, float]
    complete: bool = True

    @cached_property
    def best(self) -> float:
        """What the fastest took."""
        return min(self.measured.values())

    def efficiency(self, way: Way) -> float | None:
        """The best time over that of a way, in per cent; None if that was not measured."""
        time = self.measured.get(way)
        return None if time is None else 100.0 * self.best / time

    def faster(self, way: Way) -> int:
        """How many ways took less time."""
        return sum(time < self.measured[way] for time in self.measured.values())


def case_of(name: str, times: Iterable[tuple[Way, float]], *, complete: bool = True) -> Case:
    """A case of times; of a way that was measured several times it is the median."""
    found: dict[Way, list[float]] = {}
    for way, time in times:
        found.setdefault(way, []).append(time)
    return Case(name, {way: median(several) for way, several in found.items()}, complete)

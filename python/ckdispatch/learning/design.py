# SPDX-License-Identifier: MIT
"""Measured times beside what the cost model sees of the same launches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ckdispatch.errors import InvalidArgument, NoKernel, Unsupported
from ckdispatch.evaluation.measured import Measured
from ckdispatch.families import FAMILIES
from ckdispatch.judging.cases import Way
from ckdispatch.registry import Registry
from ckdispatch.selection import Costs, Selection

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Design:
    """A row for each measured time: its case, its way, and what the model is told of it. Names are
    those of columns.
    """

    terms: tuple[str, ...]
    features: tuple[str, ...]
    cases: tuple[int, ...]
    """The place of each row's case in the measurements."""
    groups: tuple[str, ...]
    """What each row's problem belongs to: rows of one group are never on two sides of a split."""
    ways: tuple[Way, ...]
    term_rows: Numbers
    feature_rows: Numbers
    microseconds: Numbers
    unknown: int
    """Times of kernels that refuse the problem, or are not there: they have no row."""


class Designer:
    """What the cost model sees of measurements, with any constants."""

    def __init__(
        self, measured: Measured, registry: Registry, tell: Callable[[], None] = lambda: None
    ) -> None:
        self.measured = measured
        families = {problem.family for problem in measured.problems}
        if len(families) != 1:
            given = ", ".join(sorted(families)) or "no family"
            raise InvalidArgument(f"measurements of {given} were given; a fit is of one family")
        (self.family,) = families
        self._selection = Selection(registry, measured.gpu)
        self._tell = tell

    def design(self, constants: Mapping[str, float] | None = None) -> Design:
        """With constants of one's own, or those of the dispatcher."""
        names: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
        if constants is not None:
            terms = self._any_costs().terms
            self._selection.use_constants(self.family, [constants[term] for term in terms])
        cases, groups, ways, term_rows, feature_rows, times = [], [], [], [], [], []
        unknown = 0
        for place, (case, problem) in enumerate(
            zip(self.measured.cases, self.measured.problems, strict=True)
        ):
            try:
                costs = self._selection.costs(problem)
            except (InvalidArgument, NoKernel, Unsupported):
                unknown += len(case.measured)
                continue
            names = costs.terms, costs.features
            seen = {(one.kernel, one.parts): one for one in costs.fit}
            for way, time in case.measured.items():
                if way not in seen:
                    unknown += 1
                    continue
                cases.append(place)
                groups.append(FAMILIES[self.family].group_of(problem))
                ways.append(way)
                term_rows.append(seen[way].terms)
                feature_rows.append(seen[way].features)
                times.append(time)
            self._tell()
        if not times:
            raise InvalidArgument(
                f"no row of the measurements {self.measured.table.path} is of a kernel that "
                "computes its problem"
            )
        return Design(
            *names,
            tuple(cases),
            tuple(groups),
            tuple(ways),
            _rows(term_rows),
            _rows(feature_rows),
            _rows(times),
            unknown,
        )

    def _any_costs(self) -> Costs:
        for problem in self.measured.problems:
            try:
                return self._selection.costs(problem)
            except (InvalidArgument, NoKernel, Unsupported):
                continue
        raise InvalidArgument(
            f"no problem of the measurements {self.measured.table.path} has a kernel"
        )


def _rows(values: Sequence[object]) -> Numbers:
    return np.asarray(values, dtype=np.float64)

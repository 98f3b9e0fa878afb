# SPDX-License-Identifier: MIT
"""Layers: problems of lists and of tables of measurements, with the kernel that should be, or was,
the fastest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ckdispatch.errors import InvalidArgument
from ckdispatch.families import FAMILIES
from ckdispatch.problem_lists import lists

if TYPE_CHECKING:
    from ckdispatch.measurements.row import Row
    from ckdispatch.measurements.table import Table
    from ckdispatch.problem import Problem
    from ckdispatch.report.times import Picked, Predictor


@dataclass(frozen=True)
class Timed:
    """The least time of a table for a problem. ``provenance`` says where it is known from;
    ``kernel`` may be empty.
    """

    kernel: str
    microseconds: float
    provenance: str


@dataclass(frozen=True)
class Layer:
    """A problem on a GPU: which list it is of, what that calls it, what is predicted and what was
    timed.
    """

    list: str
    name: str
    gpu: str
    problem: Problem
    picked: Picked | None = None
    timed: Timed | None = None

    def picked_by(self, predictor: Predictor, steps: Callable[[], None] = lambda: None) -> Layer:
        """With what is predicted."""
        picked = predictor.pick(self.problem, self.gpu)
        steps()
        return replace(self, picked=picked)


def of_lists(
    names: Sequence[str], gpus: Sequence[str], dtypes: Callable[[str], Sequence[str]]
) -> Iterator[Layer]:
    """The problems of some lists for every GPU, in each dtype that kernels of the family have;
    ``dtypes`` tells them.
    """
    for listed in map(lists.load, names):
        for gpu in gpus:
            for dtype in dtypes(listed.family):
                yield from (
                    Layer(listed.name, ", ".join(one.layers), gpu, one.problem)
                    for one in _problems(listed, dtype)
                )


def usual(families: Sequence[str]) -> tuple[str, ...]:
    """The lists of families whose problems are on no map."""
    mapless = [name for name in families if not FAMILIES[name].has_grids]
    return tuple(
        name
        for name in lists.names()
        if lists.load(name).family in mapless and not name.startswith("random")
    )


def of_table(table: Table, predictor: Predictor | None, gpus: Sequence[str]) -> Iterator[Layer]:
    """The problems of a table: the best of their times, and what is predicted. Rows that do not say
    their GPU are of the only one.
    """
    from ckdispatch.measurements.table import problem_of

    found: dict[tuple[str, str, str], Row] = {}
    for row in table.rows:
        gpu = row.gpu or (gpus[0] if len(gpus) == 1 else "")
        if row.checked is False or gpu not in gpus:
            continue
        key = gpu, row.family, row.problem
        if key not in found or row.microseconds < found[key].microseconds:
            found[key] = row
    if not found:
        raise InvalidArgument(
            f"the measurements {table.path} have no row of {' or '.join(gpus)}, "
            "which the kernels are for"
        )
    for (gpu, family, text), row in found.items():
        timed = Timed(row.kernel, row.microseconds, row.provenance)
        layer = Layer(Path(table.path).name, row.case, gpu, problem_of(family, text), timed=timed)
        yield layer if predictor is None else layer.picked_by(predictor)


def _problems(listed: lists.ProblemList, dtype: str) -> Sequence[lists.Listed]:
    try:
        return listed.problems((), (dtype,))
    except InvalidArgument:  # a list that says the dtype itself
        return listed.problems()

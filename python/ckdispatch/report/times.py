# SPDX-License-Identifier: MIT
"""Which kernel should be the fastest for a problem, by how much, and how well that is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ckdispatch.errors import CkDispatchError, Code, InvalidArgument
from ckdispatch.families import FAMILIES
from ckdispatch.wording import several

if TYPE_CHECKING:
    from ckdispatch.problem import Problem
    from ckdispatch.registry import Registry
    from ckdispatch.report.grid import Grid
    from ckdispatch.selection import Candidate, Ranking


@dataclass(frozen=True)
class Picked:
    """The best kernel for a problem and the next one, by predicted times. ``bytes`` are those of each tensor once."""

    problem: str
    flops: float
    bytes: float
    first: Candidate
    second: Candidate | None
    """Of another kernel."""


@dataclass(frozen=True)
class Map:
    """Who wins on a grid: a pick, or None where no kernel fits, for each value of ``each``, of ``down`` and of ``across``."""

    gpu: str
    family: str
    grid: Grid
    picks: tuple[Picked | None, ...]


class Predictor:
    """Ranks the kernels of a registry, and remembers in sentences what the times are from."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self._sources: dict[str, None] = {}
        self._closed: dict[str, str] = {}
        """Kernels whose libraries cannot be opened, with the reasons."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """A sentence for each thing that predicted times, in the order in which it was first asked; and what could not be asked."""
        told = tuple(self._sources)
        if self._closed:
            reason = next(iter(self._closed.values())).rstrip(".")
            told += (f"{several(len(self._closed), 'kernel')} could not be opened and {'has' if len(self._closed) == 1 else 'have'} no times; the first: {reason}.",)
        return told

    def grids(self) -> list[tuple[str, str, Grid]]:
        """The maps of every family, for every GPU."""
        found = []
        for gpu in self.registry.gpus:
            for name, family in FAMILIES.items():
                specs = [one.spec for one in self.registry.filter(family=name, gpu=gpu)] if family.has_grids else []
                found += [(gpu, name, grid) for grid in family.grids(specs, gpu)]
        return found

    def map(self, gpu: str, family: str, grid: Grid, steps: Callable[[], None] = lambda: None) -> Map:
        """Who wins on a grid."""
        problems = [
            grid.problem(down, across, each)
            for each in grid.each.values
            for down in grid.down.values
            for across in grid.across.values
        ]
        among = self._able([problems[at] for at in (0, len(problems) // 2, -1)], gpu)
        picks = []
        for problem in problems:
            picks.append(self.pick(problem, gpu, among) if among is not None else None)
            steps()
        return Map(gpu, family, grid, tuple(picks))

    def pick(self, problem: Problem, gpu: str, among: Registry | None = None) -> Picked | None:
        """The best kernel for a problem, or None if no kernel takes it as it is."""
        registry = self.registry if among is None else among
        try:
            ranking = registry.rank(problem, gpu=gpu)
        except InvalidArgument:  # a problem that no kernel of any set could have
            return None
        self._closed.update({one.kernel: one.reason for one in ranking.refused if one.code in _CLOSED})
        return self._picked(problem, ranking, registry)

    def _able(self, problems: Sequence[Problem], gpu: str) -> Registry | None:
        """Those that take any of some problems; most kernels of a large registry take none of their kind, whatever its sizes."""
        able = {one.kernel for problem in problems for one in self.registry.rank(problem, gpu=gpu).fit}
        return self.registry.filter(predicate=lambda kernel: kernel.name in able) if able else None

    def _picked(self, problem: Problem, ranking: Ranking, registry: Registry) -> Picked | None:
        first = ranking.best
        if first is None:
            return None
        self._sources.update(dict.fromkeys(_sources(ranking)))
        second = next((one for one in ranking.fit if one.kernel != first.kernel), None)
        spec = registry[first.kernel].spec
        return Picked(problem.text, problem.flops, _bytes(problem, spec), first, second)


_CLOSED = (Code.NOT_FOUND, Code.ABI_MISMATCH, Code.DAMAGED, Code.IO_FAILED)
"""Refusals that are the library's and not the problem's."""


def _bytes(problem: Problem, spec: Mapping[str, Any]) -> float:
    from ckarch import load_specs

    known = load_specs()
    try:
        sizes = [known.dtype(name).bytes for name in problem.dtypes(spec)]
    except (CkDispatchError, KeyError):
        return 0.0
    return sum(span * size for span, size in zip(problem.spans(), sizes, strict=False))


def _sources(ranking: Ranking) -> Sequence[str]:
    """What the times of a ranking are from, in sentences."""
    bases = {one.basis for one in ranking.fit}
    told = []
    if "cost_model" in bases:
        costs = ranking.costs
        on = f"on {costs.gpu}, " if costs.carried_over else ""
        carried = f"carried over from {costs.family} " if costs.carried_over else ""
        told.append(f"Times on {ranking.gpu} are predicted by the cost model, with constants {carried}fitted {on}on {costs.source}.")
    if bases - {"cost_model"}:
        tables = [table["name"] for model in ranking.models for table in model["manifest"].get("tables", ())]
        by = ", ".join(dict.fromkeys(tables)) or "a table without a name"
        told.append(f"Times on {ranking.gpu} are predicted by a cost model that a model trained on {by} corrects.")
    return told

# SPDX-License-Identifier: MIT
"""Which kernel should be the fastest for a problem, by how much, and how well that is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ckdispatch.config.values import arch_specs
from ckdispatch.errors import CkDispatchError, Code, InvalidArgument, NoKernel, Unsupported
from ckdispatch.families import FAMILIES
from ckdispatch.selection import Candidate
from ckdispatch.wording import several

if TYPE_CHECKING:
    from ckdispatch.problem import Problem
    from ckdispatch.registry import Registry
    from ckdispatch.report.grid import Grid
    from ckdispatch.selection import Ranking

MOST_PROBLEMS = 30_000
"""Of maps with all of their sizes. It takes a second to predict the times of some 2,000."""


@dataclass(frozen=True)
class Picked:
    """The best kernel for a problem and the next one, by predicted times. ``bytes`` are those of
    each tensor once.
    """

    problem: str
    flops: float
    bytes: float
    first: Candidate
    second: Candidate | None
    """Of another kernel."""


@dataclass(frozen=True)
class Map:
    """Who wins on a grid: a pick, or None where no kernel fits, for each value of ``each``, of
    ``down`` and of ``across``.
    """

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
        """A sentence for each thing that predicted times, in the order in which it was first asked;
        and what could not be asked.
        """
        told = tuple(self._sources)
        if self._closed:
            reason = next(iter(self._closed.values())).rstrip(".")
            told += (
                (
                    f"{several(len(self._closed), 'kernel')} could not be opened and "
                    f"{'has' if len(self._closed) == 1 else 'have'} no times; the first: {reason}."
                ),
            )
        return told

    def grids(self) -> list[tuple[str, str, Grid]]:
        """The maps of every family, for every GPU; all of them with fewer sizes if there are very
        many problems.
        """
        found = []
        for gpu in self.registry.gpus:
            for name, family in FAMILIES.items():
                specs = (
                    [one.spec for one in self.registry.filter(family=name, gpu=gpu)]
                    if family.has_grids
                    else []
                )
                found += [(gpu, name, grid) for grid in family.grids(specs, gpu)]
        if sum(len(grid) for _, _, grid in found) > MOST_PROBLEMS:
            self._sources[
                f"There are {len(found)} maps, so each has every second of its sizes."
            ] = None
            found = [(gpu, name, grid.thinner()) for gpu, name, grid in found]
        return found

    def map(
        self, gpu: str, family: str, grid: Grid, steps: Callable[[], None] = lambda: None
    ) -> Map:
        """Who wins on a grid."""
        problems = [
            grid.problem(down, across, each)
            for each in grid.each.values
            for down in grid.down.values
            for across in grid.across.values
        ]
        among = self.registry.filter(predicate=None, family=family, gpu=gpu, **grid.words)
        probes = [among.rank(problems[at], gpu=gpu) for at in (0, len(problems) // 2, -1)]
        self._sources.update(
            dict.fromkeys(source for ranking in probes for source in _sources(ranking))
        )
        self._closed.update(
            {
                one.kernel: one.reason
                for ranking in probes
                for one in ranking.refused
                if one.code in _CLOSED
            }
        )
        # Where a model is in use, it is told of each problem whether the model knows its like.
        quick = None if any(ranking.models for ranking in probes) else _Quick(among, gpu)
        picks = []
        for problem in problems:
            picks.append(self.pick(problem, gpu, among) if quick is None else quick.pick(problem))
            steps()
        return Map(gpu, family, grid, tuple(picks))

    def pick(self, problem: Problem, gpu: str, among: Registry | None = None) -> Picked | None:
        """The best kernel for a problem, or None if no kernel takes it as it is."""
        registry = self.registry if among is None else among
        try:
            ranking = registry.rank(problem, gpu=gpu)
        except InvalidArgument:  # a problem that no kernel of any set could have
            return None
        self._closed.update(
            {one.kernel: one.reason for one in ranking.refused if one.code in _CLOSED}
        )
        return self._picked(problem, ranking, registry)

    def _picked(self, problem: Problem, ranking: Ranking, registry: Registry) -> Picked | None:
        first = ranking.best
        if first is None:
            return None
        self._sources.update(dict.fromkeys(_sources(ranking)))
        second = next((one for one in ranking.fit if one.kernel != first.kernel), None)
        spec = registry[first.kernel].spec
        return Picked(problem.text, problem.flops, _bytes(problem, spec), first, second)


class _Quick:
    """The cost model's choice and the next one, by selecting twice: ranking tells more, and takes
    ten times as long.
    """

    def __init__(self, registry: Registry, gpu: str) -> None:
        self._registry = registry
        self._gpu = gpu
        self._specs = {kernel.name: kernel.spec for kernel in registry}
        self._without: dict[str, Registry] = {}

    def pick(self, problem: Problem) -> Picked | None:
        first = self._best(self._registry, problem)
        if first is None:
            return None
        name = first.kernel
        if name not in self._without:
            self._without[name] = self._registry.filter()
            self._without[name].remove(name)
        second = self._best(self._without[name], problem)
        return Picked(
            problem.text, problem.flops, _bytes(problem, self._specs[name]), first, second
        )

    def _best(self, registry: Registry, problem: Problem) -> Candidate | None:
        try:
            plan = registry.select(problem, gpu=self._gpu)
        except (InvalidArgument, NoKernel, Unsupported):
            return None
        return (
            Candidate(plan.kernel, plan.predicted_microseconds, "cost_model", plan.parts, 0)
            if len(plan.kernels) == 1
            else None
        )


_CLOSED = (Code.NOT_FOUND, Code.ABI_MISMATCH, Code.DAMAGED, Code.IO_FAILED)
"""Refusals that are the library's and not the problem's."""


def _bytes(problem: Problem, spec: Mapping[str, Any]) -> float:
    known = arch_specs()
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
        told.append(
            f"Times on {ranking.gpu} are predicted by the cost model, with constants "
            f"{carried}fitted {on}on {costs.source}."
        )
    if bases - {"cost_model"}:
        tables = [
            table["name"]
            for model in ranking.models
            for table in model["manifest"].get("tables", ())
        ]
        by = ", ".join(dict.fromkeys(tables)) or "a table without a name"
        told.append(
            f"Times on {ranking.gpu} are predicted by a cost model that a model trained on {by} "
            "corrects."
        )
    return told

# SPDX-License-Identifier: MIT
"""Which kernel should be the fastest for a problem, by how much, and how well that is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ckdispatch.config.values import arch_specs
from ckdispatch.errors import CkDispatchError, Code, InvalidArgument, NoKernel, Unsupported
from ckdispatch.families import FAMILIES
from ckdispatch.selection import Candidate
from ckdispatch.threads import spread
from ckdispatch.wording import several

if TYPE_CHECKING:
    from ckdispatch.problem import Problem
    from ckdispatch.registry import Registry
    from ckdispatch.report.grid import Grid
    from ckdispatch.selection import Ranking

MOST_PROBLEMS = 30_000
"""Of maps with all of their sizes. It takes a second of a processor to predict some 1,000 times."""


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


@dataclass
class _Told:
    """What times are from, in sentences, and kernels whose libraries cannot be opened, with the
    reasons.
    """

    sources: dict[str, None] = field(default_factory=dict)
    closed: dict[str, str] = field(default_factory=dict)

    def ranking(self, ranking: Ranking) -> None:
        self.sources.update(dict.fromkeys(_sources(ranking)))
        self.closed.update(
            {one.kernel: one.reason for one in ranking.refused if one.code in _CLOSED}
        )

    def also(self, other: _Told) -> None:
        self.sources.update(other.sources)
        self.closed.update(other.closed)


class Predictor:
    """Ranks the kernels of a registry, and remembers in sentences what the times are from."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self._specs = {kernel.name: kernel.spec for kernel in registry}
        self._told = _Told()

    @property
    def remarks(self) -> tuple[str, ...]:
        """A sentence for each thing that predicted times, in the order in which it was first asked;
        and what could not be asked.
        """
        told, closed = tuple(self._told.sources), self._told.closed
        if closed:
            reason = next(iter(closed.values())).rstrip(".")
            told += (
                (
                    f"{several(len(closed), 'kernel')} could not be opened and "
                    f"{'has' if len(closed) == 1 else 'have'} no times; the first: {reason}."
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
            self._told.sources[
                f"There are {len(found)} maps, so each has every second of its sizes."
            ] = None
            found = [(gpu, name, grid.thinner()) for gpu, name, grid in found]
        return found

    def maps(
        self, grids: Sequence[tuple[str, str, Grid]], steps: Callable[[], None] = lambda: None
    ) -> Iterator[Map]:
        """Who wins on each of ``grids()``, computed by several threads."""

        def one(asked: tuple[str, str, Grid]) -> tuple[Map, _Told]:
            told = _Told()
            return self._map(*asked, told, steps), told

        for found, told in spread(one, grids):
            self._told.also(told)
            yield found

    def _map(
        self, gpu: str, family: str, grid: Grid, told: _Told, steps: Callable[[], None]
    ) -> Map:
        problems = [
            grid.problem(down, across, each)
            for each in grid.each.values
            for down in grid.down.values
            for across in grid.across.values
        ]
        among = self.registry.filter(predicate=None, family=family, gpu=gpu, **grid.words)
        probes = [among.rank(problems[at], gpu=gpu) for at in (0, len(problems) // 2, -1)]
        for ranking in probes:
            told.ranking(ranking)
        # Where a model is in use, it is told of each problem whether the model knows its like.
        asked = any(ranking.models for ranking in probes)
        quick = None if asked else _Quick(among, gpu, self._specs)
        picks = []
        for problem in problems:
            picks.append(
                self._pick(problem, gpu, among, told) if quick is None else quick.pick(problem)
            )
            steps()
        return Map(gpu, family, grid, tuple(picks))

    def pick(self, problem: Problem, gpu: str) -> Picked | None:
        """The best kernel for a problem, or None if no kernel takes it as it is."""
        return self._pick(problem, gpu, self.registry, self._told)

    def _pick(self, problem: Problem, gpu: str, among: Registry, told: _Told) -> Picked | None:
        try:
            ranking = among.rank(problem, gpu=gpu)
        except InvalidArgument:  # a problem that no kernel of any set could have
            return None
        told.ranking(ranking)
        first = ranking.best
        if first is None:
            return None
        second = next((one for one in ranking.fit if one.kernel != first.kernel), None)
        bytes_ = _bytes(problem, self._specs[first.kernel])
        return Picked(problem.text, problem.flops, bytes_, first, second)


class _Quick:
    """The cost model's choice and the next one, by selecting twice: ranking tells more, and takes
    ten times as long.
    """

    def __init__(
        self, registry: Registry, gpu: str, specs: Mapping[str, Mapping[str, Any]]
    ) -> None:
        self._registry = registry
        self._gpu = gpu
        self._specs = specs
        self._without: dict[str, Registry | None] = {}
        """The others of each kernel, if there are some: it takes long to find that none fits."""

    def pick(self, problem: Problem) -> Picked | None:
        first = self._best(self._registry, problem)
        if first is None:
            return None
        name = first.kernel
        if name not in self._without:
            others = self._registry.filter()
            others.remove(name)
            self._without[name] = others if len(others) else None
        rest = self._without[name]
        second = None if rest is None else self._best(rest, problem)
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

# SPDX-License-Identifier: MIT
"""What a dispatcher with a strategy picks for problems, and the times that it predicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ckdispatch.errors import InvalidArgument, NoKernel, Unsupported
from ckdispatch.evaluation import MODEL
from ckdispatch.judging.cases import Way
from ckdispatch.problem import Problem
from ckdispatch.registry import Registry
from ckdispatch.selection import Ranking, Selection

_REFUSALS = (InvalidArgument, NoKernel, Unsupported)


@dataclass
class Served:
    """Of each problem the way that is picked, or None, and the predicted times.

    ``padded`` counts the kernels that refuse a problem and take a larger one, over all problems;
    ``refused`` those that do neither; ``padded_picks`` the problems that no kernel takes as they
    are.
    """

    picks: list[Way | None] = field(default_factory=list)
    predicted: list[dict[Way, float]] = field(default_factory=list)
    padded: int = 0
    refused: int = 0
    padded_picks: int = 0
    reason: str = ""
    """Why some kernel refuses the first problem that none computes."""
    made_from: set[str] = field(default_factory=set)
    """The SHA-256 of tables that the constants or models in use were made from."""


class Serving(Protocol):
    """What tells the times of kernels and picks one."""

    def serve(
        self, problems: Iterable[tuple[Problem, set[str]]], tell: Callable[[], None] = lambda: None
    ) -> Served:
        """What becomes of problems; each comes with the kernels whose times are of interest."""


class Server:
    """A registry on a GPU with a strategy; ``model`` is the file of a model of one's own."""

    def __init__(
        self, registry: Registry, gpu: str, strategy: str, model: str | None = None
    ) -> None:
        self.registry = registry
        self.gpu = gpu
        self.strategy = strategy
        self.model = model if strategy == MODEL else None
        self._selection = self._selecting(registry)
        self._alone: dict[str, Selection] = {}

    def _selecting(self, registry: Registry) -> Selection:
        # One of its own: that of the registry may be in use with another strategy.
        selection = Selection(registry, self.gpu)
        if self.model is not None:
            selection.use_model(self.model)
        selection.use_strategy(self.strategy)
        return selection

    def best(self, problem: Problem) -> float | None:
        """What the dispatcher predicts for a problem, padded if need be; None if it has no kernel
        for it.
        """
        try:
            return self._selection.select(problem, pad=True).predicted_microseconds
        except _REFUSALS:
            return None

    def add(self, family: str, more: Mapping[str, float], problem: Problem) -> None:
        """Raise constants of the cost model; ``problem`` is one that some kernel computes."""
        costs = self._selection.costs(problem)
        constants = [
            value + more.get(term, 0.0)
            for term, value in zip(costs.terms, costs.constants, strict=True)
        ]
        self._selection.use_constants(family, constants)

    def serve(
        self, problems: Iterable[tuple[Problem, set[str]]], tell: Callable[[], None] = lambda: None
    ) -> Served:
        """What becomes of problems; each comes with the kernels whose times are of interest."""
        served = Served()
        for problem, kernels in problems:
            self._serve(problem, kernels, served)
            tell()
        return served

    def _serve(self, problem: Problem, kernels: set[str], served: Served) -> None:
        try:
            ranking = self._selection.rank(problem)
        except _REFUSALS:  # such as a filter that is larger than its input
            served.picks.append(None)
            served.predicted.append({})
            served.refused += len(kernels)
            return
        served.made_from.update(self._made_from(ranking))
        times = {(one.kernel, one.parts): one.microseconds for one in ranking.fit}
        for kernel in kernels.intersection(one.kernel for one in ranking.refused):
            found = self._padded(kernel, problem)
            if found is None:
                served.refused += 1
            else:
                served.padded += 1
                times |= found
        served.predicted.append(times)
        served.picks.append(self._pick(problem))
        if served.picks[-1] is None and not served.reason and ranking.refused:
            served.reason = ranking.refused[0].reason
        served.padded_picks += not ranking.fit and served.picks[-1] is not None

    def _made_from(self, ranking: Ranking) -> set[str]:
        if self.strategy != MODEL:
            return set(ranking.costs.tables.split())
        return {
            table["sha256"]
            for model in ranking.models
            for table in model["manifest"].get("tables", ())
        }

    def _pick(self, problem: Problem) -> Way | None:
        try:
            plan = self._selection.select(problem, pad=True)
        except _REFUSALS:
            return None
        return plan.kernel, plan.parts

    def _padded(self, kernel: str, problem: Problem) -> dict[Way, float] | None:
        """What a kernel takes that refuses the problem as it is, if it were the only one."""
        if kernel not in self._alone:
            self._alone[kernel] = self._selecting(
                self.registry.filter(predicate=lambda one: one.name == kernel)
            )
        try:
            plan = self._alone[kernel].select(problem, pad=True)
        except _REFUSALS:
            return None
        return {(plan.kernel, plan.parts): plan.predicted_microseconds}

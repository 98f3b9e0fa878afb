# SPDX-License-Identifier: MIT
"""The strategies that can be judged: those of the dispatcher, and what they are compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ckdispatch.errors import InvalidArgument
from ckdispatch.evaluation import BEST_SINGLE, PREDICTING, RANDOM, SIMULATED, STRATEGIES
from ckdispatch.evaluation.measured import Measured
from ckdispatch.evaluation.serving import Served, Server, Serving
from ckdispatch.families import FAMILIES
from ckdispatch.judging.bounds import Bounded, bounded
from ckdispatch.judging.cases import Case, Way
from ckdispatch.judging.verdict import Verdict, best_single, judge, judge_random
from ckdispatch.measurements.table import problem_of
from ckdispatch.registry import Registry
from ckdispatch.wording import quoted

Tell = Callable[[], None]


@dataclass(frozen=True)
class Judged:
    """``picks`` has the way of each case, unless the strategy picks by chance; ``served`` is of the
    dispatcher's own.
    """

    verdict: Verdict
    picks: Sequence[Way | None] | None = None
    served: Served | None = None


def judged(
    measured: Measured,
    registry: Registry,
    strategy: str,
    tell: Tell = lambda: None,
    *,
    seed: int = 0,
    model: str | None = None,
    simulator: Serving | None = None,
) -> Judged:
    """What a strategy is worth. Raises ``InvalidArgument`` if there is none such, as ``model``
    where there is no model.

    ``simulated`` needs a ``simulator`` of the same kernels and GPU.
    """
    if strategy not in STRATEGIES:
        raise InvalidArgument(
            f"the strategy {quoted(strategy)} was to be judged; there is {', '.join(STRATEGIES)}"
        )
    if strategy == SIMULATED and simulator is None:
        raise InvalidArgument("the strategy simulated was to be judged without a simulator")
    if strategy not in (*PREDICTING, SIMULATED) and not measured.complete:
        raise InvalidArgument(
            f"the strategy {strategy} cannot be judged: the measurements {measured.table.path} "
            "have but some of the kernels "
            "that were timed for each problem"
        )
    if strategy == RANDOM:
        return Judged(judge_random(measured.cases, seed=seed))
    if strategy == BEST_SINGLE:
        always = [best_single(measured.cases)] * len(measured.cases)
        return Judged(judge(measured.cases, always, seed=seed), always)
    server: Serving = (
        simulator
        if strategy == SIMULATED and simulator
        else Server(registry, measured.gpu, strategy, model)
    )
    asked = (
        (problem, measured.kernels_of(case))
        for problem, case in zip(measured.problems, measured.cases, strict=True)
    )
    served = server.serve(asked, tell)
    if strategy not in (*PREDICTING, SIMULATED):
        return Judged(judge(measured.cases, served.picks, seed=seed), served.picks, served)
    picks = [
        _among_measured(*one)
        for one in zip(measured.cases, served.picks, served.predicted, strict=True)
    ]
    return Judged(judge(measured.cases, picks, served.predicted, seed=seed), picks, served)


def _among_measured(case: Case, pick: Way | None, predicted: Mapping[Way, float]) -> Way | None:
    """The pick, or if it has no time in this case, such as a row that was left out, the best
    predicted one that has.
    """
    some = [way for way in predicted if way in case.measured]
    return (
        pick
        if pick is None or pick in case.measured or not some
        else min(some, key=predicted.__getitem__)
    )


def any_more(measured: Measured) -> bool:
    """Whether kernels of some bounds do more than ours."""
    return any(FAMILIES[row.family].beyond_ours(row) for row in measured.bounds)


@dataclass(frozen=True)
class JudgedBounds:
    """``unserved`` shapes have no kernel."""

    bounded: Bounded | None
    unserved: int


def judged_bounds(
    measured: Measured,
    registry: Registry,
    strategy: str,
    tell: Tell = lambda: None,
    *,
    model: str | None = None,
    with_more: bool = False,
) -> JudgedBounds:
    """How what a strategy predicts lies to the best times that are known.

    ``with_more`` adds to the cost model what the kernels that were timed do besides ours, such as
    scaling blocks of K.
    """
    servers: dict[tuple[tuple[str, float], ...], Server] = {}
    predicted, best = [], []
    for row in measured.bounds:
        problem = problem_of(row.family, row.problem)
        more = FAMILIES[row.family].beyond_ours(row) if with_more else {}
        key = tuple(more.items())
        if key not in servers:
            servers[key] = Server(registry, measured.gpu, strategy, model)
            if more:
                servers[key].add(row.family, more, problem)
        time = servers[key].best(problem)
        if time is not None:
            predicted.append(time)
            best.append(row.microseconds)
        tell()
    return JudgedBounds(bounded(predicted, best), len(measured.bounds) - len(best))

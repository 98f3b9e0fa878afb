# SPDX-License-Identifier: MIT
"""What a strategy is worth: its picks and its predictions, over all cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from ckdispatch.judging.cases import Case, Way
from ckdispatch.judging.figures import Error, Spread, error, rank_correlation, spread

TOP = 5
_LEAST_RANKED = 3
"""Ways that a case must have for the order of its times to mean something."""

_MEASURED_OFTEN = 0.9
"""What the best single kernel is measured on at least, of what the most measured one is."""

Times = Mapping[Way, float]


@dataclass(frozen=True)
class Picks:
    """How good picks are over some cases. ``top1`` and ``top5`` are shares of cases in per cent."""

    cases: int
    efficiency: Spread
    top1: float
    top5: float


@dataclass(frozen=True)
class Verdict:
    """``picks`` is None if no case could be judged; ``unmeasured`` picks were of ways that have no
    time.

    For ``unpicked`` cases there was nothing to pick.
    ``rank_correlation`` is the mean over cases, ``median_rank_correlation`` the median. They and
    ``error`` are None for strategies that predict no times.
    """

    picks: Picks | None
    unmeasured: int = 0
    unpicked: int = 0
    rank_correlation: float | None = None
    median_rank_correlation: float | None = None
    error: Error | None = None


def judge(
    cases: Sequence[Case],
    picks: Sequence[Way | None],
    predicted: Sequence[Times] | None = None,
    *,
    seed: int = 0,
) -> Verdict:
    """What picks are worth, one for each case, or None where nothing could be picked; and predicted
    times of any ways.
    """
    asked = [(case, way) for case, way in zip(cases, picks, strict=True) if case.complete]
    made = [(case, way) for case, way in asked if way is not None]
    known = [(case, way) for case, way in made if way in case.measured]
    efficiencies = [
        efficiency for case, way in known if (efficiency := case.efficiency(way)) is not None
    ]
    places = [case.faster(way) for case, way in known]
    worth = None
    if known:
        top1, top5 = (
            100.0 * sum(place < most for place in places) / len(places) for most in (1, TOP)
        )
        worth = Picks(len(known), spread(efficiencies, seed), top1, top5)
    verdict = Verdict(worth, unmeasured=len(made) - len(known), unpicked=len(asked) - len(made))
    if predicted is None:
        return verdict
    found = _correlations(cases, predicted)
    if found:
        verdict = replace(
            verdict, rank_correlation=sum(found) / len(found), median_rank_correlation=median(found)
        )
    return replace(verdict, error=_error(cases, predicted))


def judge_random(cases: Sequence[Case], *, seed: int = 0) -> Verdict:
    """What a pick by chance is worth: the expected value of each case."""
    judged = [case for case in cases if case.complete]
    if not judged:
        return Verdict(None)
    efficiencies, top1, top5 = [], 0.0, 0.0
    for case in judged:
        ways = list(case.measured)
        efficiencies.append(
            sum(100.0 * case.best / time for time in case.measured.values()) / len(ways)
        )
        places = [case.faster(way) for way in ways]
        top1 += sum(place < 1 for place in places) / len(ways)
        top5 += sum(place < TOP for place in places) / len(ways)
    count = len(judged)
    return Verdict(
        Picks(count, spread(efficiencies, seed), 100.0 * top1 / count, 100.0 * top5 / count)
    )


def best_single(cases: Sequence[Case]) -> Way | None:
    """The way with the best mean efficiency, among those that were measured on nearly all cases."""
    found: dict[Way, list[float]] = {}
    for case in cases:
        if case.complete:
            for way, time in case.measured.items():
                found.setdefault(way, []).append(100.0 * case.best / time)
    most = max(map(len, found.values()), default=0)
    often = {
        way: sum(some) / len(some)
        for way, some in found.items()
        if len(some) >= _MEASURED_OFTEN * most
    }
    return max(often, key=lambda way: often[way], default=None)


def _pairs(case: Case, times: Times) -> list[tuple[float, float]]:
    """What was predicted for a case with what was measured."""
    return [(times[way], time) for way, time in case.measured.items() if way in times]


def _correlations(cases: Sequence[Case], predicted: Sequence[Times]) -> list[float]:
    found = []
    for case, times in zip(cases, predicted, strict=True):
        pairs = _pairs(case, times)
        if len(pairs) >= _LEAST_RANKED:
            one = rank_correlation(*zip(*pairs, strict=True))
            if one is not None:
                found.append(one)
    return found


def _error(cases: Sequence[Case], predicted: Sequence[Times]) -> Error | None:
    pairs = [
        pair for case, times in zip(cases, predicted, strict=True) for pair in _pairs(case, times)
    ]
    return error(*zip(*pairs, strict=True)) if pairs else None

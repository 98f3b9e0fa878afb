# SPDX-License-Identifier: MIT
"""The pictures of the page, from a study."""

from __future__ import annotations

from collections.abc import Sequence

from ckdispatch.evaluation import BEST_SINGLE, FIRST_FIT, MODEL, RANDOM, RULES
from ckdispatch.judging.cases import Case, Way

from cktune.plot import COLOURS, Axis, Panel, Point, Series, picture, powers
from cktune.study import Study

_COLOUR = dict(zip((MODEL, RULES, BEST_SINGLE, FIRST_FIT, RANDOM), COLOURS, strict=True))
_GREY = COLOURS[-1]
_NAMES = {
    MODEL: "model",
    RULES: "rules",
    BEST_SINGLE: "best single kernel",
    FIRST_FIT: "first fit",
    RANDOM: "random kernel",
}


def pictures(study: Study) -> dict[str, str]:
    """By what their names end with. All are of problems that were not trained on."""
    return {
        "predicted": _predicted(study),
        "efficiency": _efficiency(study),
        "losses": _losses(study),
    }


def _predicted(study: Study) -> str:
    panels = []
    for name in (RULES, MODEL):
        pairs = _pairs(study, name)
        low, high = powers([number for pair in pairs for number in pair])
        same = Series("as measured", _GREY, [(low, low), (high, high)], joined=True, dashed=True)
        points = Series("", _COLOUR[name], pairs)
        x, y = (Axis(title, low, high, log=True) for title in ("measured, µs", "predicted, µs"))
        panels.append(Panel(_NAMES[name], x, y, [points, same]))
    return picture(
        panels,
        "Predicted against measured times, by what had not seen their problems",
        width=400,
        height=400,
    )


def _pairs(study: Study, name: str) -> list[Point]:
    """Measured and predicted times."""
    assert study.served is not None
    both = zip(study.cases, study.served[name].predicted, strict=True)
    return [(case.measured[way], time) for case, times in both for way, time in times.items()]


def _efficiency(study: Study) -> str:
    judged = [case for case in study.cases if case.complete]
    by_chance = [
        sum(100.0 * case.best / time for time in case.measured.values()) / len(case.measured)
        for case in judged
    ]
    worth = {name: _efficiencies(study.cases, picks) for name, picks in _picks(study).items()} | {
        RANDOM: by_chance
    }
    lowest = min(min(values) for values in worth.values())
    series = [
        Series(_NAMES[name], _COLOUR[name], _sorted(values), joined=True)
        for name, values in worth.items()
    ]
    x = Axis("problems, the worst for each strategy first, %", 0, 100)
    y = Axis("efficiency of the pick, %", min(60.0, 10.0 * (lowest // 10)), 100)
    return picture(
        [Panel("Efficiency by problem, sorted", x, y, series)],
        "Efficiency by problem, sorted",
        width=760,
        height=380,
    )


def _sorted(values: Sequence[float]) -> list[Point]:
    """Values from the least on, over the share of all that they are at."""
    return [
        (100.0 * (place + 0.5) / len(values), value) for place, value in enumerate(sorted(values))
    ]


def _losses(study: Study) -> str:
    assert study.served is not None
    panels = []
    flops = [float(problem.flops) for problem in study.problems]
    for title, values in (
        ("FLOPs of the problem", flops),
        ("workgroups of the fastest kernel per compute unit", study.per_unit),
    ):
        if values is None:
            continue
        series = []
        lowest = 100.0
        for name in (RULES, MODEL):
            points = _points(study.cases, study.served[name].picks, values)
            lowest = min([lowest, *(y for _, y in points)])
            series.append(Series(_NAMES[name], _COLOUR[name], points))
        x = Axis(title, *powers(values), log=True)
        panels.append(
            Panel("", x, Axis("efficiency of the pick, %", 5.0 * (lowest // 5), 100), series)
        )
    return picture(panels, "Where picks lose: efficiency by the size of a problem")


def _picks(study: Study) -> dict[str, Sequence[Way | None]]:
    assert study.served is not None
    return {name: study.served[name].picks for name in (MODEL, RULES)} | dict(study.singles or {})


def _points(
    cases: Sequence[Case], picks: Sequence[Way | None], values: Sequence[float]
) -> list[Point]:
    some = zip(cases, picks, values, strict=True)
    found = [
        (value, case.efficiency(way))
        for case, way, value in some
        if way is not None and case.complete
    ]
    return [(value, efficiency) for value, efficiency in found if efficiency is not None]


def _efficiencies(cases: Sequence[Case], picks: Sequence[Way | None]) -> list[float]:
    return [efficiency for _, efficiency in _points(cases, picks, [0.0] * len(cases))]

# SPDX-License-Identifier: MIT
"""Single problems and single kernels: where picks lose, and which kernels are thought too fast."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from ckdispatch.evaluation import MODEL, RULES
from ckdispatch.evaluation.measured import Measured
from ckdispatch.judging.cases import Case, Way
from ckdispatch.judging.figures import error
from ckdispatch.learning.design import Design
from ckdispatch.learning.validation import Folds

WORST = 10
_DIGITS = 3
_PER_UNIT = "log_per_unit"
"""The feature that has the workgroups per compute unit."""

Times = Mapping[Way, float]


@dataclass(frozen=True)
class Served:
    """What was picked and predicted for the cases of a table, by what had not seen them."""

    picks: Sequence[Way | None]
    predicted: Sequence[Times]


def kept(value: float, digits: int = _DIGITS) -> float:
    """A number as the record has it."""
    return value if isinstance(value, int) else round(float(value), digits)


def worst(measured: Measured, served: Served) -> list[dict[str, Any]]:
    """The cases that lose the most."""
    found = []
    for case, problem, way, times in zip(
        measured.cases, measured.problems, served.picks, served.predicted, strict=True
    ):
        efficiency = None if way is None else case.efficiency(way)
        if way is None or efficiency is None or not case.complete:
            continue
        best = min(case.measured, key=case.measured.__getitem__)
        row = {
            "problem": problem.text,
            "efficiency": kept(efficiency),
            "best": {
                "kernel": best[0],
                "measured": case.best,
                "predicted": kept(times[best]) if best in times else None,
            },
            "picked": {
                "kernel": way[0],
                "measured": case.measured[way],
                "predicted": kept(times[way]),
            },
        }
        found.append(((efficiency, problem.text, case.name), row))
    return [row for _, row in sorted(found, key=lambda one: one[0])[:WORST]]


def by_kernel(
    measured: Measured, design: Design, folds: Folds, served: Mapping[str, Served]
) -> dict[str, Any]:
    """Of each kernel how predicted times lie to measured ones, and how often it is the fastest, and
    is taken.
    """
    complete = [place for place, case in enumerate(measured.cases) if case.complete]
    fastest = Counter(_fastest(measured.cases[place])[0] for place in complete)
    taken = {
        name: Counter(way[0] for place in complete if (way := one.picks[place]))
        for name, one in served.items()
    }
    found = {}
    for kernel in sorted({way[0] for way in design.ways}):
        rows = [row for row, way in enumerate(design.ways) if way[0] == kernel]
        one: dict[str, Any] = {"times": len(rows)}
        for name, times in ((RULES, folds.rules), (MODEL, folds.learned)):
            off = error(times[rows].tolist(), design.microseconds[rows].tolist())
            one[name] = {"ratio": kept(off.ratio), "error": kept(off.median)}
            if complete:
                one[name]["picked"] = taken[name][kernel]
        if complete:
            one["fastest"] = fastest[kernel]
        found[kernel] = one
    return found


def _fastest(case: Case) -> Way:
    return min(case.measured, key=case.measured.__getitem__)


def per_unit(measured: Measured, design: Design) -> list[float] | None:
    """Of each case the workgroups of the fastest kernel per compute unit."""
    if _PER_UNIT not in design.features:
        return None
    column = np.exp(design.feature_rows[:, design.features.index(_PER_UNIT)])
    seen = {
        (case, way): float(value)
        for case, way, value in zip(design.cases, design.ways, column, strict=True)
    }
    return [
        seen.get((place, _fastest(case)), median(column))
        for place, case in enumerate(measured.cases)
    ]

# SPDX-License-Identifier: MIT
"""What fitted constants and trained trees are worth on problems that they have not seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ckdispatch.errors import InvalidArgument
from ckdispatch.families import FAMILIES
from ckdispatch.judging.cases import Way
from ckdispatch.judging.verdict import Verdict, judge
from ckdispatch.learning.design import Design, Designer
from ckdispatch.learning.fitting import fitted
from ckdispatch.learning.training import folds_by_hash, train
from ckdispatch.problem import Problem

Numbers = NDArray[np.float64]
Rows = NDArray[np.bool_]

FOLDS = 5


@dataclass(frozen=True)
class Made:
    """Constants, and trees that correct what they predict."""

    constants: dict[str, float]
    design: Design
    """With these constants."""
    booster: Any

    @property
    def rules(self) -> Numbers:
        """What the cost model predicts for each row."""
        return predicted(self.design, self.constants)

    @property
    def learned(self) -> Numbers:
        """The same, corrected."""
        factors: Numbers = np.exp(self.booster.predict(self.design.feature_rows, raw_score=True))
        return self.rules * factors


@dataclass(frozen=True)
class Trial:
    """What was made of some rows, judged by the others."""

    name: str
    rules: Verdict
    learned: Verdict


def predicted(design: Design, constants: Mapping[str, float]) -> Numbers:
    """What the cost model predicts for each row."""
    times: Numbers = design.term_rows @ np.array([constants[term] for term in design.terms])
    return times


def make(
    designer: Designer, first: Design, rows: Rows, fixed: Mapping[str, float], seed: int = 0
) -> Made:
    """From some rows of a design."""
    constants = fitted(first.terms, first.term_rows[rows], first.microseconds[rows], fixed)
    design = designer.design(constants)
    ratio = np.log(design.microseconds / predicted(design, constants))
    return Made(constants, design, train(design.feature_rows[rows], ratio[rows], seed))


@dataclass(frozen=True)
class Folds:
    """For each row what those predict that were made of the other folds; and the constants that
    each fold's others gave.
    """

    rules: Numbers
    learned: Numbers
    constants: tuple[dict[str, float], ...]


def by_folds(
    designer: Designer,
    first: Design,
    fixed: Mapping[str, float],
    tell: Callable[[], None] = lambda: None,
    seed: int = 0,
) -> Folds:
    """Five folds by the groups of a design."""
    folds = folds_by_hash(first.groups, FOLDS)
    rules, learned, constants = np.zeros(len(folds)), np.zeros(len(folds)), []
    for fold in range(FOLDS):
        here = folds == fold
        if not here.any() or here.all():
            raise InvalidArgument(
                f"the measurements have too few problems for {FOLDS} folds; "
                f"{len(set(first.groups))} were given"
            )
        made = make(designer, first, ~here, fixed, seed)
        rules[here], learned[here] = made.rules[here], made.learned[here]
        constants.append(made.constants)
        tell()
    return Folds(rules, learned, tuple(constants))


def transfers(
    designer: Designer,
    first: Design,
    fixed: Mapping[str, float],
    tell: Callable[[], None] = lambda: None,
    seed: int = 0,
) -> list[Trial]:
    """Whatever divides a family's problems into what is known and what is asked."""
    found = []
    for name, known in divisions(designer.measured.problems).items():
        rows = known[np.array(first.cases)]
        if rows.any() and not rows.all():
            made = make(designer, first, rows, fixed, seed)
            found.append(
                Trial(
                    name,
                    *(
                        judged(designer, first, times, ~rows)
                        for times in (made.rules, made.learned)
                    ),
                )
            )
        tell()
    return found


def trials(
    designer: Designer,
    first: Design,
    fixed: Mapping[str, float],
    tell: Callable[[], None] = lambda: None,
    seed: int = 0,
) -> list[Trial]:
    """Five folds by problem, and the transfers."""
    everything = np.ones(len(first.microseconds), dtype=bool)
    folds = by_folds(designer, first, fixed, tell, seed)
    judged_folds = (
        judged(designer, first, times, everything) for times in (folds.rules, folds.learned)
    )
    return [Trial(f"{FOLDS} folds", *judged_folds), *transfers(designer, first, fixed, tell, seed)]


def steps_of(problems: Sequence[Problem]) -> int:
    """How often ``trials`` tells that something is done."""
    return FOLDS + len(divisions(problems))


def divisions(problems: Sequence[Problem]) -> dict[str, Rows]:
    """Ways to divide problems that differ in kind; true for those that are trained on."""
    flops = np.array([problem.flops for problem in problems])
    small: Rows = flops <= np.median(flops)
    found = {
        "fewer FLOPs than the median -> more": small,
        "more FLOPs than the median -> fewer": ~small,
    }
    kinds = FAMILIES[problems[0].family].kinds if problems else {}
    for name, is_one in kinds.items():
        one: Rows = np.array([is_one(problem) for problem in problems])
        found |= {f"{name} -> others": one, f"others -> {name}": ~one}
    return found


def judged(designer: Designer, design: Design, times: Numbers, rows: Rows) -> Verdict:
    """What choosing by predicted times is worth, on the cases of some rows."""
    cases = designer.measured.cases
    by_case: dict[int, dict[Way, float]] = {}
    for row in np.flatnonzero(rows):
        by_case.setdefault(design.cases[row], {})[design.ways[row]] = float(times[row])
    asked = sorted(by_case)
    picks: list[Way | None] = [min(by_case[case], key=by_case[case].__getitem__) for case in asked]
    return judge([cases[case] for case in asked], picks, [by_case[case] for case in asked])

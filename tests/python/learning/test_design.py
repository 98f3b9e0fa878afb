# SPDX-License-Identifier: MIT
"""Measured times beside what the cost model sees, and what is made of them, with a table of our own
making.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from ckdispatch.errors import InvalidArgument
from ckdispatch.evaluation.measured import Measured, measured_on
from ckdispatch.learning.design import Designer
from ckdispatch.learning.fitting import fitted
from ckdispatch.learning.validation import divisions, judged, make, predicted, steps_of, trials
from ckdispatch.measurements import write
from ckdispatch.measurements.reading import read
from learning_support import CONSTANTS, GPU, PROBLEMS, registry, rows, table


def measured(path: Path) -> Measured:
    return measured_on(read(path), GPU)


@pytest.fixture(scope="module")
def designer(tmp_path_factory: pytest.TempPathFactory) -> Designer:
    return Designer(measured(table(tmp_path_factory.mktemp("table") / "t.csv")), registry())


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Designer:
    """Whose times the cost model explains without a rest."""
    return Designer(
        measured(table(tmp_path_factory.mktemp("plain") / "t.csv", corrected=False)), registry()
    )


def test_a_design_has_a_row_for_each_time(designer: Designer) -> None:
    design = designer.design()
    times = rows()
    assert designer.family == "gemm" and design.unknown == 0
    assert list(design.microseconds) == pytest.approx([row.microseconds for row in times])
    assert [kernel for kernel, _ in design.ways] == [row.kernel for row in times]
    assert len(set(design.groups)) == len(PROBLEMS) == len(set(design.cases))
    assert design.term_rows.shape == (len(times), len(design.terms))
    assert design.feature_rows.shape == (len(times), len(design.features))
    assert np.isfinite(design.feature_rows).all()


def test_terms_are_the_same_with_any_constants_and_features_are_not(plain: Designer) -> None:
    first = plain.design()
    other = plain.design(dict.fromkeys(first.terms, 2.0))
    assert np.array_equal(first.term_rows, other.term_rows)
    assert not np.array_equal(first.feature_rows, other.feature_rows)


def test_constants_of_the_formula_are_found_again(plain: Designer) -> None:
    design = plain.design()
    fixed = {term: 0.0 for term in design.terms if term not in CONSTANTS}
    found = fitted(design.terms, design.term_rows, design.microseconds, fixed)
    assert {term: found[term] for term in CONSTANTS} == pytest.approx(CONSTANTS, rel=1e-4)
    assert predicted(design, found) == pytest.approx(design.microseconds, rel=1e-4)


def test_a_kernel_that_refuses_the_problem_is_counted_and_has_no_row(tmp_path: Path) -> None:
    some = rows(PROBLEMS[:2])
    write(
        [*some, replace(some[0], problem="37x43x51"), replace(some[0], parts=4)], tmp_path / "t.csv"
    )
    design = Designer(measured(tmp_path / "t.csv"), registry()).design()
    assert design.unknown == 2 and len(design.microseconds) == len(some)


def test_measurements_without_a_kernel_that_computes_them_are_refused(tmp_path: Path) -> None:
    write([replace(row, problem="37x43x51") for row in rows(PROBLEMS[:1])], tmp_path / "t.csv")
    with pytest.raises(InvalidArgument, match="is of a kernel that computes its problem"):
        Designer(measured(tmp_path / "t.csv"), registry()).design()


def test_measurements_of_two_families_are_refused(tmp_path: Path) -> None:
    given = measured(table(tmp_path / "t.csv", PROBLEMS[:2]))
    both = replace(given, problems=(*given.problems, _Other()))  # type: ignore[arg-type]  # of another family
    with pytest.raises(
        InvalidArgument,
        match="measurements of gemm, grouped_conv were given; a fit is of one family",
    ):
        Designer(both, registry())
    with pytest.raises(InvalidArgument, match="measurements of no family were given"):
        Designer(replace(given, problems=()), registry())


class _Other:
    family = "grouped_conv"


def test_trees_learn_what_constants_cannot(designer: Designer) -> None:
    design = designer.design()
    everything = np.ones(len(design.microseconds), dtype=bool)
    made = make(designer, design, everything, {"first": 0.0})

    def error(times: np.ndarray) -> float:
        return float(np.median(np.abs(np.log(times / design.microseconds))))

    assert error(made.learned) < 0.5 * error(made.rules)
    verdict = judged(designer, design, design.microseconds, everything)
    assert verdict.picks is not None and verdict.picks.efficiency.min == pytest.approx(100)


def test_trials_are_of_problems_that_were_not_trained_on(designer: Designer) -> None:
    told: list[int] = []
    found = trials(designer, designer.design(), {"first": 0.0}, lambda: told.append(1))
    assert [trial.name for trial in found] == [
        "5 folds",
        "fewer FLOPs than the median -> more",
        "more FLOPs than the median -> fewer",
    ]
    assert len(told) == steps_of(designer.measured.problems) == 7
    for trial in found:
        for verdict in (trial.rules, trial.learned):
            assert verdict.picks is not None and 50 < verdict.picks.efficiency.mean <= 100
            assert verdict.error is not None


def test_too_few_problems_for_folds_are_refused(tmp_path: Path) -> None:
    few = Designer(measured(table(tmp_path / "t.csv", PROBLEMS[:3])), registry())
    with pytest.raises(InvalidArgument, match="too few problems for 5 folds; 3 were given"):
        trials(
            few, few.design(), {term: 0.0 for term in few.design().terms if term not in CONSTANTS}
        )


def test_divisions_are_each_others_opposite(designer: Designer) -> None:
    found = divisions(designer.measured.problems)
    assert len(found) == 2
    first, second = list(found.values())[:2]
    assert np.array_equal(first, ~second) and first.any() and second.any()

# SPDX-License-Identifier: MIT
"""Figures, against what was computed by hand."""

from __future__ import annotations

import numpy as np
import pytest
from ckdispatch.judging import figures
from ckdispatch.judging.bounds import bounded
from ckdispatch.judging.figures import error, rank_correlation, spread


def test_a_spread_is_mean_median_p10_and_least() -> None:
    found = spread([100.0, 50.0, 90.0, 80.0, 60.0, 70.0, 75.0, 95.0, 85.0, 65.0, 55.0])
    assert (found.mean, found.median, found.p10, found.min) == pytest.approx(
        (75.0, 75.0, 55.0, 50.0)
    )
    # Between two numbers the tenth part is between them too.
    assert spread([10.0, 20.0]).p10 == pytest.approx(11.0)


def test_one_number_is_all_of_its_figures() -> None:
    found = spread([42.0])
    assert {found.mean, found.median, found.p10, found.min} == {42.0}
    assert found.intervals == {"mean": (42.0, 42.0), "median": (42.0, 42.0), "p10": (42.0, 42.0)}


def test_intervals_are_the_same_for_the_same_seed() -> None:
    values = [60.0 + place % 41 for place in range(188)]
    assert spread(values) == spread(values) == spread(values, seed=0)
    assert spread(values).intervals != spread(values, seed=1).intervals


def test_an_interval_of_means_is_that_of_statistics() -> None:
    values = np.random.default_rng(3).normal(80, 10, 400)
    low, high = spread(values.tolist()).intervals["mean"]
    half = 1.96 * values.std() / 20
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.15)
    assert low < values.mean() < high


def test_many_numbers_are_drawn_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [float(place) for place in range(50)]
    at_once = spread(values).intervals
    monkeypatch.setattr(figures, "_AT_ONCE", 120)
    assert spread(values).intervals == at_once


@pytest.mark.parametrize(
    ("predicted", "measured", "expected"),
    [
        ([1, 2, 3], [10, 20, 30], 1.0),
        ([3, 2, 1], [10, 20, 30], -1.0),
        ([1, 2, 3, 4, 5], [2, 1, 4, 3, 5], 0.8),
        # Ranks 1.5, 1.5, 3 and 1, 2, 3: 1.5 / sqrt(1.5 * 2).
        ([1, 1, 2], [1, 2, 3], 0.75**0.5),
        ([1, 2, 3], [1, 10, 1e6], 1.0),
        ([7, 7, 7], [1, 2, 3], None),
        ([1, 2, 3], [7, 7, 7], None),
    ],
)
def test_rank_correlation(
    predicted: list[float], measured: list[float], expected: float | None
) -> None:
    found = rank_correlation(predicted, measured)
    assert found is None if expected is None else found == pytest.approx(expected)


def test_the_error_of_predicted_times() -> None:
    found = error([11, 8, 30, 40, 100], [10, 10, 10, 40, 50])
    # Off by 10, 20, 200, 0 and 100 per cent.
    assert found.times == 5
    assert (found.median, found.ratio) == pytest.approx((20.0, 1.1))
    assert found.p90 == pytest.approx(100 + 0.6 * 100)
    # Over 1.1 they are 1, 0.727, 2.727, 0.909 and 1.818 of what was measured.
    assert found.scaled == pytest.approx(100 * (1 - 0.8 / 1.1))


def test_nothing_is_much_faster_than_the_best_known_time() -> None:
    found = bounded([8.0, 7.9, 10.0, 100.0], [10.0, 10.0, 10.0, 10.0])
    assert found is not None
    assert (found.shapes, found.kept) == (4, 75.0)
    assert found.ratio == pytest.approx(0.9)
    assert bounded([], []) is None

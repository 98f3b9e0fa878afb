# SPDX-License-Identifier: MIT
"""Constants of a sum of terms, fitted on rows of our own making."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ckdispatch.errors import InvalidArgument
from ckdispatch.learning.fitting import fitted

TERMS = ("launch", "trip", "store", "memory")
CONSTANTS = {"launch": 3.5, "trip": 0.25, "store": 0.0, "memory": 1.5}


def made_up(rows: int = 60, seed: int = 1) -> tuple[Any, Any]:
    """Terms, and the times that the constants give."""
    drawn = np.random.default_rng(seed).uniform(0, 50, (rows, len(TERMS)))
    drawn[:, 0] = 1
    return drawn, drawn @ np.array([CONSTANTS[term] for term in TERMS])


def test_constants_of_made_up_rows_are_found_again() -> None:
    assert fitted(TERMS, *made_up(), {}) == pytest.approx(CONSTANTS, abs=1e-6)


def test_columns_may_be_of_very_different_sizes() -> None:
    rows, times = made_up()
    scale = np.array([1, 1e-6, 1e6, 1e3])
    found = fitted(TERMS, rows * scale, times, {})
    unscaled = {term: found[term] * size for term, size in zip(TERMS, scale, strict=True)}
    assert unscaled == pytest.approx(CONSTANTS, abs=1e-5)


def test_rows_that_no_constants_explain_change_little() -> None:
    rows, times = made_up(200)
    times[::20] *= 30
    assert fitted(TERMS, rows, times, {}) == pytest.approx(CONSTANTS, abs=0.15)


def test_none_is_below_nought() -> None:
    rows, times = made_up()
    found = fitted(TERMS, rows, np.maximum(times - 0.1 * rows[:, 2], 0.5), {})
    assert min(found.values()) >= 0 and found["store"] == 0


def test_what_is_fixed_is_not_fitted() -> None:
    found = fitted(TERMS, *made_up(), {"memory": 1.5, "store": 0.0})
    assert found == pytest.approx(CONSTANTS, abs=1e-6)
    wrong = fitted(TERMS, *made_up(), {"memory": 0.5})
    assert (
        wrong["memory"] == 0.5
        and set(wrong) == set(TERMS)
        and wrong["trip"] != pytest.approx(0.25, abs=0.01)
    )


def test_a_column_of_nothing_has_no_constant() -> None:
    rows, times = made_up()
    rows[:, 2] = 0
    assert fitted(TERMS, rows, times, {})["store"] == 0


def test_too_few_rows_are_refused() -> None:
    rows, times = made_up(3)
    with pytest.raises(
        InvalidArgument,
        match="4 constants were to be fitted on 3 rows; there must be as many or more",
    ):
        fitted(TERMS, rows, times, {})
    assert fitted(TERMS, rows, times, {"store": 0.0})["store"] == 0


def test_an_unknown_term_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        InvalidArgument,
        match="the constant tea was to be fixed; there is launch, trip, store, memory",
    ):
        fitted(TERMS, *made_up(), {"tea": 1.0})

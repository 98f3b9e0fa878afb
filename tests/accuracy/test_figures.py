# SPDX-License-Identifier: MIT
"""Figures are those of arrays whose errors are known."""

from __future__ import annotations

import json

import numpy as np
import pytest
from ckaccuracy.errors import AccuracyError
from ckaccuracy.figures import Figures, figures
from ckdispatch.comparison import Reference
from ckdispatch.reference.tolerance import STORED, Tolerance

LOOSE = Tolerance(absolute=1.0, roundings=STORED)
EXACT = np.array([0.0, 1.0, -2.0 - 2.0**-12, 6.0])


def reference(kind: type[np.generic], tolerance: Tolerance = LOOSE) -> Reference:
    return Reference(EXACT, EXACT.astype(kind), tolerance)


def test_errors_are_the_largest_of_all_elements() -> None:
    got = np.array([0.0, 1.0 + 2.0**-10, -2.0, 6.0 + 2.0**-7], np.float16)
    found = figures("it", got, reference(np.float16), "fp16", 7)
    assert found == Figures(
        "fp16", 7, 6.0, 2.0**-7, 2.0**-7 / 6.0, 2.0**-12, 2.0**-12 / (2.0 + 2.0**-12)
    )


def test_an_error_where_0_is_expected_is_relatively_infinite() -> None:
    found = figures(
        "it", np.array([0.25, 1.0, -2.0, 6.0], np.float16), reference(np.float16), "fp16", 1
    )
    assert (found.max_abs, found.max_rel) == (0.25, np.inf)


def test_a_result_of_16_bits_is_compared_with_fp32_and_one_of_fp32_with_fp64() -> None:
    exact = np.array([1.0 + 2.0**-30])
    half = Reference(exact, exact.astype(np.float16), LOOSE)
    assert figures("it", np.array([1.0], np.float16), half, "fp16", 1).max_abs == 0.0
    single = Reference(exact, exact.astype(np.float32), LOOSE)
    assert figures("it", np.array([1.0], np.float32), single, "fp32", 1).max_abs == 2.0**-30


def test_a_wrong_result_is_refused() -> None:
    with pytest.raises(AccuracyError, match=r"^it: 1 of 4 values .* beyond their tolerance"):
        figures("it", np.array([0.0, 1.0, -2.0, 9.0], np.float16), reference(np.float16), "fp16", 1)
    with pytest.raises(AccuracyError, match=r"^it: "):
        figures(
            "it", np.array([0.0, np.nan, -2.0, 6.0], np.float16), reference(np.float16), "fp16", 1
        )


def test_json_has_six_digits_and_is_read_back() -> None:
    found = Figures("fp16", 7, 6.0, 1 / 3, 2e-7 / 3, 0.0, 1.0)
    document = json.loads(json.dumps(found.to_json()))
    assert document["max_abs"] == 0.333333 and document["max_rel"] == 6.66667e-08
    assert Figures.from_json(document).to_json() == document

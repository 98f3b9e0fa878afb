# SPDX-License-Identifier: MIT
"""A comparison says how much, where and how many, whatever the values are."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from ckdispatch.comparison import Comparison, compare
from ckdispatch.errors import Code, InvalidArgument, Mismatch
from ckdispatch.reference.dtypes import convert, numpy_dtype
from ckdispatch.reference.tolerance import Tolerance
from hypothesis import given, settings
from hypothesis import strategies as st

settings.register_profile("compare", max_examples=150, deadline=None, database=None)
settings.load_profile("compare")

NAN, INF = np.nan, np.inf
EXACT = Tolerance()


def singles(*values: Any) -> np.ndarray:
    return np.array(values, np.float32)


def test_equal_arrays_have_no_errors() -> None:
    comparison = compare(singles(1, -2, NAN, INF, -0.0), singles(1, -2, NAN, INF, 0.0), EXACT)
    assert comparison and comparison.ok
    assert (comparison.max_abs, comparison.max_rel, comparison.max_ulps) == (0, 0, 0)
    assert comparison.mismatch_count == comparison.mismatch_share == 0


def test_errors_are_measured_in_three_ways() -> None:
    comparison = compare(singles(1.0, 4.5, -8), singles(1.0, 4.0, -8), Tolerance(1.0))
    assert (comparison.max_abs, comparison.max_rel) == (0.5, 0.125)
    assert comparison.max_ulps == 2**20
    assert comparison.ok and comparison.worst_index == (1,)
    assert (comparison.worst_actual, comparison.worst_expected) == (4.5, 4.0)
    assert (comparison.worst_low, comparison.worst_high) == (3.0, 5.0)


def test_mismatches_are_counted_and_the_worst_is_found() -> None:
    expected = np.arange(12, dtype=np.float32).reshape(3, 4)
    actual = expected.copy()
    actual[0, 1] += 0.5
    actual[2, 3] += 5
    comparison = compare(actual, expected, Tolerance(0.25))
    assert (comparison.mismatch_count, comparison.mismatch_share) == (2, 2 / 12)
    assert comparison.worst_index == (2, 3)
    assert not comparison


def test_the_worst_place_is_relative_to_what_is_allowed_there() -> None:
    tolerance = Tolerance(np.array([10.0, 0.001]))
    comparison = compare(singles(100, 1), singles(112, 1.01), tolerance)
    assert comparison.mismatch_count == 2 and comparison.worst_index == (1,)


def test_a_mismatch_is_worse_than_any_error_that_is_allowed() -> None:
    tolerance = Tolerance(np.array([1e-30, 0.0]))
    comparison = compare(np.array([0.0, 5.0]), np.array([9e-31, 5.0000001]), tolerance)
    assert comparison.worst_index == (1,)


@pytest.mark.parametrize(
    ("actual", "expected", "good"),
    [
        (NAN, NAN, True),
        (NAN, 1.0, False),
        (1.0, NAN, False),
        (NAN, INF, False),
        (INF, INF, True),
        (-INF, -INF, True),
        (INF, -INF, False),
        (INF, 1.0, False),
        (1.0, INF, False),
    ],
)
def test_nan_and_infinities_match_only_themselves(
    actual: float, expected: float, good: bool
) -> None:
    comparison = compare(singles(0, actual), singles(0, expected), Tolerance(1e30))
    assert comparison.ok is good
    assert comparison.max_abs == (0 if good else INF)
    assert comparison.worst_index == ((0,) if good else (1,))


def test_a_relative_error_of_zero_is_infinite_unless_it_is_none() -> None:
    assert compare(singles(0.0, 1e-9), singles(0.0, 0.0), Tolerance(1.0)).max_rel == INF
    assert compare(singles(0.0), singles(-0.0), EXACT).max_rel == 0


@pytest.mark.parametrize(
    ("name", "encoding"), [("fp16", None), ("bf16", None), ("fp8", "fnuz"), ("bf8", "ocp")]
)
def test_ulps_are_those_of_the_results_dtype(name: str, encoding: str | None) -> None:
    values = convert([1.0, 2.0], name, encoding)
    pattern = values.view(f"u{values.dtype.itemsize}") + np.array(
        [3, 0], f"u{values.dtype.itemsize}"
    )
    comparison = compare(pattern.view(values.dtype), values, Tolerance(10.0))
    assert comparison.max_ulps == 3 and comparison.worst_index == (0,)


def test_integers_compare_exactly() -> None:
    comparison = compare(np.array([2**31 - 1, 5], np.int32), np.array([2**31 - 2, 5]), EXACT)
    assert (comparison.mismatch_count, comparison.max_abs, comparison.max_ulps) == (1, 1, 1)


def test_empty_arrays_agree() -> None:
    comparison = compare(singles(), singles(), EXACT)
    assert comparison and comparison.worst_index is None and comparison.mismatch_share == 0
    assert str(comparison) == "there is nothing to compare"
    assert comparison.to_json()["worst"] is None


def test_a_scalar_has_an_empty_index() -> None:
    assert compare(np.array(1, np.float32), np.array(2, np.float32), EXACT).worst_index == ()


def test_strides_do_not_matter() -> None:
    values = np.arange(24, dtype=np.float16).reshape(4, 6)
    assert compare(values.T[::-1], np.ascontiguousarray(values.T[::-1]), EXACT)


def test_shapes_must_agree() -> None:
    with pytest.raises(
        InvalidArgument, match=r"the shape \(2,\) and what is expected \(3,\); only"
    ):
        compare(singles(1, 2), singles(1, 2, 3), EXACT)


def test_what_is_not_a_number_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"^arrays of complex64 cannot be compared, only flo"):
        compare(np.zeros(2, np.complex64), np.zeros(2), EXACT)
    with pytest.raises(InvalidArgument, match=r"^arrays of bool cannot be compared"):
        compare(np.zeros(2), np.zeros(2, bool), EXACT)


def test_the_sentence_of_a_good_result() -> None:
    comparison = compare(singles(1.0, 4.5), singles(1.0, 4.0), Tolerance(1.0))
    assert str(comparison) == (
        "all 2 values are within their tolerance; the largest errors are 0.5 absolute, "
        "0.125 relative and 1048576 ulps"
    )


def test_the_sentence_of_a_bad_result() -> None:
    comparison = compare(singles(1.0, 4.5).reshape(1, 2), singles(1, 4).reshape(1, 2), EXACT)
    assert str(comparison) == (
        "1 of 2 values (50 %) are beyond their tolerance, worst at [0, 1] with 4.5 for 4, where "
        "4 to 4 is allowed; the largest errors are 0.5 absolute, 0.125 relative and 1048576 ulps"
    )


def test_a_bad_result_raises_its_sentence_and_a_good_one_returns_itself() -> None:
    good, bad = compare(singles(1), singles(1), EXACT), compare(singles(1), singles(2), EXACT)
    assert good.raise_if_bad() is good
    with pytest.raises(Mismatch) as caught:
        bad.raise_if_bad()
    assert str(caught.value) == str(bad) and caught.value.code == Code.MISMATCH


def test_json_has_everything_and_is_valid_even_for_nan() -> None:
    data = json.loads(
        json.dumps(compare(singles(NAN, 1), singles(1, 1), EXACT).to_json(), allow_nan=False)
    )
    assert data["ok"] is False and data["mismatch_share"] == 0.5
    assert (data["max_abs"], data["max_ulps"]) == ("inf", "inf")
    assert data["worst"] == {"index": [0], "actual": "nan", "expected": 1, "low": 1, "high": 1}


def test_a_comparison_cannot_be_changed() -> None:
    comparison = compare(singles(1), singles(1), EXACT)
    with pytest.raises(dataclasses.FrozenInstanceError):
        comparison.max_abs = 0.0  # type: ignore[misc]  # refused at run time too


patterns = st.integers(min_value=0, max_value=2**16 - 1)


@given(st.lists(st.tuples(patterns, patterns), min_size=1, max_size=8), st.sampled_from([0, 1, 8]))
def test_whatever_bits_a_buffer_holds_it_can_be_compared(
    pairs: list[tuple[int, int]], allowed: int
) -> None:
    bits = np.array(pairs, np.uint16)
    for dtype in (numpy_dtype("fp16"), numpy_dtype("bf16")):
        actual, expected = bits[:, 0].view(dtype), bits[:, 1].view(dtype)
        comparison = compare(actual, expected, Tolerance(float(allowed)))
        assert isinstance(comparison, Comparison)
        assert (comparison.max_ulps == 0) <= comparison.ok
        assert comparison.worst_index is not None
        json.dumps(comparison.to_json(), allow_nan=False)

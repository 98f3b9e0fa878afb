# SPDX-License-Identifier: MIT
"""ULPs count the numbers of a dtype, whichever it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ckdispatch.reference.dtypes import convert, numpy_dtype
from ckdispatch.reference.formats import ulp_distance, widened

SMALL = [
    numpy_dtype(name, encoding)
    for name, encoding in [
        ("fp16", None),
        ("bf16", None),
        ("fp8", "fnuz"),
        ("fp8", "ocp"),
        ("bf8", "fnuz"),
        ("bf8", "ocp"),
        ("pk_fp4", None),
    ]
]


def steps(one: float, other: float, dtype: np.dtype[Any]) -> float:
    a, b = np.array([one]).astype(dtype), np.array([other]).astype(dtype)
    return float(ulp_distance(a, b)[0])


@pytest.mark.parametrize("dtype", SMALL, ids=str)
def test_neighbours_are_one_step_apart_all_the_way(dtype: np.dtype[Any]) -> None:
    count = 16 if dtype.name == "float4_e2m1fn" else 1 << 8 * dtype.itemsize
    patterns = np.arange(count).astype(f"u{dtype.itemsize}").view(dtype)
    wide = widened(patterns)
    values = np.unique(wide[~np.isnan(wide)]).astype(dtype)
    assert (ulp_distance(values[1:], values[:-1]) == 1).all()
    assert ulp_distance(values[:1], values[-1:]) == len(values) - 1


def test_single_and_double_precision_count_their_own_numbers() -> None:
    for kind in (np.float32, np.float64):
        one = np.array([1.0], kind)
        assert ulp_distance(one, np.nextafter(one, kind(2)))[0] == 1
        assert ulp_distance(np.array([-0.0], kind), np.array([0.0], kind))[0] == 0
        tiny = np.finfo(kind).smallest_subnormal
        assert ulp_distance(np.array([-tiny], kind), np.array([tiny], kind))[0] == 2


def test_the_extremes_of_double_precision_do_not_overflow() -> None:
    limits = np.array([np.inf, -np.inf])
    assert ulp_distance(limits[:1], limits[1:])[0] == pytest.approx(2 * 0x7FF0000000000000)


def test_infinity_follows_the_largest_number() -> None:
    assert steps(65504.0, np.inf, np.dtype(np.float16)) == 1


def test_nan_is_next_to_nothing_but_nan() -> None:
    half = np.dtype(np.float16)
    assert steps(np.nan, np.nan, half) == 0
    assert steps(np.nan, 1.0, half) == steps(1.0, np.nan, half) == np.inf
    assert steps(np.nan, 1.0, numpy_dtype("fp8", "fnuz")) == np.inf


def test_integers_are_as_far_apart_as_they_differ() -> None:
    one, other = np.array([-128], np.int8), np.array([127], np.int8)
    assert ulp_distance(one, other)[0] == 255


def test_strided_and_empty_arrays_are_welcome() -> None:
    values = convert(np.arange(12).reshape(3, 4), "bf16")
    assert (ulp_distance(values.T[::2], values.T[::2]) == 0).all()
    assert ulp_distance(values[:0], values[:0]).shape == (0, 4)
    assert ulp_distance(values[0, 0:1].reshape(()), values[0, 0:1].reshape(())) == 0


def test_two_dtypes_have_no_distance() -> None:
    with pytest.raises(TypeError, match="ulps between float16 and float32 are not defined"):
        ulp_distance(np.zeros(1, np.float16), np.zeros(1, np.float32))

# SPDX-License-Identifier: MIT
"""Rounding is that of the format, once, in both directions, up to its limits and beyond."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ckdispatch.errors import InvalidArgument
from ckdispatch.reference.dtypes import numpy_dtype
from ckdispatch.reference.formats import FloatFormat, Rounding, is_float, round_to, widened
from hypothesis import given, settings
from hypothesis import strategies as st

settings.register_profile("reference", max_examples=200, deadline=None, database=None)
settings.load_profile("reference")

FP16, BF16, FP32 = (numpy_dtype(name) for name in ("fp16", "bf16", "fp32"))
SMALL = [numpy_dtype(name, encoding) for name in ("fp8", "bf8") for encoding in ("fnuz", "ocp")]
FLOATS = [FP16, BF16, FP32, *SMALL, numpy_dtype("pk_fp4")]
floats = st.floats(allow_nan=False, allow_infinity=False, width=64)
singles = st.floats(allow_nan=False, allow_infinity=False, width=32)


def every(dtype: np.dtype[Any]) -> np.ndarray:
    """All finite values of a dtype of at most 16 bits, in order."""
    count = 16 if dtype.name == "float4_e2m1fn" else 1 << 8 * dtype.itemsize
    patterns = widened(np.arange(count).astype(f"u{dtype.itemsize}").view(dtype))
    return np.unique(patterns[np.isfinite(patterns)])


def rounded(value: float, dtype: np.dtype[Any], rounding: Rounding = Rounding.NEAREST) -> float:
    return float(round_to(np.array(value), dtype, rounding).astype(np.float64))


@pytest.mark.parametrize("dtype", [d for d in FLOATS if d != FP32], ids=str)
@pytest.mark.parametrize("rounding", Rounding)
def test_every_value_of_a_dtype_is_its_own_rounding(
    dtype: np.dtype[Any], rounding: Rounding
) -> None:
    values = every(dtype)
    assert (round_to(values, dtype, rounding).astype(np.float64) == values).all()


@pytest.mark.parametrize("dtype", [d for d in FLOATS if d != FP32], ids=str)
def test_between_two_neighbours_the_nearer_wins_and_ties_go_to_even(dtype: np.dtype[Any]) -> None:
    values = every(dtype)
    low, high = values[:-1], values[1:]
    middle = (low + high) / 2
    gap = high - low
    assert (round_to(middle - gap / 8, dtype).astype(np.float64) == low).all()
    assert (round_to(middle + gap / 8, dtype).astype(np.float64) == high).all()
    tie = round_to(middle, dtype)
    pattern = tie.view(f"u{dtype.itemsize}")
    assert (pattern & 1 == 0).all()


@pytest.mark.parametrize("dtype", [d for d in FLOATS if d != FP32], ids=str)
def test_towards_zero_never_rounds_away_from_it(dtype: np.dtype[Any]) -> None:
    values = every(dtype)
    low, high = values[:-1], values[1:]
    inside = low + (high - low) * 0.9
    expected = np.where(np.abs(low) < np.abs(high), low, high)
    got = round_to(inside, dtype, Rounding.TOWARDS_ZERO).astype(np.float64)
    assert (got == expected).all()


@given(floats)
def test_fp16_and_fp32_are_what_numpy_casts_to(value: float) -> None:
    with np.errstate(over="ignore", under="ignore"):
        assert rounded(value, FP16) == float(np.float64(value).astype(np.float16))
        assert rounded(value, FP32) == float(np.float64(value).astype(np.float32))


@given(singles)
def test_bf16_of_a_float32_is_what_ml_dtypes_casts_to(value: float) -> None:
    assert rounded(value, BF16) == float(np.float32(value).astype(ml_dtypes.bfloat16))


@given(singles)
def test_bf16_towards_zero_drops_the_low_half_of_a_float32(value: float) -> None:
    bits = np.array(value, np.float32).view(np.uint32) & np.uint32(0xFFFF0000)
    assert rounded(value, BF16, Rounding.TOWARDS_ZERO) == float(bits.view(np.float32))


def test_a_float64_is_rounded_once_on_its_way_to_bf16() -> None:
    # Through float32 this would become the tie 1 + 2**-8, and then 1.
    assert rounded(1 + 2.0**-8 + 2.0**-40, BF16) == 1 + 2.0**-7


def test_too_large_becomes_infinite_in_16_and_32_bits() -> None:
    assert (rounded(65519.9, FP16), rounded(65520.0, FP16)) == (65504.0, np.inf)
    assert rounded(-1e39, FP32) == -np.inf
    assert rounded(65535.9, FP16, Rounding.TOWARDS_ZERO) == 65504.0
    assert rounded(65536.0, FP16, Rounding.TOWARDS_ZERO) == np.inf


@pytest.mark.parametrize(
    ("dtype", "largest"), list(zip(SMALL, (240.0, 448.0, 57344.0, 57344.0), strict=False)), ids=str
)
def test_too_large_saturates_in_8_bits(dtype: np.dtype[Any], largest: float) -> None:
    assert rounded(1e30, dtype) == largest
    assert rounded(-1e30, dtype) == -largest
    assert np.isnan(rounded(np.nan, dtype))


def test_an_infinity_survives_only_where_the_format_has_one() -> None:
    assert [rounded(-np.inf, dtype) for dtype in (FP16, BF16, FP32)] == [-np.inf] * 3
    fnuz, ocp, bf8_fnuz, bf8_ocp = (rounded(np.inf, dtype) for dtype in SMALL)
    assert np.isnan([fnuz, ocp, bf8_fnuz]).all() and bf8_ocp == np.inf


def test_fp4_saturates_and_has_no_place_for_nan() -> None:
    assert rounded(100.0, numpy_dtype("pk_fp4")) == 6.0
    with pytest.raises(InvalidArgument, match="float4_e2m1fn holds neither NaN nor infinities"):
        rounded(np.nan, numpy_dtype("pk_fp4"))


def test_integers_wrap_and_floats_saturate_towards_integers() -> None:
    assert round_to(np.array([2**31 + 5]), np.dtype(np.int32)).tolist() == [-(2**31) + 5]
    values = np.array([1e10, -1e10, 1.9, -1.9, np.nan])
    assert round_to(values, np.dtype(np.int32)).tolist() == [2**31 - 1, -(2**31), 1, -1, 0]


def test_a_format_knows_its_limits() -> None:
    form = FloatFormat.of(FP16)
    assert (form.precision, form.unit_roundoff, form.max) == (11, 2.0**-11, 65504.0)
    assert (form.smallest_normal, form.smallest_subnormal) == (2.0**-14, 2.0**-24)


def test_only_floats_have_a_format() -> None:
    assert not is_float(np.dtype(np.complex64)) and not is_float(np.dtype(ml_dtypes.int4))
    with pytest.raises(InvalidArgument, match=r"^int32 is not a floating-point dtype$"):
        FloatFormat.of(np.dtype(np.int32))

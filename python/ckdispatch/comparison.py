# SPDX-License-Identifier: MIT
"""How a result differs from what was expected, and whether that is within its tolerance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ckdispatch.errors import InvalidArgument, Mismatch
from ckdispatch.reference.formats import Wide, as_array, is_float, round_to, ulp_distance, widened
from ckdispatch.reference.tolerance import Tolerance, rounding_error
from ckdispatch.wording import kind_of


@dataclass(frozen=True)
class Comparison:
    """What ``compare`` found. It is true if every value is within its tolerance.

    The largest errors are those of all values, also of the good ones. An error is infinite where
    one of two values is NaN or infinite and the other is not, and a relative one also where 0 was
    expected. The worst place is where an error is largest next to what its tolerance allows, which
    is from ``worst_low`` to ``worst_high``; it is None for arrays without elements.
    """

    size: int
    mismatch_count: int
    max_abs: float
    max_rel: float
    max_ulps: float
    worst_index: tuple[int, ...] | None
    worst_actual: float
    worst_expected: float
    worst_low: float
    worst_high: float

    @property
    def ok(self) -> bool:
        """Whether every value is within its tolerance."""
        return self.mismatch_count == 0

    @property
    def mismatch_share(self) -> float:
        """The share of values beyond their tolerance, from 0 to 1."""
        return self.mismatch_count / self.size if self.size else 0.0

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        if self.worst_index is None:
            return "there is nothing to compare"
        place = ", ".join(str(index) for index in self.worst_index)
        errors = (
            f"the largest errors are {self.max_abs:.4g} absolute, {self.max_rel:.4g} relative "
            f"and {self.max_ulps:.15g} ulps"
        )
        if self.ok:
            return f"all {self.size} values are within their tolerance; {errors}"
        return (
            f"{self.mismatch_count} of {self.size} values ({100 * self.mismatch_share:.3g} %) are "
            f"beyond their tolerance, worst at [{place}] with {self.worst_actual:.9g} for "
            f"{self.worst_expected:.9g}, where {self.worst_low:.9g} to {self.worst_high:.9g} is "
            f"allowed; {errors}"
        )

    def raise_if_bad(self) -> Comparison:
        """Itself, or ``Mismatch`` with the sentence if any value is beyond its tolerance."""
        if not self.ok:
            raise Mismatch(str(self))
        return self

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON values; what is not finite becomes a string such as ``"inf"``."""
        worst = {
            name: _json_number(getattr(self, f"worst_{name}"))
            for name in ("actual", "expected", "low", "high")
        }
        return {
            "ok": self.ok,
            "size": self.size,
            "mismatch_count": self.mismatch_count,
            "mismatch_share": self.mismatch_share,
            **{
                name: _json_number(getattr(self, name))
                for name in ("max_abs", "max_rel", "max_ulps")
            },
            "worst": None
            if self.worst_index is None
            else {"index": list(self.worst_index), **worst},
        }


def compare(actual: NDArray[Any], expected: NDArray[Any], tolerance: Tolerance) -> Comparison:
    """How ``actual`` differs from ``expected``, of any dtypes and strides but the same shape.

    NaN is right only where NaN is expected, and an infinity only where one of its sign is, or where
    the tolerance reaches beyond the largest number of ``actual``'s dtype. ULPs are those of that
    dtype, from ``expected`` rounded to it.
    """
    actual, expected = as_array("the result", actual), as_array("what is expected", expected)
    if not isinstance(tolerance, Tolerance):
        raise InvalidArgument(
            f"arrays were to be compared with {kind_of(tolerance)} as the tolerance; "
            "it must be a Tolerance"
        )
    _check(actual, expected)
    if actual.size == 0:
        return Comparison(0, 0, 0.0, 0.0, 0.0, None, *(math.nan,) * 4)
    have, want = widened(actual), widened(expected)
    low, high = tolerance.limits(expected, actual.dtype)
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        good = (np.isnan(have) & np.isnan(want)) | ((low <= have) & (have <= high))
        absolute = _absolute_errors(have, want)
        relative = np.where(absolute == 0, 0.0, absolute / np.abs(want))
        relative = np.where(np.isnan(relative), np.inf, relative)
        ulps = ulp_distance(actual, round_to(expected, actual.dtype))
        severity = _severity(absolute, tolerance.bound(expected), want, actual.dtype)
    worst = np.unravel_index(np.argmax(np.where(good & ~good.all(), -1.0, severity)), have.shape)
    return Comparison(
        size=actual.size,
        mismatch_count=int(actual.size - np.count_nonzero(good)),
        max_abs=float(absolute.max()),
        max_rel=float(relative.max()),
        max_ulps=float(ulps.max()),
        worst_index=tuple(int(index) for index in worst),
        worst_actual=float(have[worst]),
        worst_expected=float(want[worst]),
        worst_low=float(low[worst]),
        worst_high=float(high[worst]),
    )


def _check(actual: NDArray[Any], expected: NDArray[Any]) -> None:
    if actual.shape != expected.shape:
        raise InvalidArgument(
            f"the result has the shape {actual.shape} and what is expected {expected.shape}; only "
            "arrays of one shape can be compared"
        )
    for array in (actual, expected):
        if not is_float(array.dtype) and not np.issubdtype(array.dtype, np.integer):
            raise InvalidArgument(
                f"arrays of {array.dtype} cannot be compared, only floats and integers"
            )


def _absolute_errors(have: Wide, want: Wide) -> Wide:
    same = (have == want) | (np.isnan(have) & np.isnan(want))
    errors = np.where(same, 0.0, np.abs(have - want))
    return np.where(np.isnan(errors), np.inf, errors)


def _severity(absolute: Wide, bound: Wide, want: Wide, dtype: np.dtype[Any]) -> Wide:
    """Errors next to what is allowed and half a last place, which would be no one's fault."""
    floor = rounding_error(want, dtype) if is_float(dtype) else 1.0
    ratio = absolute / (bound + floor)
    return np.where(np.isnan(ratio), np.where(absolute == 0, 0.0, np.inf), ratio)


def _json_number(value: float) -> float | int | str:
    if not math.isfinite(value):
        return str(value)
    return int(value) if value == int(value) and abs(value) < 2**53 else value


@dataclass(frozen=True, eq=False)
class Reference:
    """A result in float64, the same as stored in the output dtype, and the allowed error."""

    exact: Wide
    rounded: NDArray[Any]
    tolerance: Tolerance

    def compare(self, actual: NDArray[Any]) -> Comparison:
        """How ``actual``, which must be of the output dtype, differs from this."""
        if actual.dtype != self.rounded.dtype:
            raise InvalidArgument(
                f"the result is of {actual.dtype} and the reference of {self.rounded.dtype}; "
                "a tolerance belongs to its dtype, so name the output's when making the reference"
            )
        return compare(actual, self.exact, self.tolerance)

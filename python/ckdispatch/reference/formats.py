# SPDX-License-Identifier: MIT
"""What a dtype can hold, rounding to it in either direction that kernels round, and how many of its
numbers lie between two.

The rounding is done here rather than by a cast: a cast to bfloat16 rounds twice, through float32,
one to an 8-bit float gives NaN where CK saturates, and none rounds towards zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ckdispatch.errors import InvalidArgument
from ckdispatch.wording import kind_of

Wide = NDArray[np.float64]


class Rounding(Enum):
    """Which of two neighbours a value between them becomes."""

    NEAREST = "nearest"
    TOWARDS_ZERO = "towards zero"


@dataclass(frozen=True)
class FloatFormat:
    """A binary floating-point format.

    ``precision`` counts the bits of the significand with the implied one, ``2**min_exponent`` is
    the smallest normal number. A format that ``saturates`` stores the largest number for all finite
    values beyond it, as CK does for 8-bit floats.
    """

    precision: int
    min_exponent: int
    max: float
    saturates: bool
    has_infinity: bool
    has_nan: bool

    @property
    def unit_roundoff(self) -> float:
        """The largest relative error of rounding a normal number to nearest."""
        return float(2.0**-self.precision)

    @property
    def smallest_normal(self) -> float:
        """The smallest number with full precision."""
        return float(2.0**self.min_exponent)

    @property
    def smallest_subnormal(self) -> float:
        """The distance between the smallest numbers."""
        return float(2.0 ** (self.min_exponent - self.precision + 1))

    @classmethod
    def of(cls, dtype: np.dtype[Any]) -> FloatFormat:
        """The format of a floating-point ``dtype``, of NumPy's or of ml_dtypes'."""
        try:
            facts: Any = ml_dtypes.finfo(dtype)
        except ValueError:
            raise InvalidArgument(f"{dtype} is not a floating-point dtype") from None
        special = np.array([np.inf, np.nan]).astype(dtype).astype(np.float64)
        return cls(
            precision=int(facts.nmant) + 1,
            min_exponent=int(facts.minexp),
            max=float(facts.max),
            saturates=dtype.itemsize == 1,
            has_infinity=bool(np.isinf(special[0])),
            has_nan=bool(np.isnan(special[1])),
        )


def is_float(dtype: np.dtype[Any]) -> bool:
    """Whether ``dtype`` is a floating-point dtype, also one that NumPy itself does not know."""
    try:
        ml_dtypes.finfo(dtype)
    except ValueError:
        return False
    return dtype.kind != "c"


def check_array(name: str, given: Any) -> None:
    """Refuses what is no array of numbers."""
    if not isinstance(given, np.ndarray):
        raise InvalidArgument(f"{name} is {kind_of(given)}; the reference takes NumPy arrays")
    if given.dtype.kind in "OSUMmc" or given.dtype.names is not None:
        raise InvalidArgument(f"{name} is an array of {given.dtype}; the reference takes numbers")


def as_array(name: str, given: Any) -> NDArray[Any]:
    """An array, also from a list of numbers."""
    try:
        return np.asarray(given)
    except (TypeError, ValueError, RecursionError, RuntimeError):
        raise InvalidArgument(f"{name} is {kind_of(given)}; it must be an array") from None


def widened(values: NDArray[Any]) -> Wide:
    """``values`` in float64, without a warning for signalling NaNs, which memory may well hold."""
    with np.errstate(invalid="ignore"):
        return values.astype(np.float64)


def stand_in(shape: Sequence[int], dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array of that shape and dtype for what is on the device, which takes no memory."""
    return np.broadcast_to(np.zeros((), dtype), tuple(shape))


def round_to(
    values: NDArray[Any], dtype: np.dtype[Any], rounding: Rounding = Rounding.NEAREST
) -> NDArray[Any]:
    """``values`` as an array of ``dtype``; ties go to even.

    Floats become integers as in C++, towards zero, but saturating; integers that are too large
    for an integer dtype wrap around as they do in a kernel's accumulator.
    """
    if not is_float(dtype):
        if not is_float(values.dtype):
            return values.astype(dtype)
        limits = np.iinfo(dtype)
        whole: Wide = np.trunc(np.nan_to_num(widened(values)))
        return np.clip(whole, limits.min, limits.max).astype(dtype)
    wide = widened(values)
    if dtype == np.float64:
        return wide
    form = FloatFormat.of(dtype)
    if not form.has_nan and not np.isfinite(wide).all():
        raise InvalidArgument(f"{dtype} holds neither NaN nor infinities, and the values have some")
    return _overflowed(_quantized(wide, form, rounding), wide, form).astype(dtype)


def _quantized(values: Wide, form: FloatFormat, rounding: Rounding) -> Wide:
    """The multiples of each value's last place, as if exponents had no upper limit."""
    _, exponents = np.frexp(values)
    last_place = np.maximum(exponents - 1, form.min_exponent) - (form.precision - 1)
    scaled = np.ldexp(values, -last_place)
    whole = np.rint(scaled) if rounding is Rounding.NEAREST else np.trunc(scaled)
    quantized: Wide = np.ldexp(whole, last_place)
    return quantized


def _overflowed(rounded: Wide, values: Wide, form: FloatFormat) -> Wide:
    too_large = np.abs(rounded) > form.max
    if form.saturates:
        rounded = np.where(too_large & np.isfinite(values), np.copysign(form.max, values), rounded)
        return rounded if form.has_infinity else np.where(np.isinf(rounded), np.nan, rounded)
    return np.where(too_large, np.copysign(np.inf, values), rounded)


def ulp_distance(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.float64]:
    """The steps from one value to the other through all numbers of their dtype.

    Both zeros are the same number, and an infinity follows the largest one. NaN is no steps away
    from NaN and infinitely many from everything else. Integers are as many steps apart as they
    differ by.
    """
    if one.dtype != other.dtype:
        raise TypeError(f"ulps between {one.dtype} and {other.dtype} are not defined")
    if not is_float(one.dtype):
        return np.abs(one.astype(np.float64) - other.astype(np.float64))
    a, b = _place(one), _place(other)
    # Unsigned differences: two float64 can be farther apart than an int64 can say.
    steps = np.where(a > b, a - b, b - a).astype(np.uint64).astype(np.float64)
    nan_a, nan_b = _is_nan(one), _is_nan(other)
    steps = np.where(nan_a ^ nan_b, np.inf, steps)
    return np.where(nan_a & nan_b, 0.0, steps)


def _place(values: NDArray[Any]) -> NDArray[np.int64]:
    """The place of each number in the order of all numbers, zero at 0.

    A bit pattern without its sign counts the numbers from zero on, in every format used here.
    """
    unsigned = np.dtype(f"u{values.dtype.itemsize}")
    patterns = np.ascontiguousarray(values).reshape(values.shape).view(unsigned)
    bits = 4 if values.dtype.name.startswith("float4") else 8 * values.dtype.itemsize
    sign = 1 << (bits - 1)
    magnitude = (patterns & unsigned.type(sign - 1)).astype(np.int64)
    places: NDArray[np.int64] = np.where(
        (patterns & unsigned.type(sign)) != 0, -magnitude, magnitude
    )
    return places


def _is_nan(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.isnan(widened(values))

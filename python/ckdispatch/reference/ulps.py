# SPDX-License-Identifier: MIT
"""How many numbers of a dtype lie between two of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ckdispatch.reference.formats import is_float, widened


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

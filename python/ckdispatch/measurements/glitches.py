# SPDX-License-Identifier: MIT
"""Which rows of a table of times are not times of their kernels: a clock that stalled, a process
that came in between.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNEXPLAINED = 3.0
"""Times what problem and kernel explain."""

UNLIKE_ITS_EQUALS = 1.35
"""Times the median of the same compiled kernel on the same problem."""

_ROUNDS = 10
"""Of the median polish. It hardly moves after three."""


def glitches(
    times: Sequence[float],
    cases: Sequence[Hashable],
    names: Sequence[Hashable],
    compiled: Sequence[Hashable],
) -> NDArray[np.bool_]:
    """Whether each time is a glitch.

    ``names`` are what a table calls its kernels, and ``compiled`` what they are: some of the former
    may be one of the latter.
    """
    measured = np.asarray(times, dtype=float)
    of_case, of_name = _numbered(cases), _numbered(names)
    residual = np.log(measured)
    for _ in range(_ROUNDS):
        residual = residual - _medians(residual, of_case)
        residual = residual - _medians(residual, of_name)
    equals = _medians(measured, _numbered(list(zip(cases, compiled, strict=True))))
    found: NDArray[np.bool_] = (residual > np.log(UNEXPLAINED)) | (
        measured > UNLIKE_ITS_EQUALS * equals
    )
    return found


def shares(groups: Sequence[Hashable]) -> list[float]:
    """For each row one divided by the number of rows of its group."""
    numbers = _numbered(groups)
    weights: list[float] = (1.0 / np.bincount(numbers)[numbers]).tolist()
    return weights


def _numbered(keys: Sequence[Hashable]) -> NDArray[np.intp]:
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)


def _medians(values: NDArray[Any], groups: NDArray[np.intp]) -> NDArray[Any]:
    """For each value the median of its group."""
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(np.bincount(groups))[:-1]
    medians = np.array([np.median(values[some]) for some in np.split(order, ends)])
    return medians[groups]

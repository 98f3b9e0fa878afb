# SPDX-License-Identifier: MIT
"""Whole numbers as callers have them: of Python, of NumPy, or anything else with ``__index__``."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from ckdispatch.errors import InvalidArgument
from ckdispatch.wording import spatial_axes


def whole(given: Any) -> int | None:
    """The number, or None if it is none; true and false are no numbers."""
    if isinstance(given, bool):
        return None
    try:
        return operator.index(given)
    except TypeError:
        return None


def needed(name: str, given: Any) -> int:
    """The number; refuses what is none, as the argument ``name``."""
    number = whole(given)
    if number is None:
        raise InvalidArgument(f"{name} was asked for as {given!r}; it must be a whole number")
    return number


def members(given: Any) -> tuple[Any, ...] | None:
    """What a sequence or an array holds, or None if it is neither."""
    if isinstance(given, Sequence) and not isinstance(given, str):
        return tuple(given)
    if getattr(given, "ndim", 0) and hasattr(given, "tolist"):
        return tuple(given.tolist())
    return None


def of_each_axis(name: str, given: Any, axes: int) -> tuple[Any, ...]:
    """One for each of some spatial axes; a number is for all."""
    several = members(given)
    if several is None:
        return (given,) * axes
    if len(several) != axes:
        raise InvalidArgument(
            f"{name} is {several}, and there {'is' if axes == 1 else 'are'} {spatial_axes(axes)}; "
            "give one for each, or a number for all"
        )
    return several

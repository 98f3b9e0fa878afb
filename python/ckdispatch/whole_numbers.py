# SPDX-License-Identifier: MIT
"""Whole numbers as callers have them: of Python, of NumPy, or anything else with ``__index__``."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from ckdispatch.errors import InvalidArgument
from ckdispatch.wording import quoted, spatial_axes


def whole(given: Any) -> int | None:
    """The number, or None if it is none; true and false are no numbers."""
    if isinstance(given, bool):
        return None
    if type(given).__name__ in ("bool", "bool_"):  # NumPy's
        return None
    try:
        return operator.index(given)
    except (TypeError, ValueError, OverflowError):
        return None


def needed(name: str, given: Any) -> int:
    """The number; refuses what is none, as the argument ``name``."""
    number = whole(given)
    if number is None:
        raise InvalidArgument(f"{name} was asked for as {quoted(given)}; it must be a whole number")
    return in_range(name, number, -(2**63), 2**63 - 1)


SIZE = "a whole number of at most 2^31-1"
"""What a size must be. One that the C ABI has room for may be larger here: the dispatcher refuses it with more to say."""


def needed_size(name: str, given: Any) -> int:
    """The number; refuses what is none, or has no room in the C ABI, as the size ``name``."""
    number = whole(given)
    if number is None or not fits(number):
        raise InvalidArgument(f"{name} was asked for as {quoted(given)}; it must be {SIZE}")
    return number


def fits(number: int, bits: int = 64) -> bool:
    """Whether so many bits, one of them for the sign, are enough."""
    return -(2 ** (bits - 1)) <= number < 2 ** (bits - 1)


def in_range(name: str, given: Any, least: int, most: int) -> int:
    """The number; refuses what is none, or too small or large, as the argument ``name``."""
    number = whole(given)
    if number is None or not least <= number <= most:
        raise InvalidArgument(f"{name} was asked for as {quoted(given)}; it must be a whole number from {least} to {most}")
    return number


def members(given: Any) -> tuple[Any, ...] | None:
    """What a sequence or an array holds, or None if it is neither."""
    if isinstance(given, Sequence) and not isinstance(given, (str, bytes)):
        return tuple(given)
    if isinstance(getattr(given, "ndim", None), int) and given.ndim and hasattr(given, "tolist"):
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

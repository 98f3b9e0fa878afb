# SPDX-License-Identifier: MIT
"""What callers give, checked: numbers, texts, paths, and values for C, which would cut off what
does not fit.
"""

from __future__ import annotations

import ctypes
import operator
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

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
"""What a size must be. One that the C ABI has room for may be larger here: the dispatcher refuses
it with more to say.
"""


def needed_size(name: str, given: Any) -> int:
    """The number; refuses what is none, or has no room in the C ABI, as the size ``name``."""
    number = whole(given)
    if number is None or not fits(number):
        raise InvalidArgument(f"{name} was asked for as {quoted(given)}; it must be {SIZE}")
    return number


def fits(number: int, bits: int = 64) -> bool:
    """Whether so many bits, one of them for the sign, are enough."""
    limit = 1 << (bits - 1)
    return -limit <= number < limit


def in_range(name: str, given: Any, least: int, most: int) -> int:
    """The number; refuses what is none, or too small or large, as the argument ``name``."""
    number = whole(given)
    if number is None or not least <= number <= most:
        raise InvalidArgument(
            f"{name} was asked for as {quoted(given)}; "
            f"it must be a whole number from {least} to {most}"
        )
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


S = TypeVar("S", bound=ctypes.Structure)

_WHOLE = (
    ctypes.c_int32,
    ctypes.c_uint32,
    ctypes.c_int64,
    ctypes.c_uint64,
    ctypes.c_size_t,
    ctypes.c_int,
)
_UNSIGNED = (ctypes.c_uint32, ctypes.c_uint64, ctypes.c_size_t)
ADDRESSES = 1 << 8 * ctypes.sizeof(ctypes.c_void_p)


def text(what: str, given: Any) -> bytes:
    """A text for C; refuses what is none, and what C would see the end of too early."""
    if not isinstance(given, str):
        raise InvalidArgument(f"{what} was asked for as {quoted(given)}; it must be a text")
    try:
        encoded = given.encode()
    except UnicodeEncodeError:
        raise InvalidArgument(
            f"{what} was asked for as {quoted(given)}, "
            "which is no text that can be written in UTF-8"
        ) from None
    if b"\0" in encoded:
        raise InvalidArgument(
            f"{what} was asked for as {quoted(given)}, which has a null character in it"
        )
    return encoded


def checked_path(what: str, given: Any) -> Path:
    """A path; refuses what is none. Bytes that are no text may be in it."""
    if not isinstance(given, (str, os.PathLike)):
        raise InvalidArgument(f"{what} was asked for as {quoted(given)}; it must be a path")
    try:
        path = Path(given)
        encoded = os.fsencode(path)
    except (TypeError, ValueError):
        raise InvalidArgument(
            f"{what} was asked for as {quoted(given)}, which is no path"
        ) from None
    if b"\0" in encoded:
        raise InvalidArgument(
            f"{what} was asked for as {quoted(given)}, which has a null character in it"
        )
    return path


def address(what: str, given: Any) -> int:
    """An address of the device."""
    return in_range(what, given, 0, ADDRESSES - 1)


def size(what: str, given: Any) -> int:
    """A number of bytes."""
    return in_range(what, given, 0, 2**63 - 1)


def truth(what: str, given: Any) -> bool:
    """True or false, also NumPy's."""
    if isinstance(given, bool):
        return given
    if type(given).__name__ in ("bool", "bool_") and type(given).__module__ == "numpy":
        return bool(given)
    raise InvalidArgument(f"{what} was asked for as {quoted(given)}; it is True or False")


def filled(kind: type[S], **values: Any) -> S:
    """A structure with its size, and with numbers that fit into their fields."""
    types = dict(field[:2] for field in kind._fields_)
    for name, value in values.items():
        if value is not None:
            check_fits(name, value, types[name])
    return kind(struct_size=ctypes.sizeof(kind), **values)


def check_fits(what: str, given: Any, kind: Any) -> None:
    """Refuses a number that C would cut off."""
    if isinstance(given, int):
        if kind is ctypes.c_void_p:
            address(what, given)
        elif kind in _WHOLE:
            bits = 8 * ctypes.sizeof(kind)
            least, most = (
                (0, 2**bits - 1) if kind in _UNSIGNED else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
            )
            if not least <= given <= most:
                in_range(what, given, least, most)


ON_DEVICE = "device"
"""What ``validate`` may be beside true and false: the reference's sums are the device's."""


def checked_by(validate: Any) -> bool | str:
    """What ``validate`` was asked for as, checked."""
    if isinstance(validate, str) and validate != ON_DEVICE:
        raise InvalidArgument(
            f"validate was asked for as {quoted(validate)}; it is True, False or {ON_DEVICE!r}"
        )
    return ON_DEVICE if isinstance(validate, str) else truth("validate", validate)

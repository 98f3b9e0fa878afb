# SPDX-License-Identifier: MIT
"""Which keys a row keeps, in the words of callers, and of Composable Kernel's examples."""

from __future__ import annotations

import re
from typing import Any

from ckdispatch.arguments import fits, members, truth, whole
from ckdispatch.errors import InvalidArgument
from ckdispatch.fmha.structure import MASKS
from ckdispatch.wording import quoted

Mask = tuple[str, tuple[int, int]]

NO_MASK: Mask = ("none", (-1, -1))

_WORDS = {"0": NO_MASK, "1": ("top_left", (-1, 0)), "2": ("bottom_right", (-1, 0))}
_WORDS |= {
    "t": _WORDS["1"],
    "b": _WORDS["2"],
    "none": NO_MASK,
    "top_left": _WORDS["1"],
    "bottom_right": _WORDS["2"],
}
_PAIR = re.compile(r"([tbg]):(-?\d{1,9}),(-?\d{1,9})", re.ASCII)
_CENTRED = re.compile(r"x([tb]):(-?\d{1,9})", re.ASCII)
_CORNERS = {"t": "top_left", "b": "bottom_right", "g": "top_left"}


def mask_of(causal: Any, window: Any, mask: Any) -> Mask:
    """The mask and its window, from one of the three ways to say it.

    ``causal`` True is ``bottom_right``; with a ``window`` it has nothing to its right. A window
    alone is from the bottom right.
    """
    if mask is not None:
        if window is not None or causal is not False:
            raise InvalidArgument(
                f"mask={quoted(mask)} was given together with causal or window; "
                "it says all of that by itself"
            )
        return _in_words(mask)
    corner = _corner(causal)
    left, right = (-1, -1) if window is None else _sides(window)
    if corner is not None:
        right = 0
    # Without a mask rows are aligned as from the bottom right.
    if (left, right) == (-1, -1):
        return NO_MASK
    return corner or "bottom_right", (left, right)


def _corner(causal: Any) -> str | None:
    if isinstance(causal, str):
        if causal not in MASKS[1:]:
            raise InvalidArgument(
                f"causal was asked for as {quoted(causal)}; it is True or False, "
                f"or one of {', '.join(MASKS[1:])}"
            )
        return causal
    return "bottom_right" if truth("causal", causal) else None


def _sides(window: Any) -> tuple[int, int]:
    """Of a pair, or of a number to the left: keys, and -1 or None for all."""
    sides = members(window)
    numbers = [-1 if side is None else whole(side) for side in sides] if sides is not None else []
    if len(numbers) != 2 or any(side is None or not fits(side, 32) for side in numbers):
        raise InvalidArgument(
            f"window was asked for as {quoted(window)}; it is a pair, of the keys to the left and "
            "to the right of the diagonal, -1 for all"
        )
    left, right = (max(-1, side) for side in numbers if side is not None)
    return left, right


def _in_words(mask: Any) -> Mask:
    if isinstance(mask, str):
        if mask in _WORDS:
            return _WORDS[mask]
        if pair := _PAIR.fullmatch(mask):
            left, right = int(pair[2]), int(pair[3])
            if pair[1] == "g":  # coordinates, which count the diagonal
                left, right = left - 1, right - 1
                if left < 0 or right < 0:
                    raise InvalidArgument(
                        f"mask was asked for as {quoted(mask)}; the numbers of g:y,x are at least 1"
                    )
            return _CORNERS[pair[1]], (max(-1, left), max(-1, right))
        if centred := _CENTRED.fullmatch(mask):
            size = int(centred[2])
            if size <= 0:
                return _CORNERS[centred[1]], (-1, 0)
            return _CORNERS[centred[1]], (size // 2, size - 1 - size // 2)
    raise InvalidArgument(
        f"mask was asked for as {quoted(mask)}; it is none, top_left, bottom_right, t:LEFT,RIGHT, "
        "b:LEFT,RIGHT, xt:SIZE, xb:SIZE or g:Y,X"
    )

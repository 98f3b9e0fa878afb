# SPDX-License-Identifier: MIT
"""Compares what a wave holds with what it should hold."""

from __future__ import annotations

import numpy as np
from pcode.floats import Format
from probe import State


def differences_between(got: State, wanted: State) -> list[str]:
    """Every register and byte that differs, as text; at most a few of each kind."""
    found = [
        f"v{row}[{lane}] = {got.v[row, lane]:#010x}, not {wanted.v[row, lane]:#010x}"
        for row, lane in _unequal(got.v, wanted.v)
    ]
    found += [
        f"s{n} = {got.s[n]:#010x}, not {wanted.s[n]:#010x}" for (n,) in _unequal(got.s, wanted.s)
    ]
    if got.scc != wanted.scc:
        found.append(f"scc = {got.scc}, not {wanted.scc}")
    for name in ("lds", "memory", "scratch"):
        left, right = getattr(got, name).reshape(-1), getattr(wanted, name).reshape(-1)
        found += [
            f"{name}[{n}] = {left[n]:#04x}, not {right[n]:#04x}" for (n,) in _unequal(left, right)
        ]
    return found


def _unequal(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The first few places that differ; mostly there are none, which is seen more quickly."""
    unequal = left != right
    return np.argwhere(unequal)[:4] if unequal.any() else np.empty((0, left.ndim), dtype=int)


def same_number(form: Format, got: int, wanted: int, places: int) -> bool:
    """Whether two patterns are the same number, up to some units in the last place.

    A NaN has its sign and its payload, and may be quiet where AMD's text hands on a signalling one:
    the simulator makes every NaN quiet.
    """
    if form.is_nan(wanted):
        return got in (wanted, wanted | form.quiet)
    return got == wanted or (
        places > 0
        and not form.is_nan(got)
        and abs(_ordered(form, got) - _ordered(form, wanted)) <= places
    )


def _ordered(form: Format, bits: int) -> int:
    size = bits & (form.sign - 1)
    return -size if bits & form.sign else size


def forgive(
    got: State, wanted: State, first: int, bits: int, form: Format, width: int, places: int
) -> None:
    """Replaces expected numbers in a vector operand by those that are as good."""
    rows = slice(first, first + (max(bits, width) + 31) // 32)
    for lane in np.flatnonzero((got.v[rows] != wanted.v[rows]).any(axis=0)):
        for place in range(0, max(bits, 32), width):
            row, low = first + place // 32, place % 32
            mask = (1 << width) - 1
            if width == 64:
                left = int(got.v[row, lane]) | int(got.v[row + 1, lane]) << 32
                right = int(wanted.v[row, lane]) | int(wanted.v[row + 1, lane]) << 32
            else:
                left, right = (
                    int(got.v[row, lane]) >> low & mask,
                    int(wanted.v[row, lane]) >> low & mask,
                )
            if left != right and same_number(form, left, right, places):
                wanted.v[row, lane] = (
                    got.v[row, lane]
                    if width >= 32
                    else int(wanted.v[row, lane]) ^ (left ^ right) << low
                )
                if width == 64:
                    wanted.v[row + 1, lane] = got.v[row + 1, lane]


def forgive_scalar(got: State, wanted: State, register: int, form: Format, places: int) -> None:
    """The same for a number in a scalar register."""
    mask = form.sign * 2 - 1
    left, right = int(got.s[register]), int(wanted.s[register])
    if left & ~mask == right & ~mask and same_number(form, left & mask, right & mask, places):
        wanted.s[register] = got.s[register]

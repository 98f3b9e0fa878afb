# SPDX-License-Identifier: MIT
"""Elements from one index of an extent to the next."""

from __future__ import annotations

from collections.abc import Sequence


def packed_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Without gaps, the last extent contiguous."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def strides_in_order(shape: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """Without gaps, where memory has the axes in that order, the outermost first."""
    packed = packed_strides([shape[axis] for axis in order])
    return tuple(packed[order.index(axis)] for axis in range(len(shape)))


def is_packed(
    shape: Sequence[int], strides: Sequence[int], order: Sequence[int] | None = None
) -> bool:
    """Whether ``strides`` are such, in that order, where there is a next index at all."""
    step = 1
    for axis in reversed(range(len(shape)) if order is None else order):
        if shape[axis] != 1 and strides[axis] != step:
            return False
        step *= shape[axis]
    return True

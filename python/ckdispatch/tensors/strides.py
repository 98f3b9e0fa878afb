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


def is_packed(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether ``strides`` are such, where there is a next index at all."""
    pairs = zip(shape, strides, packed_strides(shape), strict=True)
    return all(extent == 1 or stride == packed for extent, stride, packed in pairs)

# SPDX-License-Identifier: MIT
"""Tensors of callers and those of kernels, which have channels innermost and groups apart."""

from __future__ import annotations

from ckdispatch.errors import InvalidArgument
from ckdispatch.tensors.operands import Operand

CHANNELS_LAST = "channels_last"
CHANNELS_FIRST = "channels_first"
_LAYOUTS = (CHANNELS_LAST, CHANNELS_FIRST)


def check_layout(layout: object) -> None:
    """Refuses what is no layout."""
    if layout not in _LAYOUTS:
        raise InvalidArgument(
            f"the layout {layout!r} was asked for; there is channels_last (images are n, "
            "positions, channels) and channels_first (n, channels, positions)"
        )


def channels_last(one: Operand, layout: str) -> Operand:
    """An image as n, positions, channels, or a filter as outputs, positions, channels."""
    if not 3 <= len(one.shape) <= 5 or 0 in one.shape:
        raise InvalidArgument(
            f"{one.name} has the shape {one.shape}; from 3 to 5 extents are needed, of which one "
            "to three are positions, and none of 0"
        )
    if layout == CHANNELS_LAST:
        return one
    return one.transposed((0, *range(2, len(one.shape)), 1))


def as_given(axes: int, layout: str) -> tuple[int, ...]:
    """The order in which the axes of a tensor with its channels last are those of the layout."""
    if layout == CHANNELS_LAST:
        return tuple(range(axes))
    return (0, axes - 1, *range(1, axes - 1))


def grouped(one: Operand, tensor: str, groups: int) -> Operand:
    """With its groups apart: the channels of an image x or y are divided, and the outputs of w."""
    axis = 0 if tensor == "w" else len(one.shape) - 1
    return one.reshaped(axis, (groups, one.shape[axis] // groups))


def ungrouped_shape(shape: tuple[int, ...], tensor: str) -> tuple[int, ...]:
    """The inverse, of a shape that kernels have."""
    if tensor == "w":
        return (shape[0] * shape[1], *shape[2:])
    return (*shape[:-2], shape[-2] * shape[-1])

# SPDX-License-Identifier: MIT
"""Tensors of callers and those of kernels, which have groups apart.

Here a tensor always has its channels as the last axis; how its memory lies is a matter of strides.
"""

from __future__ import annotations

from functools import cache

from ckdispatch.errors import InvalidArgument
from ckdispatch.tensors.operands import Operand
from ckdispatch.wording import quoted, spatial_axes

CHANNELS_LAST = "channels_last"
CHANNELS_FIRST = "channels_first"
LAYOUTS = (CHANNELS_LAST, CHANNELS_FIRST)
_KERNELS_LAST = ("nwgc", "nhwgc", "ndhwgc")
_KERNELS_FIRST = ("ngcw", "ngchw", "ngcdhw")
"""Layouts of kernels, by the number of axes; the latter have channels before positions."""

KERNEL_LAYOUTS = (*_KERNELS_LAST, *_KERNELS_FIRST)


def check_layout(layout: object) -> None:
    """Refuses what is no layout."""
    if not isinstance(layout, str) or layout not in LAYOUTS:
        raise InvalidArgument(
            f"the layout {quoted(layout)} was asked for; there is channels_last (images are n, "
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


def kernel_layout(layout: str, axes: int) -> str:
    """What kernels with that many spatial axes call ``channels_last`` or ``channels_first``."""
    return (_KERNELS_FIRST if layout == CHANNELS_FIRST else _KERNELS_LAST)[axes - 1]


def check_kernel_layout(layout: str | None, axes: int, direction: str) -> None:
    """Refuses what is no layout of kernels with that many spatial axes, or not of the direction."""
    if layout is None:
        return
    fit = [_KERNELS_LAST[axes - 1]]
    if direction == "forward":
        fit.append(_KERNELS_FIRST[axes - 1])
    if layout not in fit:
        raise InvalidArgument(
            f"a convolution {direction} with {spatial_axes(axes)} in the layout {quoted(layout)} "
            f"was asked for; it has {' or '.join(fit)}{_why(layout, axes)}"
        )


def _why(layout: str, axes: int) -> str:
    if layout not in KERNEL_LAYOUTS:
        return f", and the layouts are {', '.join(KERNEL_LAYOUTS)}"
    if KERNEL_LAYOUTS.index(layout) % len(_KERNELS_LAST) == axes - 1:
        return ", because channels first is forward only"
    return ""


def is_channels_first(layout: str | None) -> bool:
    """Whether a layout of kernels is such."""
    return layout in _KERNELS_FIRST


@cache
def memory_order(tensor: str, axes: int, first: bool) -> tuple[int, ...]:
    """The axes of a tensor with its groups apart as kernels have them in memory, the outermost
    first; those of kernels with channels ``first`` lie before the positions.
    """
    if not first or tensor == "bias":
        return tuple(range(axes))
    outer = (0, 1, axes - 1) if tensor == "w" else (0, axes - 2, axes - 1)
    return (*outer, *(axis for axis in range(axes) if axis not in outer))


def ungrouped_shape(shape: tuple[int, ...], tensor: str) -> tuple[int, ...]:
    """The inverse, of a shape that kernels have."""
    if tensor == "w":
        return (shape[0] * shape[1], *shape[2:])
    return (*shape[:-2], shape[-2] * shape[-1])

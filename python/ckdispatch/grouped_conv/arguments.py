# SPDX-License-Identifier: MIT
"""The arguments of ``conv`` as torch has them: a number, or one for each spatial axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ckdispatch.errors import InvalidArgument

if TYPE_CHECKING:
    from ckdispatch.reference.conv_sizes import PerAxis


@dataclass(frozen=True)
class Steps:
    """How a filter moves over an image, as the caller says it."""

    stride: PerAxis = 1
    padding: PerAxis | Sequence[tuple[int, int]] = 0
    dilation: PerAxis = 1
    groups: int = 1

    def per_axis(self, axes: int) -> dict[str, tuple[int, ...]]:
        """What ``ConvSizes.of`` calls them, with a number for each axis."""
        pads = [_sides(one) for one in of_each_axis("padding", self.padding, axes)]
        return {
            "stride": of_each_axis("stride", self.stride, axes),
            "dilation": of_each_axis("dilation", self.dilation, axes),
            "left_pad": tuple(left for left, _ in pads),
            "right_pad": tuple(right for _, right in pads),
        }


def of_each_axis(name: str, given: Any, axes: int) -> tuple[Any, ...]:
    """One for each axis; a number is for all."""
    if not isinstance(given, Sequence) or isinstance(given, str):
        return (given,) * axes
    if len(given) != axes:
        raise InvalidArgument(
            f"{name} is {tuple(given)}, and there are {axes} spatial axes; give one for each, or a "
            "number for all"
        )
    return tuple(given)


def _sides(pad: Any) -> tuple[Any, Any]:
    """The pads of an axis before and behind it; a number is for both."""
    if not isinstance(pad, Sequence) or isinstance(pad, str):
        return pad, pad
    if len(pad) != 2:
        raise InvalidArgument(
            f"padding has {tuple(pad)} for an axis; it is a number, or a pair for both sides"
        )
    return pad[0], pad[1]

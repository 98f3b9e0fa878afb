# SPDX-License-Identifier: MIT
"""The arguments of ``conv`` as torch has them: a number, or one for each spatial axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ckdispatch.errors import InvalidArgument
from ckdispatch.whole_numbers import members, needed_size, of_each_axis, whole
from ckdispatch.wording import quoted

if TYPE_CHECKING:
    from ckdispatch.reference.conv_sizes import PerAxis


@dataclass(frozen=True)
class Steps:
    """How a filter moves over an image, as the caller says it."""

    stride: PerAxis = 1
    padding: PerAxis | Sequence[tuple[int, int]] = 0
    dilation: PerAxis = 1
    groups: int = 1

    def __post_init__(self) -> None:
        groups = whole(self.groups)
        if groups is None or not 1 <= groups < 2**63:
            raise InvalidArgument(
                f"groups = {quoted(self.groups)} was asked for; it is a whole number of at least 1"
            )
        object.__setattr__(self, "groups", groups)

    def per_axis(self, axes: int) -> dict[str, tuple[int, ...]]:
        """What ``ConvSizes.of`` calls them, with a number for each axis."""
        pads = [_sides(one) for one in of_each_axis("padding", self.padding, axes)]
        return {
            "stride": of_each_axis("stride", self.stride, axes),
            "dilation": of_each_axis("dilation", self.dilation, axes),
            "left_pad": tuple(left for left, _ in pads),
            "right_pad": tuple(right for _, right in pads),
        }


def _sides(pad: Any) -> tuple[int, int]:
    """The pads of an axis before and behind it; a number is for both."""
    sides = members(pad)
    if sides is None:
        sides = (pad, pad)
    if len(sides) != 2:
        raise InvalidArgument(
            f"padding has {sides} for an axis; it is a number, or a pair for both sides"
        )
    left, right = (needed_size("padding", side) for side in sides)
    return left, right

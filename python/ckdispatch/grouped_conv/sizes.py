# SPDX-License-Identifier: MIT
"""The sizes of a grouped convolution, the shapes of its tensors, and how deep its sums are.

Tensors are x (the input image), w (the weights) and y (the output image). Axes are n images, g
groups, c channels in and k channels out of one group, and one to three spatial ones, the innermost
last: w, or h and w, or d, h and w.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ckdispatch.arguments import members, needed_size, of_each_axis
from ckdispatch.errors import InvalidArgument
from ckdispatch.wording import quoted, spatial_axes

Indices: TypeAlias = NDArray[np.int64]
PerAxis: TypeAlias = "int | Sequence[int]"

TENSORS = {
    "forward": ("x", "w", "y"),
    "backward_data": ("y", "w", "x"),
    "backward_weight": ("y", "x", "w"),
}
"""The tensors of each direction: the two that it reads, and the one that it writes."""


@dataclass(frozen=True)
class ConvAxis:
    """One spatial axis."""

    input: int
    filter: int
    stride: int = 1
    dilation: int = 1
    left_pad: int = 0
    right_pad: int = 0

    def __post_init__(self) -> None:
        _make_whole(self)
        if min(self.input, self.filter, self.stride, self.dilation) < 1:
            raise InvalidArgument(
                f"an axis with input {self.input}, filter {self.filter}, stride {self.stride} and "
                f"dilation {self.dilation} was asked for; each of them must be at least 1"
            )
        if min(self.left_pad, self.right_pad) < 0:
            raise InvalidArgument(
                f"pads of {self.left_pad} and {self.right_pad} were asked for; "
                "a pad must be at least 0"
            )
        if self.span > self.padded:
            raise InvalidArgument(
                f"a filter of {self.filter} with dilation {self.dilation} spans {self.span} "
                f"positions, but an input of {self.input} with pads of {self.left_pad} and "
                f"{self.right_pad} has {self.padded}; use a smaller filter or dilation, or larger "
                "pads"
            )

    @property
    def padded(self) -> int:
        """Positions of the input with its pads."""
        return self.input + self.left_pad + self.right_pad

    @property
    def span(self) -> int:
        """Positions from the filter's first tap to its last."""
        return self.dilation * (self.filter - 1) + 1

    @property
    def output(self) -> int:
        """Positions of the output."""
        return (self.padded - self.span) // self.stride + 1

    def places(self) -> Indices:
        """The input position that each output (rows) reads at each tap (columns); in a pad -1."""
        outputs, taps = np.arange(self.output)[:, None], np.arange(self.filter)
        return _inside(outputs * self.stride + taps * self.dilation - self.left_pad, self.input)

    def classes(self) -> Iterator[tuple[Indices, Indices, Indices]]:
        """Input positions by their remainder modulo the stride, the taps that meet them, and where.

        Taps meet all positions of a class or none. The last array has the output position that each
        input position (rows) meets at each of the taps (columns), or -1 if there is no such output.
        """
        positions, taps = np.arange(self.input), np.arange(self.filter)
        for remainder in range(self.stride):
            rows = positions[(positions + self.left_pad) % self.stride == remainder]
            columns = taps[taps * self.dilation % self.stride == remainder]
            meets = (rows[:, None] + self.left_pad - columns * self.dilation) // self.stride
            yield rows, columns, _inside(meets, self.output)


@dataclass(frozen=True)
class ConvSizes:
    """All sizes of a grouped convolution; every problem that can be made is a consistent one."""

    n: int
    g: int
    c: int
    k: int
    axes: tuple[ConvAxis, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.axes) <= 3:
            raise InvalidArgument(
                f"a convolution with {spatial_axes(len(self.axes))} was asked for; it has 1, 2 or 3"
            )
        _make_whole(self, "axes")
        if min(self.n, self.g, self.c, self.k) < 1:
            raise InvalidArgument(
                f"a convolution with n {self.n}, g {self.g}, c {self.c} and k {self.k} was asked "
                "for; each of them must be at least 1"
            )

    @classmethod
    def of(
        cls,
        n: int,
        g: int,
        c: int,
        k: int,
        *,
        input: Sequence[int],
        filter: PerAxis,
        stride: PerAxis = 1,
        dilation: PerAxis = 1,
        left_pad: PerAxis = 0,
        right_pad: PerAxis = 0,
    ) -> ConvSizes:
        """Sizes from one sequence for each property of an axis; a number holds for all axes."""
        given = {
            "filter": filter,
            "stride": stride,
            "dilation": dilation,
            "left_pad": left_pad,
            "right_pad": right_pad,
        }
        inputs = members(input)
        if inputs is None:
            raise InvalidArgument(
                f"input was asked for as {quoted(input)}; it has a number for each spatial axis"
            )
        others = (of_each_axis(name, values, len(inputs)) for name, values in given.items())
        columns = [inputs, *others]
        return cls(n, g, c, k, tuple(ConvAxis(*values) for values in zip(*columns, strict=True)))

    @property
    def input(self) -> tuple[int, ...]:
        """Spatial extents of x."""
        return tuple(axis.input for axis in self.axes)

    @property
    def filter(self) -> tuple[int, ...]:
        """Spatial extents of w."""
        return tuple(axis.filter for axis in self.axes)

    @property
    def output(self) -> tuple[int, ...]:
        """Spatial extents of y."""
        return tuple(axis.output for axis in self.axes)

    def shape(self, tensor: str) -> tuple[int, ...]:
        """The shape of ``"x"``, ``"w"`` or ``"y"`` with channels last: nwgc, nhwgc or ndhwgc."""
        if tensor == "x":
            return (self.n, *self.input, self.g, self.c)
        if tensor == "w":
            return (self.g, self.k, *self.filter, self.c)
        if tensor == "y":
            return (self.n, *self.output, self.g, self.k)
        raise InvalidArgument(f"a convolution has no tensor {quoted(tensor)}; it has x, w and y")

    def depth(self, direction: str) -> int:
        """The most products that one sum of a direction adds up.

        What is multiplied with a pad does not count, because adding zero costs nothing. So this is
        at most c * filters forward, k * filters backward to the data and n * outputs backward to
        the weights.
        """
        check_direction(direction)
        terms = {"forward": self.c, "backward_data": self.k, "backward_weight": self.n}[direction]
        return terms * math.prod(_most_that_meet(axis, direction) for axis in self.axes)


def check_direction(direction: str) -> None:
    """Refuses what is not a direction."""
    if not isinstance(direction, str) or direction not in TENSORS:
        raise InvalidArgument(
            f"a convolution has no direction {quoted(direction)}; it has {', '.join(TENSORS)}"
        )


def _most_that_meet(axis: ConvAxis, direction: str) -> int:
    places = axis.places()
    if direction == "backward_data":
        return int(np.bincount(places[places >= 0], minlength=axis.input).max())
    return int(np.count_nonzero(places >= 0, axis=1 if direction == "forward" else 0).max())


def _inside(places: Indices, extent: int) -> Indices:
    return np.where((places >= 0) & (places < extent), places, -1)


def _make_whole(sizes: ConvAxis | ConvSizes, *others: str) -> None:
    """Makes Python's numbers of those of NumPy, and refuses what is no whole number."""
    for field in fields(sizes):
        value = getattr(sizes, field.name)
        if field.name not in others:
            object.__setattr__(sizes, field.name, needed_size(field.name, value))

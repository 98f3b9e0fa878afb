# SPDX-License-Identifier: MIT
"""What a call asks for, and the plan that serves it with the fewest changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from ckdispatch.arguments import members, needed_size, of_each_axis, whole
from ckdispatch.errors import InvalidArgument, NoKernel
from ckdispatch.grouped_conv.layouts import (
    CHANNELS_FIRST,
    channels_last,
    grouped,
    kernel_layout,
    memory_order,
)
from ckdispatch.grouped_conv.problem import GroupedConvProblem
from ckdispatch.grouped_conv.sizes import TENSORS, ConvSizes, PerAxis
from ckdispatch.tensors.memory import is_packed
from ckdispatch.tensors.operands import Operand
from ckdispatch.wording import quoted, several

if TYPE_CHECKING:
    from ckdispatch.base_dispatcher import BaseDispatcher
    from ckdispatch.plan import Plan
    from ckdispatch.product.problem import CallOptions


Padding: TypeAlias = "PerAxis | Sequence[tuple[int, int]]"
"""A number, one for each axis, or a pair for the two sides of each."""


@dataclass(frozen=True)
class Steps:
    """How a filter moves over an image, as the caller says it."""

    stride: PerAxis = 1
    padding: Padding = 0
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


@dataclass
class ConvCall:
    """One call: its tensors as kernels have them, and what has to be done to them.

    ``tensors`` has those of x, w and y that were given, by these names. ``first`` is whether the
    kernel has channels first in memory; tensors that do not lie as it has them are copied.
    """

    dispatcher: BaseDispatcher
    direction: str
    sizes: ConvSizes
    tensors: dict[str, Operand]
    layout: str
    options: CallOptions
    bias: Operand | None = None
    fused_op: str | None = None
    first: bool = False
    changes: list[str] = field(default_factory=list)

    @property
    def written(self) -> str:
        """The tensor that is computed."""
        return TENSORS[self.direction][2]

    @property
    def read(self) -> tuple[str, str]:
        """The tensors that it is computed from."""
        first, second, _ = TENSORS[self.direction]
        return first, second

    @property
    def out(self) -> Operand | None:
        """Where the result is to be written."""
        return self.tensors.get(self.written)

    def order(self, name: str, axes: int) -> tuple[int, ...]:
        """The axes of x, w, y or the bias as the kernel has them in memory."""
        return memory_order(name, axes, self.first)

    def lies_right(self, name: str, one: Operand) -> bool:
        """Whether the strides of x, w, y or the bias are those of the kernel."""
        return is_packed(one.shape, one.strides, self.order(name, len(one.shape)))

    def usable(self, name: str, one: Operand) -> bool:
        """Whether the kernel can take it where it is, as far as its strides are concerned."""
        return one.tensor is not None and self.lies_right(name, one)

    def problem(self) -> GroupedConvProblem:
        """With copies of what no kernel takes where it is."""
        sizes, axes = self.sizes, self.sizes.axes
        dtypes = {name: one.dtype for name, one in self.tensors.items()}
        if self.written not in dtypes and self.options.dtype is not None:
            dtypes[self.written] = self.options.dtype
        if "x" not in dtypes:  # a gradient is of its own tensor's dtype, unless it is told
            dtypes["x"] = dtypes["y"]
        return GroupedConvProblem(
            sizes.n,
            sizes.g,
            sizes.c,
            sizes.k,
            sizes.input,
            sizes.filter,
            stride=tuple(axis.stride for axis in axes),
            dilation=tuple(axis.dilation for axis in axes),
            left_pad=tuple(axis.left_pad for axis in axes),
            right_pad=tuple(axis.right_pad for axis in axes),
            direction=self.direction,
            dtype=dtypes["x"],
            dtype_w=dtypes.get("w"),
            dtype_y=dtypes.get("y"),
            layout=kernel_layout(CHANNELS_FIRST, len(axes)) if self.first else None,
            split_k=self.options.split_k,
            fused_op=self.fused_op,
            bias=self.bias is not None,
            alignment=self._alignment,
            deterministic=self.options.deterministic,
        )

    @property
    def _alignment(self) -> int:
        """Bytes that the addresses of what is used where it is are multiples of."""
        bits = 16
        given = dict(self.tensors)
        if self.bias is not None:
            given["bias"] = self.bias
        for name, one in given.items():
            if self.usable(name, one):
                assert one.tensor is not None
                bits |= one.tensor.address
        return bits & -bits

    @property
    def result_first(self) -> bool:
        """Whether a new result is to have channels first in memory, as its operands have."""
        if self.layout != CHANNELS_FIRST:
            return False
        for name in self.read:
            one = self.tensors[name]
            if not is_packed(one.shape, one.strides):
                return True
            if not is_packed(one.shape, one.strides, memory_order(name, len(one.shape), True)):
                return False
        return True  # they lie both ways

    def plan(self) -> Plan[GroupedConvProblem]:
        """The best plan that needs the fewest changes."""
        orders = self._orders()
        for pad in (False, True) if self.options.pad else (False,):
            for self.first in orders:
                found = self._found(pad)
                if found is not None:
                    return found
        self.first = len(orders) > 1 and self._has_kernels_first()
        return self.dispatcher.plan(self.problem())  # which raises the reason

    def _orders(self) -> list[bool]:
        """Whether kernels are to have channels first, what takes fewer copies at the front."""
        if self.layout != CHANNELS_FIRST or self.direction != "forward":
            return [False]
        return sorted((True, False), key=self._copies)

    def _copies(self, first: bool) -> int:
        """Tensors that do not lie as such kernels have them."""
        others = sum(
            not is_packed(one.shape, one.strides, memory_order(name, len(one.shape), first))
            for name, one in self.tensors.items()
        )
        return others + (self.out is None and self.result_first != first)

    def _has_kernels_first(self) -> bool:
        """Whether there are kernels with channels first, whose reasons are then to be told."""
        kernels = self.dispatcher.registry.filter(
            family=GroupedConvProblem.family,
            variant=self.direction,
            layout=kernel_layout(CHANNELS_FIRST, len(self.sizes.axes)),
            dtype_x=self.tensors["x"].dtype,
        )
        return len(kernels) > 0

    def _found(self, pad: bool) -> Plan[GroupedConvProblem] | None:
        """What is known of the problem, or is found out about it."""
        key = (self.problem(), pad)
        remembered = self.dispatcher.remembered()
        if key not in remembered:
            try:
                remembered[key] = self.dispatcher.plan(key[0], pad=pad)
            except NoKernel:
                remembered[key] = None
        found: Plan[GroupedConvProblem] | None = remembered[key]
        return found


def conv_call(
    dispatcher: BaseDispatcher,
    direction: str,
    first: Operand,
    second: Operand,
    *,
    size: Any,
    steps: Steps,
    layout: str,
    options: CallOptions,
) -> ConvCall:
    """The call for the two tensors that a direction reads.

    ``size`` is the spatial extents of the result of a backward direction, which do not follow from
    those of the others.
    """
    first, second = (channels_last(one, layout) for one in (first, second))
    if len(first.shape) != len(second.shape):
        raise InvalidArgument(
            f"{first.name} has {len(first.shape)} extents and {second.name} {len(second.shape)}; "
            "both must have as many"
        )
    sizes = _SIZES[direction](first, second, steps, size)
    names = TENSORS[direction][:2]
    tensors = {
        name: grouped(one, name, sizes.g) for name, one in zip(names, (first, second), strict=True)
    }
    if direction != "forward":
        _check_outputs(first, sizes)
    return ConvCall(dispatcher, direction, sizes, tensors, layout, options)


def _forward_sizes(x: Operand, w: Operand, steps: Steps, _size: Any) -> ConvSizes:
    n, *input, channels = x.shape
    outputs, *filter, c = w.shape
    if channels != steps.groups * c:
        raise InvalidArgument(
            f"x has {several(channels, 'channel')}, and w {c} in each group; with "
            f"{several(steps.groups, 'group')} x must have {steps.groups * c}. {_WHERE}"
        )
    k = _of_group(w, outputs, "output", steps.groups)
    return _sizes(n, c, k, input, filter, steps)


def _backward_data_sizes(dy: Operand, w: Operand, steps: Steps, size: Any) -> ConvSizes:
    n, *_, channels = dy.shape
    outputs, *filter, c = w.shape
    if channels != outputs:
        raise InvalidArgument(
            f"dy has {several(channels, 'channel')}, and w {several(outputs, 'output')}; "
            f"both must have as many. {_WHERE}"
        )
    k = _of_group(w, outputs, "output", steps.groups)
    input = _extents("input_size", size, len(filter))
    return _sizes(n, c, k, input, filter, steps)


def _backward_weight_sizes(dy: Operand, x: Operand, steps: Steps, size: Any) -> ConvSizes:
    if dy.shape[0] != x.shape[0]:
        raise InvalidArgument(
            f"dy has {several(dy.shape[0], 'image')} and x {x.shape[0]}; both must have as many"
        )
    n, *input, channels = x.shape
    c = _of_group(x, channels, "channel", steps.groups)
    k = _of_group(dy, dy.shape[-1], "channel", steps.groups)
    filter = _extents("filter_size", size, len(input))
    return _sizes(n, c, k, input, filter, steps)


_SIZES: dict[str, Callable[[Operand, Operand, Steps, Any], ConvSizes]] = {
    "forward": _forward_sizes,
    "backward_data": _backward_data_sizes,
    "backward_weight": _backward_weight_sizes,
}
_WHERE = (
    "With layout='channels_last' channels are the last extent, with 'channels_first' the second"
)


def _sizes(
    n: int, c: int, k: int, input: Sequence[int], filter: Sequence[int], steps: Steps
) -> ConvSizes:
    per_axis: dict[str, Any] = steps.per_axis(len(input))
    return ConvSizes.of(n, steps.groups, c, k, input=input, filter=filter, **per_axis)


def _extents(name: str, size: Any, axes: int) -> tuple[int, ...]:
    return tuple(needed_size(name, one) for one in of_each_axis(name, size, axes))


def _of_group(one: Operand, count: int, what: str, groups: int) -> int:
    if count % groups:
        raise InvalidArgument(
            f"{one.name} has {several(count, what)}, which {groups} groups do not share evenly"
        )
    return count // groups


def _check_outputs(dy: Operand, sizes: ConvSizes) -> None:
    given = dy.shape[1:-1]
    if given != sizes.output:
        raise InvalidArgument(
            f"dy has the spatial extents {given}; from an input of {sizes.input} and a filter of "
            f"{sizes.filter}, with these strides, pads and dilations, follow {sizes.output}"
        )

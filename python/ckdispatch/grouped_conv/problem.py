# SPDX-License-Identifier: MIT
"""What a caller wants of a grouped convolution, independent of any kernel: for Python, for C, and
in words.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from ckdispatch.arguments import truth
from ckdispatch.errors import InvalidArgument
from ckdispatch.grouped_conv.layouts import (
    KERNEL_LAYOUTS,
    LAYOUTS,
    check_kernel_layout,
    kernel_layout,
)
from ckdispatch.grouped_conv.sizes import TENSORS, ConvAxis, ConvSizes, PerAxis, check_direction
from ckdispatch.native.structures import ProblemBase
from ckdispatch.problem import (
    Problem,
    c_text,
    check_numbers,
    check_text,
    check_words,
    shown,
    true_or_false,
    whole_number,
)
from ckdispatch.product.fused_ops import takes_ds, with_bias
from ckdispatch.product.problem import c_options, check_options, product_words
from ckdispatch.wording import quoted, spatial_axes

MAX_SPATIAL = 3


class GroupedConvAxisStructure(ctypes.Structure):
    """``ckd_grouped_conv_axis``."""

    _fields_ = [
        (name, ctypes.c_int64)
        for name in ("input", "filter", "output", "stride", "dilation", "left_pad", "right_pad")
    ]


class GroupedConvStructure(ctypes.Structure):
    """``ckd_grouped_conv_problem``."""

    _fields_ = [
        ("base", ProblemBase),
        ("direction", ctypes.c_char_p),
        *((name, ctypes.c_int64) for name in ("n", "g", "c", "k")),
        ("ndim_spatial", ctypes.c_int32),
        ("d_count", ctypes.c_int32),
        ("axis", GroupedConvAxisStructure * MAX_SPATIAL),
        *(
            (name, ctypes.c_char_p)
            for name in ("dtype_x", "dtype_w", "dtype_y", "layout", "fused_op")
        ),
        ("split_k", ctypes.c_int64),
        ("alignment", ctypes.c_int32),
        ("deterministic", ctypes.c_int32),
        ("workspace_limit", ctypes.c_uint64),
    ]


STRUCTURES = {
    "ckd_grouped_conv_axis": GroupedConvAxisStructure,
    "ckd_grouped_conv_problem": GroupedConvStructure,
}
"""What the C header calls them."""

_OF_AXES = tuple(field.name for field in fields(ConvAxis))


@dataclass(frozen=True)
class GroupedConvProblem(Problem):
    """``g`` convolutions of ``n`` images, each of ``c`` channels in and ``k`` channels out.

    What is said of the spatial axes has a number for each of them, the innermost last: w, or h and
    w, or d, h and w; a single number holds for all. ``direction`` is ``forward`` (y from x and w),
    ``backward_data`` (the gradient of x from that of y and w) or ``backward_weight`` (the gradient
    of w from that of y and x). The filter is not flipped.

    ``dtype`` is that of x. ``dtype_w`` is x's if it is None, and ``dtype_y`` the usual one of the
    pair. All tensors are packed; ``layout`` is nwgc, nhwgc or ndhwgc, which has channels last and
    is the default, or forward also ngcw, ngchw or ngcdhw, which has them first. A ``bias`` has a
    value of y's dtype for each of y's g * k channels, and is added before ``fused_op``, which is
    applied to y, unless that says otherwise (``MultiDMultiply``). ``split_k`` is the number of
    parts of the sum over images and positions that ``backward_weight`` makes, 0 to let the
    dispatcher choose. ``alignment`` is what all addresses are multiples of, in bytes.
    """

    family: ClassVar[str] = "grouped_conv"

    n: int
    g: int
    c: int
    k: int
    input: tuple[int, ...]
    filter: PerAxis
    stride: PerAxis = 1
    dilation: PerAxis = 1
    left_pad: PerAxis = 0
    right_pad: PerAxis = 0
    direction: str = "forward"
    dtype: str = "fp16"
    dtype_w: str | None = None
    dtype_y: str | None = None
    layout: str | None = None
    split_k: int = 1
    fused_op: str | None = None
    bias: bool = False
    alignment: int = 16
    deterministic: bool = False
    workspace_limit: int | None = None

    def __post_init__(self) -> None:
        check_words(self, ("direction", "dtype", "dtype_w", "dtype_y", "layout"))
        object.__setattr__(self, "bias", truth("bias", self.bias))
        check_direction(self.direction)
        check_numbers("a convolution", self, ("n", "g", "c", "k"))
        check_options("a convolution", self)
        axes = {name: getattr(self, name) for name in _OF_AXES}
        sizes = ConvSizes.of(self.n, self.g, self.c, self.k, **axes)
        for axis in sizes.axes:
            check_numbers("a convolution", axis, _OF_AXES)
        # However they were given: equal problems are one key.
        for name in _OF_AXES:
            object.__setattr__(self, name, tuple(getattr(axis, name) for axis in sizes.axes))
        check_kernel_layout(self.layout, len(sizes.axes), self.direction)
        if self.bias:
            object.__setattr__(self, "fused_op", with_bias(self.fused_op) or self.fused_op)
        elif takes_ds(self.fused_op):
            raise InvalidArgument(
                f"a convolution was asked for with {self.fused_op} and without a bias, which that "
                "takes; give one, or leave the operation out"
            )
        object.__setattr__(self, "_sizes", sizes)
        self.keep(_structure(self))

    __hash__ = Problem.__hash__

    @property
    def sizes(self) -> ConvSizes:
        """The sizes, with the shapes of the tensors."""
        return self._sizes  # type: ignore[attr-defined, no-any-return]  # what a frozen dataclass derives is no field

    @property
    def tensors(self) -> tuple[str, ...]:
        """What a run takes, in this order."""
        return ("x", "w", "y", "bias") if self.bias else ("x", "w", "y")

    def spans(self) -> tuple[int, ...]:
        """Elements of each of them in memory."""
        images = tuple(math.prod(self.sizes.shape(name)) for name in "xwy")
        return (*images, self.g * self.k) if self.bias else images

    def dtypes(self, spec: Mapping[str, Any]) -> tuple[str, ...]:
        """That of each of them; ``spec``, a kernel's, has what the problem leaves open."""
        y = self.dtype_y or spec["dtype_y"]
        return (self.dtype, self.dtype_w or self.dtype, y, y)[: len(self.tensors)]

    @property
    def flops(self) -> float:
        sizes = self.sizes
        return 2.0 * math.prod(sizes.shape("y")) * self.c * math.prod(sizes.filter)

    @classmethod
    def parse(cls, text: str) -> GroupedConvProblem:
        """The problem of a command line: ``n8 g1 c64 k128 56x56 3x3 stride=2 pad=1 fp16``."""
        check_text(text)
        match = _TEXT.fullmatch(text.strip())
        if not match:
            raise InvalidArgument(f"{quoted(text)} is no convolution; write {_FORM}")
        input, filter = (_numbers(name, match[name], text) for name in ("input", "filter"))
        values: dict[str, Any] = {}
        axes = len(input)
        for name, value in product_words(text, match["rest"] or "", _name_of, _BY_THEMSELVES):
            if name == "pad":
                values |= _pads(value, axes, text)
            elif name == "layout" and value in LAYOUTS:
                values[name] = kernel_layout(value, axes)
            else:
                values[name] = _value(name, value, text)
        if takes_ds(values.get("fused_op")):
            values.setdefault("bias", True)
        n, g, c, k = (int(match[name] or 1) for name in "ngck")
        return cls(n, g, c, k, input, _one_or_each(filter), **values)

    @property
    def text(self) -> str:
        """The problem as ``parse`` reads it, without what is the default."""
        words = [f"{name}{getattr(self, name)}" for name in "ngck"]
        words += [_joined(self.sizes.input), _joined(self.sizes.filter)]
        axes = self.sizes.axes
        for name in _PER_AXIS:
            values = [getattr(axis, name) for axis in axes]
            if set(values) != {1}:
                words.append(f"{name}={_joined(values, alike=True)}")
        pads = [_pad(axis.left_pad, axis.right_pad) for axis in axes]
        if set(pads) != {"0"}:
            words.append(f"pad={_joined(pads, alike=True)}")
        words += [self.dtype, self.direction]
        said = (
            "n",
            "g",
            "c",
            "k",
            "input",
            "filter",
            "stride",
            "dilation",
            "left_pad",
            "right_pad",
        )
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in (*said, "dtype", "direction") or value == field.default:
                continue
            if field.name in ("fused_op", "layout"):
                words.append(str(value))
            elif field.name != "bias" or not takes_ds(self.fused_op):
                words.append(shown(field.name, value))
        return " ".join(words)


def _structure(problem: GroupedConvProblem) -> GroupedConvStructure:
    structure = GroupedConvStructure(
        direction=c_text(problem.direction),
        **{name: getattr(problem, name) for name in "ngck"},
        ndim_spatial=len(problem.input),
        d_count=problem.bias,
        dtype_x=c_text(problem.dtype),
        dtype_w=c_text(problem.dtype_w),
        dtype_y=c_text(problem.dtype_y),
        **c_options(problem),
    )
    for place, axis in zip(structure.axis, problem.sizes.axes, strict=False):
        for field in GroupedConvAxisStructure._fields_:
            setattr(place, field[0], getattr(axis, field[0]))
    return structure


_EXTENTS = r"\d{1,19}(?:x\d{1,19}){0,2}"
_TEXT = re.compile(
    rf"(?:grouped_conv[\s:]+)?n(?P<n>\d{{1,19}})\s+(?:g(?P<g>\d{{1,19}})\s+)?c(?P<c>\d{{1,19}})\s+k(?P<k>\d{{1,19}})\s+(?P<input>{_EXTENTS})\s+(?P<filter>{_EXTENTS})(?P<rest>[\s,].*)?",
    re.ASCII,
)
_FORM = (
    "n, g, c and k (channels of one group), the extents of the input and of the filter, and words "
    "such as stride=2, pad=1, bf16, backward_data; for example n8 g1 c64 k128 56x56 3x3 pad=1 fp16"
)
_BY_THEMSELVES = {
    "directions": ", ".join(TENSORS),
    "layouts": ", ".join((*KERNEL_LAYOUTS, *LAYOUTS)),
    "one more word": "bias",
}
_NUMBERS = ("split_k", "alignment", "workspace_limit")
_PER_AXIS = ("stride", "dilation")
_TRUTHS = ("deterministic",)
_WORDS = ("direction", "dtype", "dtype_w", "dtype_y", "layout", "fused_op")


def _joined(values: Sequence[object], *, alike: bool = False) -> str:
    """With x between them; if they are ``alike``, one for all."""
    if alike and len(set(values)) == 1:
        values = values[:1]
    return "x".join(map(str, values))


def _pad(left: int, right: int) -> str:
    return str(left) if left == right else f"{left}+{right}"


def _name_of(word: str) -> str | None:
    if word in TENSORS:
        return "direction"
    if word == "bias":
        return word
    return "layout" if word in (*KERNEL_LAYOUTS, *LAYOUTS) else None


def _value(name: str, value: str, text: str) -> Any:
    if name in _NUMBERS:
        return whole_number(name, value, text)
    if name in _PER_AXIS:
        return _one_or_each(_numbers(name, value, text))
    if name == "bias":
        return value == name or true_or_false(name, value, text)
    if name in _TRUTHS:
        return true_or_false(name, value, text)
    if name in _WORDS:
        return value
    known = ", ".join((*_WORDS, *_PER_AXIS, "pad", *_NUMBERS, "bias", *_TRUTHS))
    raise InvalidArgument(
        f"{quoted(text)} has the word {quoted(name)}; a convolution is {_FORM}, "
        f"and its words are {known}"
    )


def _numbers(name: str, value: str, text: str) -> tuple[int, ...]:
    return tuple(whole_number(name, one, text, least=1) for one in value.split("x"))


def _one_or_each(values: tuple[int, ...]) -> PerAxis:
    """A single number is for all axes."""
    return values[0] if len(values) == 1 else values


def _pads(value: str, axes: int, text: str) -> dict[str, tuple[int, ...]]:
    """Of ``1``, ``1x2`` for two axes, or ``0+1`` where the sides differ."""
    pairs = []
    for one in value.split("x"):
        left, plus, right = one.partition("+")
        sides = (left, right if plus else left)
        pairs.append(tuple(whole_number("pad", side, text) for side in sides))
    if len(pairs) == 1:
        pairs *= axes
    if len(pairs) != axes:
        raise InvalidArgument(
            f"{quoted(text)} has pad={value} and {spatial_axes(axes)}; a pad is a number, "
            "or one for each"
        )
    lefts, rights = zip(*pairs, strict=True)
    return {"left_pad": lefts, "right_pad": rights}

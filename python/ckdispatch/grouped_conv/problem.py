# SPDX-License-Identifier: MIT
"""What a caller wants of a grouped convolution, independent of any kernel."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from ckdispatch.errors import InvalidArgument
from ckdispatch.grouped_conv.layouts import check_kernel_layout
from ckdispatch.grouped_conv.structure import problem_structure
from ckdispatch.native.arguments import truth
from ckdispatch.native.structures import Family
from ckdispatch.problems.base import Problem, check_numbers, check_options, check_words
from ckdispatch.problems.fused_ops import takes_ds, with_bias
from ckdispatch.reference.conv_sizes import ConvAxis, ConvSizes, PerAxis, check_direction

_PER_AXIS = tuple(field.name for field in fields(ConvAxis))


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

    family: ClassVar[Family] = Family.GROUPED_CONV

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
        axes = {name: getattr(self, name) for name in _PER_AXIS}
        sizes = ConvSizes.of(self.n, self.g, self.c, self.k, **axes)
        for axis in sizes.axes:
            check_numbers("a convolution", axis, _PER_AXIS)
        # However they were given: equal problems are one key.
        for name in _PER_AXIS:
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
        self.keep(problem_structure(self))

    __hash__ = Problem.__hash__

    @property
    def sizes(self) -> ConvSizes:
        """The sizes, with the shapes of the tensors."""
        return self._sizes  # type: ignore[attr-defined, no-any-return]

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
        from ckdispatch.grouped_conv.problem_text import parse_problem

        return parse_problem(text)

    @property
    def text(self) -> str:
        """The problem as ``parse`` reads it, without what is the default."""
        from ckdispatch.grouped_conv.problem_text import problem_text

        return problem_text(self)

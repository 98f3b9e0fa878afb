# SPDX-License-Identifier: MIT
"""Problems in words, as a command line has them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from ckdispatch.errors import InvalidArgument
from ckdispatch.grouped_conv.layouts import KERNEL_LAYOUTS, LAYOUTS, kernel_layout
from ckdispatch.grouped_conv.problem import GroupedConvProblem
from ckdispatch.problems.fused_ops import takes_ds
from ckdispatch.problems.words import check_text, named_words, shown, truth, whole_number
from ckdispatch.reference.conv_sizes import TENSORS, PerAxis
from ckdispatch.wording import quoted, spatial_axes

_EXTENTS = r"\d{1,19}(?:x\d{1,19}){0,2}"
_TEXT = re.compile(
    rf"(?:grouped_conv[\s:]+)?n(?P<n>\d{{1,19}})\s+(?:g(?P<g>\d{{1,19}})\s+)?c(?P<c>\d{{1,19}})\s+k(?P<k>\d{{1,19}})\s+"
    rf"(?P<input>{_EXTENTS})\s+(?P<filter>{_EXTENTS})(?P<rest>[\s,].*)?",
    re.ASCII,
)
FORM = (
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


def parse_problem(text: str) -> GroupedConvProblem:
    """The problem that ``text`` says."""
    check_text(text)
    match = _TEXT.fullmatch(text.strip())
    if not match:
        raise InvalidArgument(f"{quoted(text)} is no convolution; write {FORM}")
    input, filter = (_numbers(name, match[name], text) for name in ("input", "filter"))
    values: dict[str, Any] = {}
    axes = len(input)
    for name, value in named_words(text, match["rest"] or "", _name_of, _BY_THEMSELVES):
        if name == "pad":
            values |= _pads(value, axes, text)
        elif name == "layout" and value in LAYOUTS:
            values[name] = kernel_layout(value, axes)
        else:
            values[name] = _value(name, value, text)
    if takes_ds(values.get("fused_op")):
        values.setdefault("bias", True)
    n, g, c, k = (int(match[name] or 1) for name in "ngck")
    return GroupedConvProblem(n, g, c, k, input, _one_or_each(filter), **values)


def problem_text(problem: GroupedConvProblem) -> str:
    """The inverse, without what is the default."""
    words = [f"{name}{getattr(problem, name)}" for name in "ngck"]
    words += [_joined(problem.sizes.input), _joined(problem.sizes.filter)]
    axes = problem.sizes.axes
    for name in _PER_AXIS:
        values = [getattr(axis, name) for axis in axes]
        if set(values) != {1}:
            words.append(f"{name}={_joined(values, alike=True)}")
    pads = [_pad(axis.left_pad, axis.right_pad) for axis in axes]
    if set(pads) != {"0"}:
        words.append(f"pad={_joined(pads, alike=True)}")
    words += [problem.dtype, problem.direction]
    said = ("n", "g", "c", "k", "input", "filter", "stride", "dilation", "left_pad", "right_pad")
    for field in fields(GroupedConvProblem):
        value = getattr(problem, field.name)
        if field.name in (*said, "dtype", "direction") or value == field.default:
            continue
        if field.name in ("fused_op", "layout"):
            words.append(str(value))
        elif field.name != "bias" or not takes_ds(problem.fused_op):
            words.append(shown(field.name, value))
    return " ".join(words)


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
        return value == name or truth(name, value, text)
    if name in _TRUTHS:
        return truth(name, value, text)
    if name in _WORDS:
        return value
    known = ", ".join((*_WORDS, *_PER_AXIS, "pad", *_NUMBERS, "bias", *_TRUTHS))
    raise InvalidArgument(
        f"{quoted(text)} has the word {quoted(name)}; a convolution is {FORM}, and its words are {known}"
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
            f"{quoted(text)} has pad={value} and {spatial_axes(axes)}; a pad is a number, or one for each"
        )
    lefts, rights = zip(*pairs, strict=True)
    return {"left_pad": lefts, "right_pad": rights}

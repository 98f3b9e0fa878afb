# SPDX-License-Identifier: MIT
"""Problems in words, as a command line has them."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from ckdispatch.errors import InvalidArgument
from ckdispatch.gemm.problem import GemmGroup, GemmProblem
from ckdispatch.problems.fused_ops import takes_ds
from ckdispatch.problems.words import check_text, named_words, shown, truth, whole_number
from ckdispatch.wording import quoted

_SIZES = r"\d{1,19}x\d{1,19}x\d{1,19}"
_TEXT = re.compile(
    rf"(?:gemm[\s:]+)?(?P<sizes>{_SIZES}(?:\+{_SIZES})*)(?P<rest>[\s,].*)?", re.ASCII
)
_FORM = (
    "MxNxK (or several with + between them) followed by words such as fp16, rcr, batch=2, "
    "split_k=4; for example 512x256x1024 fp16 rcr"
)
_LAYOUT = re.compile(r"[rc]{3}")
_BY_THEMSELVES = {"layouts": "three letters r or c, such as rcr"}
_BETWEEN = "/"
"""Between the numbers of one word; a comma is between words."""

_NUMBERS = (
    "batch",
    "stride_a",
    "stride_b",
    "stride_c",
    "split_k",
    "d_count",
    "alignment",
    "workspace_limit",
)
_WORDS = ("dtype", "layout", "dtype_b", "dtype_c", "dtype_d", "d_layout", "fused_op", "weights")
_SEVERAL = ("batch_strides", "d_strides", "d_batch_strides")


def parse_problem(text: str) -> GemmProblem:
    """The problem that ``text`` says."""
    check_text(text)
    match = _TEXT.fullmatch(text.strip())
    if not match:
        raise InvalidArgument(f"{quoted(text)} is no GEMM problem; write {_FORM}")
    values: dict[str, Any] = {}
    for name, value in named_words(text, match["rest"] or "", _name_of, _BY_THEMSELVES):
        values[name] = _value(name, value, text)
    if "d_count" not in values:
        # An operation on D tensors has one, unless their strides say how many there are.
        some = int(takes_ds(values.get("fused_op")))
        values["d_count"] = len(values.get("d_strides", ())) or some
    sizes = [[int(extent) for extent in one.split("x")] for one in match["sizes"].split("+")]
    if len(sizes) == 1:
        return GemmProblem(*sizes[0], **values)
    return GemmProblem.grouped(sizes, **values)


def problem_text(problem: GemmProblem) -> str:
    """The inverse, without what is the default. Strides of groups are not said."""
    shapes = problem.groups or (GemmGroup(problem.m, problem.n, problem.k),)
    words = ["+".join(f"{one.m}x{one.n}x{one.k}" for one in shapes), problem.dtype, problem.layout]
    for field in fields(GemmProblem)[5:]:
        value = getattr(problem, field.name)
        if field.name == "groups" or value == field.default:
            continue
        if field.name == "fused_op":
            words.append(str(value))
        elif field.name in _SEVERAL:
            several = _BETWEEN.join("packed" if one is None else str(one) for one in value)
            words.append(f"{field.name}={several}")
        else:
            words.append(shown(field.name, value))
    return " ".join(words)


def _name_of(word: str) -> str | None:
    return "layout" if _LAYOUT.fullmatch(word) else None


def _value(name: str, value: str, text: str) -> Any:
    if name in _NUMBERS:
        return whole_number(name, value, text)
    if name in _SEVERAL:
        numbers = value.split(_BETWEEN)
        return tuple(None if one == "packed" else whole_number(name, one, text) for one in numbers)
    if name == "deterministic":
        return truth(name, value, text)
    if name in _WORDS:
        return value
    known = ", ".join((*_WORDS, *_NUMBERS, *_SEVERAL, "deterministic"))
    raise InvalidArgument(
        f"{quoted(text)} has the word {quoted(name)}; a problem is {_FORM}, and its words are {known}"
    )


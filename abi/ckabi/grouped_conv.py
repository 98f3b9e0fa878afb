# SPDX-License-Identifier: MIT
"""``ck_grouped_conv_problem.h``."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from ckfamilies import NUMBERS


class ConvAxis(ctypes.Structure):
    """``ck_grouped_conv_axis``."""

    _fields_ = [
        (name, ctypes.c_int64)
        for name in ("input", "filter", "output", "stride", "dilation", "left_pad", "right_pad")
    ]


class ConvProblem(ctypes.Structure):
    """``ck_grouped_conv_problem``."""

    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("family", ctypes.c_uint32),
        *((name, ctypes.c_int64) for name in ("n", "g", "c", "k")),
        ("axis", ConvAxis * 3),
        ("k_batch", ctypes.c_int64),
        *((name, ctypes.c_void_p) for name in ("x", "w", "y")),
        ("d", ctypes.c_void_p * 1),
    ]


def conv_axis(
    input: int,
    filter: int,
    *,
    stride: int = 1,
    dilation: int = 1,
    pads: tuple[int, int] = (0, 0),
    output: int | None = None,
) -> ConvAxis:
    """One spatial dimension; its output follows from the rest unless it is given."""
    left, right = pads
    follows = (input + left + right - dilation * (filter - 1) - 1) // stride + 1
    return ConvAxis(
        input, filter, follows if output is None else output, stride, dilation, left, right
    )


def conv_problem(
    n: int, g: int, c: int, k: int, axes: Sequence[ConvAxis], /, **changes: Any
) -> ConvProblem:
    """A grouped convolution, with some fields changed."""
    problem = ConvProblem(
        struct_size=ctypes.sizeof(ConvProblem),
        family=NUMBERS["grouped_conv"],
        n=n,
        g=g,
        c=c,
        k=k,
        k_batch=1,
    )
    problem.axis[: len(axes)] = axes
    for name, value in changes.items():
        setattr(problem, name, value)
    return problem

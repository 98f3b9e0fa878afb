# SPDX-License-Identifier: MIT
"""``ck_gemm_problem.h``."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from ckfamilies import NUMBERS

MAX_DS = 4


class Problem(ctypes.Structure):
    """``ck_gemm_problem``."""


Problem._fields_ = [
    ("struct_size", ctypes.c_uint32),
    ("family", ctypes.c_uint32),
    *(
        (name, ctypes.c_int64)
        for name in ("m", "n", "k", "stride_a", "stride_b", "stride_c", "k_batch")
    ),
    *((name, ctypes.c_void_p) for name in ("a", "b", "c")),
    ("d", ctypes.c_void_p * MAX_DS),
    ("stride_d", ctypes.c_int64 * MAX_DS),
    *(
        (name, ctypes.c_int64)
        for name in ("batch", "batch_stride_a", "batch_stride_b", "batch_stride_c")
    ),
    ("groups", ctypes.POINTER(Problem)),
    ("group_count", ctypes.c_int64),
]


def gemm_problem(
    m: int,
    n: int,
    k: int,
    /,
    *,
    layout: str = "rcr",
    d: Sequence[int] = (),
    stride_d: Sequence[int] = (),
    **changes: Any,
) -> Problem:
    """A packed GEMM problem in the kernel's layout, with some fields changed."""
    stride_a = k if layout[0] == "r" else m
    stride_b = n if layout[1] == "r" else k
    problem = Problem(
        struct_size=ctypes.sizeof(Problem),
        family=NUMBERS["gemm"],
        m=m,
        n=n,
        k=k,
        stride_a=stride_a,
        stride_b=stride_b,
        stride_c=n,
        k_batch=1,
        batch=1,
    )
    problem.d[: len(d)] = d
    problem.stride_d[: len(stride_d)] = stride_d
    for name, value in changes.items():
        setattr(problem, name, value)
    return problem


def grouped_problem(problems: Sequence[Problem]) -> Problem:
    """A problem of which ``problems`` are the groups; it holds copies of them."""
    problem = Problem(
        struct_size=ctypes.sizeof(Problem),
        family=NUMBERS["gemm"],
        k_batch=1,
        batch=1,
        group_count=len(problems),
    )
    problem.groups = (Problem * len(problems))(*problems)
    return problem

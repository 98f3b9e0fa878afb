# SPDX-License-Identifier: MIT
"""The kernel ABI of ck_kernel_abi.h and the problems of its families, through ctypes."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any


class Status(IntEnum):
    OK = 0
    UNSUPPORTED = 1
    INVALID = 2
    WRONG_GPU = 3
    DEVICE_FAILED = 4


MAX_DS = 4


class Problem(ctypes.Structure):
    """``ck_gemm_problem``."""


Problem._fields_ = [
    ("struct_size", ctypes.c_uint32),
    ("family", ctypes.c_uint32),
    *((name, ctypes.c_int64) for name in ("m", "n", "k", "stride_a", "stride_b", "stride_c", "k_batch")),
    *((name, ctypes.c_void_p) for name in ("a", "b", "c")),
    ("d", ctypes.c_void_p * MAX_DS),
    ("stride_d", ctypes.c_int64 * MAX_DS),
    *((name, ctypes.c_int64) for name in ("batch", "batch_stride_a", "batch_stride_b", "batch_stride_c")),
    ("groups", ctypes.POINTER(Problem)),
    ("group_count", ctypes.c_int64),
]


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


AnyProblem = Problem | ConvProblem


class LaunchOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("warmup", ctypes.c_int32),
        ("repeat", ctypes.c_int32),
        ("timed", ctypes.c_int32),
        ("gpu", ctypes.c_char_p),
        ("stream", ctypes.c_void_p),
        ("workspace", ctypes.c_void_p),
        ("workspace_size", ctypes.c_uint64),
        ("milliseconds", ctypes.POINTER(ctypes.c_float)),
    ]


class Api(ctypes.Structure):
    _fields_ = [
        ("abi_version", ctypes.c_uint32),
        ("struct_size", ctypes.c_uint32),
        ("describe", ctypes.CFUNCTYPE(ctypes.c_char_p)),
        (
            "supports",
            ctypes.CFUNCTYPE(
                ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t
            ),
        ),
        (
            "workspace_size",
            ctypes.CFUNCTYPE(
                ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint64),
                ctypes.c_char_p, ctypes.c_size_t,
            ),
        ),
        (
            "launch",
            ctypes.CFUNCTYPE(
                ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(LaunchOptions), ctypes.c_char_p, ctypes.c_size_t
            ),
        ),
    ]


def gemm_problem(
    m: int, n: int, k: int, /, *, layout: str = "rcr", d: Sequence[int] = (), stride_d: Sequence[int] = (), **changes: Any
) -> Problem:
    """A packed GEMM problem in the kernel's layout, with some fields changed."""
    stride_a = k if layout[0] == "r" else m
    stride_b = n if layout[1] == "r" else k
    problem = Problem(
        struct_size=ctypes.sizeof(Problem), family=1, m=m, n=n, k=k,
        stride_a=stride_a, stride_b=stride_b, stride_c=n, k_batch=1, batch=1,
    )
    problem.d[: len(d)] = d
    problem.stride_d[: len(stride_d)] = stride_d
    for name, value in changes.items():
        setattr(problem, name, value)
    return problem


def grouped_problem(problems: Sequence[Problem]) -> Problem:
    """A problem of which ``problems`` are the groups; it holds copies of them."""
    problem = Problem(struct_size=ctypes.sizeof(Problem), family=1, k_batch=1, batch=1, group_count=len(problems))
    problem.groups = (Problem * len(problems))(*problems)
    return problem


def conv_axis(
    input: int, filter: int, *, stride: int = 1, dilation: int = 1, pads: tuple[int, int] = (0, 0), output: int | None = None
) -> ConvAxis:
    """One spatial dimension; its output follows from the rest unless it is given."""
    left, right = pads
    follows = (input + left + right - dilation * (filter - 1) - 1) // stride + 1
    return ConvAxis(input, filter, follows if output is None else output, stride, dilation, left, right)


def conv_problem(n: int, g: int, c: int, k: int, axes: Sequence[ConvAxis], /, **changes: Any) -> ConvProblem:
    """A grouped convolution, with some fields changed."""
    problem = ConvProblem(struct_size=ctypes.sizeof(ConvProblem), family=2, n=n, g=g, c=c, k=k, k_batch=1)
    problem.axis[: len(axes)] = axes
    for name, value in changes.items():
        setattr(problem, name, value)
    return problem


@dataclass(frozen=True)
class KernelLibrary:
    """A loaded kernel library."""

    path: Path
    api: Api

    @classmethod
    def load(cls, path: Path) -> KernelLibrary:
        get_api = ctypes.CDLL(str(path.resolve())).ck_kernel_get_api
        get_api.restype = ctypes.POINTER(Api)
        return cls(path, get_api().contents)

    def describe(self) -> dict[str, Any]:
        return json.loads(self.api.describe())

    def supports(self, problem: AnyProblem | None, gpu: str | None) -> tuple[Status, str]:
        why = ctypes.create_string_buffer(512)
        argument = ctypes.byref(problem) if problem is not None else None
        status = self.api.supports(argument, gpu.encode() if gpu else None, why, len(why))
        return Status(status), why.value.decode()

    def workspace_size(self, problem: AnyProblem, gpu: str) -> tuple[Status, int]:
        size = ctypes.c_uint64(77)
        status = self.api.workspace_size(ctypes.byref(problem), gpu.encode(), ctypes.byref(size), None, 0)
        return Status(status), size.value

    def launch(self, problem: AnyProblem, **options: Any) -> tuple[Status, str]:
        why = ctypes.create_string_buffer(512)
        filled = LaunchOptions(struct_size=ctypes.sizeof(LaunchOptions), repeat=1)
        for name, value in options.items():
            setattr(filled, name, value)
        status = self.api.launch(ctypes.byref(problem), ctypes.byref(filled), why, len(why))
        return Status(status), why.value.decode()

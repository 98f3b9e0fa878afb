# SPDX-License-Identifier: MIT
"""The structures of ``ckdispatch.h`` that belong to no family."""

from __future__ import annotations

import ctypes
from enum import IntEnum

ABI_VERSION = 2


class DuplicatePolicy(IntEnum):
    """What happens to a kernel that a registry already has."""

    REFUSE = 0
    REPLACE = 1
    KEEP = 2


class StrategyCode(IntEnum):
    RULES = 0
    FIRST_FIT = 1
    MODEL = 2


class ProblemBase(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("family", ctypes.c_uint32)]


class RunOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("stream", ctypes.c_void_p),
        ("workspace", ctypes.c_void_p),
        ("workspace_size", ctypes.c_uint64),
    ]


class BenchmarkOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        *(
            (name, ctypes.c_int32)
            for name in ("warmup", "repeat", "flush_cache", "rotating_buffers", "cpu_timer")
        ),
        ("stream", ctypes.c_void_p),
    ]


class Launch(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_uint32) for name in ("struct_size", "count")),
        *((name, ctypes.c_void_p) for name in ("plan", "stream", "tensors")),
    ]


STRUCTURES = {
    "ckd_problem": ProblemBase,
    "ckd_run_options": RunOptions,
    "ckd_benchmark_options": BenchmarkOptions,
    "ckd_launch": Launch,
}
"""What the C header calls them."""

Predictor = ctypes.CFUNCTYPE(
    ctypes.c_double, ctypes.c_void_p, ctypes.POINTER(ProblemBase), ctypes.c_char_p, ctypes.c_int64
)
Chooser = ctypes.CFUNCTYPE(
    ctypes.c_size_t,
    ctypes.c_void_p,
    ctypes.POINTER(ProblemBase),
    ctypes.POINTER(ctypes.c_char_p),
    ctypes.c_size_t,
)

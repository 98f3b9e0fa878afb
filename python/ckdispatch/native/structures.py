# SPDX-License-Identifier: MIT
"""The structures of ``ckdispatch.h``."""

from __future__ import annotations

import ctypes
from enum import IntEnum

from ckdispatch.errors import InvalidArgument
from ckdispatch.wording import quoted

ABI_VERSION = 1


class Family(IntEnum):
    GEMM = 1
    GROUPED_CONV = 2

    @property
    def word(self) -> str:
        """Its name in specs, keys and texts."""
        return self.name.lower()

    @classmethod
    def of(cls, word: object) -> Family:
        """The family that is called ``word``."""
        for family in cls:
            if isinstance(word, str) and family.word == word:
                return family
        known = ", ".join(family.word for family in cls)
        raise InvalidArgument(f"the family {quoted(word)} was asked for; there is {known}")


class DuplicatePolicy(IntEnum):
    """What happens to a kernel that a registry already has."""

    REFUSE = 0
    REPLACE = 1
    KEEP = 2


class StrategyCode(IntEnum):
    RULES = 0
    FIRST_FIT = 1
    MODEL = 2


MAX_DS = 4


class ProblemBase(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("family", ctypes.c_uint32)]


class GemmGroupStructure(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("m", "n", "k", "stride_a", "stride_b", "stride_c")]


class GemmStructure(ctypes.Structure):
    _fields_ = [
        ("base", ProblemBase),
        *((name, ctypes.c_int64) for name in ("m", "n", "k", "batch", "stride_a", "stride_b", "stride_c")),
        *((name, ctypes.c_int64) for name in ("batch_stride_a", "batch_stride_b", "batch_stride_c")),
        ("has_batch_strides", ctypes.c_int32),
        ("d_count", ctypes.c_int32),
        *((name, ctypes.c_char_p) for name in ("dtype_a", "dtype_b", "dtype_c", "layout", "fused_op")),
        ("split_k", ctypes.c_int64),
        ("alignment", ctypes.c_int32),
        ("deterministic", ctypes.c_int32),
        ("workspace_limit", ctypes.c_uint64),
        ("dtype_d", ctypes.c_char_p),
        ("d_layout", ctypes.c_char_p),
        ("stride_d", ctypes.c_int64 * MAX_DS),
        ("batch_stride_d", ctypes.c_int64 * MAX_DS),
        *((name, ctypes.c_int32) for name in ("has_d_strides", "weights_n", "weights_k", "reserved")),
        ("groups", ctypes.POINTER(GemmGroupStructure)),
        ("group_count", ctypes.c_int64),
    ]


class GroupedConvAxisStructure(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_int64)
        for name in ("input", "filter", "output", "stride", "dilation", "left_pad", "right_pad")
    ]


MAX_SPATIAL = 3


class GroupedConvStructure(ctypes.Structure):
    _fields_ = [
        ("base", ProblemBase),
        ("direction", ctypes.c_char_p),
        *((name, ctypes.c_int64) for name in ("n", "g", "c", "k")),
        ("ndim_spatial", ctypes.c_int32),
        ("d_count", ctypes.c_int32),
        ("axis", GroupedConvAxisStructure * MAX_SPATIAL),
        *((name, ctypes.c_char_p) for name in ("dtype_x", "dtype_w", "dtype_y", "layout", "fused_op")),
        ("split_k", ctypes.c_int64),
        ("alignment", ctypes.c_int32),
        ("deterministic", ctypes.c_int32),
        ("workspace_limit", ctypes.c_uint64),
    ]


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
        *((name, ctypes.c_int32) for name in ("warmup", "repeat", "flush_cache", "rotating_buffers", "cpu_timer")),
        ("stream", ctypes.c_void_p),
    ]


Predictor = ctypes.CFUNCTYPE(
    ctypes.c_double, ctypes.c_void_p, ctypes.POINTER(ProblemBase), ctypes.c_char_p, ctypes.c_int64
)
Chooser = ctypes.CFUNCTYPE(
    ctypes.c_size_t, ctypes.c_void_p, ctypes.POINTER(ProblemBase), ctypes.POINTER(ctypes.c_char_p), ctypes.c_size_t
)

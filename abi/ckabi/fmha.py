# SPDX-License-Identifier: MIT
"""``ck_fmha_problem.h``."""

from __future__ import annotations

import ctypes
from typing import Any

from ckfamilies import NUMBERS

TENSORS = (
    "q",
    "k",
    "v",
    "o",
    "bias",
    "lse",
    "randval",
    "o_acc",
    "lse_acc",
    "k_new",
    "v_new",
    "rotary_cos",
    "rotary_sin",
    "sink",
    "d_o",
    "d",
    "dq_acc",
    "dq",
    "dk",
    "dv",
    "dbias",
    "seqstart_q",
    "seqstart_k",
    "seqlen_q",
    "seqlen_k",
    "block_table",
    "cache_index",
    "kv_indptr",
    "kv_pages",
    "drop_seed",
    "drop_offset",
)
MASKS = ("none", "top_left", "bottom_right")


class FmhaStrides(ctypes.Structure):
    """``ck_fmha_strides``."""

    _fields_ = [(name, ctypes.c_int64) for name in ("row", "head", "batch", "part")]


class FmhaProblem(ctypes.Structure):
    """``ck_fmha_problem``."""

    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("family", ctypes.c_uint32),
        *(
            (name, ctypes.c_int64)
            for name in ("batch", "heads_q", "heads_k", "hdim_q", "hdim_v", "seqlen_q", "seqlen_k")
        ),
        *((name, ctypes.c_int64) for name in ("total_q", "total_k", "seqlen_new")),
        *((name, ctypes.c_float) for name in ("scale", "soft_cap", "scale_p", "scale_o")),
        ("mask", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("window_left", ctypes.c_int64),
        ("window_right", ctypes.c_int64),
        ("p_drop", ctypes.c_float),
        ("min_seqlen_q", ctypes.c_int32),
        ("drop_seed", ctypes.c_uint64),
        ("drop_offset", ctypes.c_uint64),
        *((name, ctypes.c_int64) for name in ("parts", "page_rows", "pages", "rotary_dim")),
        ("strides", FmhaStrides * len(TENSORS)),
        ("tensors", ctypes.c_void_p * len(TENSORS)),
    ]


def fmha_problem(**fields: Any) -> FmhaProblem:
    """A problem without tensors, and windows without limits."""
    problem = FmhaProblem(
        struct_size=ctypes.sizeof(FmhaProblem),
        family=NUMBERS["fmha"],
        window_left=-1,
        window_right=-1,
        scale=1.0,
        scale_p=1.0,
        scale_o=1.0,
        parts=1,
    )
    for name, value in fields.items():
        setattr(problem, name, value)
    return problem


def set_tensor(problem: FmhaProblem, name: str, address: int | None, **strides: int) -> None:
    """A tensor's address, and its strides by name: row, head, batch, part."""
    index = TENSORS.index(name)
    problem.tensors[index] = address
    for axis, stride in strides.items():
        setattr(problem.strides[index], axis, stride)

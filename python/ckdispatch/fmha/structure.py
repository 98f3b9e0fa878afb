# SPDX-License-Identifier: MIT
"""``ckd_fmha.h`` for ctypes, and the words for its numbers."""

from __future__ import annotations

import ctypes

from ckdispatch.native.structures import ProblemBase

TENSORS = (
    "q",
    "k",
    "v",
    "o",
    "bias",
    "lse",
    "randval",
    "k_new",
    "v_new",
    "rotary_cos",
    "rotary_sin",
    "sink",
    "d_o",
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
"""In the order of ``ckd_fmha_tensor``."""

PLACES = {name: place for place, name in enumerate(TENSORS)}

MASKS = ("none", "top_left", "bottom_right")
BIASES = ("none", "elementwise", "alibi")
ROTARIES = ("none", "interleaved", "half")
LAYOUTS = ("bshd", "bhsd")
STRIDED = len(LAYOUTS)
"""The layout of tensors with strides of their own."""


class FmhaStridesStructure(ctypes.Structure):
    """``ckd_fmha_strides``."""

    _fields_ = [(name, ctypes.c_int64) for name in ("row", "head", "batch")]


class FmhaStructure(ctypes.Structure):
    """``ckd_fmha_problem``."""

    _fields_ = [
        ("base", ProblemBase),
        ("dtype", ctypes.c_char_p),
        *((name, ctypes.c_int32) for name in ("backward", "group")),
        *(
            (name, ctypes.c_int64)
            for name in ("batch", "heads_q", "heads_k", "hdim_q", "hdim_v", "seqlen_q", "seqlen_k")
        ),
        *((name, ctypes.c_int64) for name in ("total_q", "total_k", "seqlen_new")),
        *((name, ctypes.c_float) for name in ("scale", "soft_cap", "scale_p", "scale_o")),
        *((name, ctypes.c_int32) for name in ("mask", "bias")),
        *((name, ctypes.c_int64) for name in ("window_left", "window_right")),
        ("p_drop", ctypes.c_float),
        ("sinks", ctypes.c_int32),
        *((name, ctypes.c_uint64) for name in ("drop_seed", "drop_offset")),
        *(
            (name, ctypes.c_int32)
            for name in ("drop_on_device", "has_lse", "has_randval", "has_dbias")
        ),
        *(
            (name, ctypes.c_int32)
            for name in ("has_seqlen_q", "has_seqlen_k", "has_cache_index", "deterministic")
        ),
        *(
            (name, ctypes.c_int64)
            for name in ("page_rows", "pages", "block_table_stride", "kv_page_count", "rotary_dim")
        ),
        *((name, ctypes.c_int32) for name in ("rotary", "layout")),
        *(
            (name, ctypes.c_int64)
            for name in ("rotary_positions", "sink_tokens", "split_kv", "decode_rows")
        ),
        *((name, ctypes.c_int32) for name in ("alignment", "reserved")),
        ("workspace_limit", ctypes.c_uint64),
        ("strides", FmhaStridesStructure * len(TENSORS)),
    ]


STRUCTURES = {"ckd_fmha_strides": FmhaStridesStructure, "ckd_fmha_problem": FmhaStructure}
"""What the C header calls them."""

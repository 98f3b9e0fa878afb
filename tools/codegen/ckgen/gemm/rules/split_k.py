# SPDX-License-Identifier: MIT
"""Rules about kernels that add to C instead of storing it."""

from __future__ import annotations

from ckgen.core.rules import Rule
from ckgen.core.target import Target
from ckgen.gemm.geometry import store_vector
from ckgen.gemm.spec import GemmSpec, SplitK


_SMALLEST_ADDITION = 4
"""Bytes."""


def _split_k_atomic(spec: GemmSpec, target: Target) -> str | None:
    offered = target.gpu.buffer_atomic_adds
    if spec.split_k is not SplitK.ATOMIC or spec.dtype_c in offered or not spec.pad_m:
        return None
    but = f", only {', '.join(offered)}" if offered else ""
    return (
        f"{target.name} cannot add {spec.dtype_c} to C in one bounds-checked step{but}, and m is "
        "padded"
    )


def _split_k_pairs(spec: GemmSpec, target: Target) -> str | None:
    if spec.split_k is not SplitK.ATOMIC:
        return None
    size = int(target.arch.dtype(spec.dtype_c).bytes)
    if store_vector(spec, target) * size % _SMALLEST_ADDITION == 0:
        return None
    together = "in pairs" if 2 * size == _SMALLEST_ADDITION else "in fours"
    return (
        f"{spec.dtype_c} is added to C {together}, and the {spec.epilogue} epilogue "
        f"hands over {store_vector(spec, target)} at a time"
    )


SPLIT_K_RULES: tuple[Rule, ...] = (
    Rule(
        "gemm.split_k_atomic",
        "A kernel with atomic split_k adds its part of C in memory. Where the GPU has no atomic "
        "instruction for C's dtype that stays within a buffer, m must not be padded: CK's other "
        "ways write beyond C where it is not a multiple of the tile.",
        ("dtype_c", "split_k", "pad_m"),
        _split_k_atomic,
    ),
    Rule(
        "gemm.split_k_pairs",
        "A kernel with atomic split_k and a small C must store pairs of neighbours, or four of 8 bits, "
        "because there is no atomic addition of fewer bytes than four; CK compiles to nothing "
        "otherwise.",
        ("epilogue", "dtype_c", "split_k"),
        _split_k_pairs,
    ),
)

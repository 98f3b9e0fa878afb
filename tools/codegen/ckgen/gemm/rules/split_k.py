# SPDX-License-Identifier: MIT
"""Rules about kernels that add to C instead of storing it."""

from __future__ import annotations

from ckgen.core.rules import Rule
from ckgen.core.target import Target
from ckgen.gemm.geometry import store_vector
from ckgen.gemm.spec import GemmSpec, SplitK


def _split_k_atomic(spec: GemmSpec, target: Target) -> str | None:
    offered = target.gpu.buffer_atomic_adds
    if spec.split_k is not SplitK.ATOMIC or spec.dtype_c in offered:
        return None
    but = f", only {', '.join(offered)}" if offered else ""
    return f"{target.name} cannot add {spec.dtype_c} to C in one bounds-checked step{but}"


def _split_k_pairs(spec: GemmSpec, target: Target) -> str | None:
    if spec.split_k is not SplitK.ATOMIC or target.arch.dtype(spec.dtype_c).bytes >= 4:
        return None
    if store_vector(spec, target) % 2 == 0:
        return None
    return (
        f"{spec.dtype_c} is added to C in pairs, and the {spec.epilogue} epilogue "
        "hands over single elements"
    )


SPLIT_K_RULES: tuple[Rule, ...] = (
    Rule(
        "gemm.split_k_atomic",
        "A kernel with atomic split_k adds its part of C in memory, so the GPU must have an atomic "
        "instruction for C's dtype that stays within a buffer; CK's other ways write beyond C "
        "where m is not a multiple of the tile.",
        ("dtype_c", "split_k"),
        _split_k_atomic,
    ),
    Rule(
        "gemm.split_k_pairs",
        "A kernel with atomic split_k and a 16-bit C must store pairs of neighbours, because there is no "
        "atomic addition of fewer bytes than four; CK compiles to nothing otherwise.",
        ("epilogue", "dtype_c", "split_k"),
        _split_k_pairs,
    ),
)

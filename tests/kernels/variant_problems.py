# SPDX-License-Identifier: MIT
"""A problem for any kernel, whatever its variant, and the workspace that it should ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckabi.gemm import Problem, gemm_problem, grouped_problem

GROUPS = 3
BATCH = 2
SHARES = 3
"""Workgroups of a stream-K kernel."""

_GROUP_BYTES = 72
"""What a grouped kernel keeps of each product: CK's argument of 64 bytes and its first workgroup.
"""


def problem_for(spec: Mapping[str, Any], m: int, n: int, k: int) -> Problem:
    """M x N x K for the kernel of ``spec``, without pointers, packed,
    and D tensors as large as C.
    """
    variant = spec["variant"]
    ld = n if spec["d_layout"] == "r" else m
    changes: dict[str, Any] = {"stride_d": [ld] * spec["d_count"]}
    if variant == "batched":
        strides = {"batch_stride_a": m * k, "batch_stride_b": n * k, "batch_stride_c": m * n}
        changes |= {"batch": BATCH, **strides}
    if variant == "stream_k":
        changes |= {"k_batch": SHARES}
    problem = gemm_problem(m, n, k, layout=spec["layout"], **changes)
    return grouped_problem([problem] * GROUPS) if variant == "grouped" else problem


def workspace_for(spec: Mapping[str, Any], m: int, n: int) -> int:
    """The bytes that ``problem_for`` takes beside its operands, with accumulators of 4 bytes."""
    if spec["variant"] == "grouped":
        return GROUPS * _GROUP_BYTES
    if spec["split_k"] != "workspace":
        return 0
    if spec["variant"] != "stream_k":
        return 4 * m * n
    tile_m, tile_n = map(int, spec["tile"][:2])
    tiles = -(-m // tile_m) * -(-n // tile_n)
    return 4 * tile_m * tile_n * (tiles + SHARES)

# SPDX-License-Identifier: MIT
"""Problems as the C ABI takes them."""

from __future__ import annotations

import ctypes
import re
from typing import TYPE_CHECKING

from ckdispatch.errors import InvalidArgument
from ckdispatch.native.structures import MAX_DS, Family, GemmGroupStructure, GemmStructure
from ckdispatch.problems.base import c_parts, c_text
from ckdispatch.wording import quoted

if TYPE_CHECKING:
    from ckdispatch.gemm.problem import GemmProblem

_PACKED = -1
_GRANULE = re.compile(r"(?P<n>\d{1,9})x(?P<k>\d{1,9})", re.ASCII)


def problem_structure(problem: GemmProblem) -> GemmStructure:
    """The ``ckd_gemm_problem``, with all that it points to."""
    strides = problem.batch_strides or (0, 0, 0)
    structure = GemmStructure(
        m=problem.m,
        n=problem.n,
        k=problem.k,
        batch=problem.batch,
        stride_a=problem.stride_a,
        stride_b=problem.stride_b,
        stride_c=problem.stride_c,
        batch_stride_a=strides[0],
        batch_stride_b=strides[1],
        batch_stride_c=strides[2],
        has_batch_strides=problem.batch_strides is not None,
        d_count=problem.d_count,
        dtype_a=c_text(problem.dtype),
        dtype_b=c_text(problem.dtype_b),
        dtype_c=c_text(problem.dtype_c),
        layout=c_text(problem.layout),
        fused_op=c_text(problem.fused_op),
        split_k=c_parts(problem.split_k),
        alignment=problem.alignment,
        deterministic=problem.deterministic,
        workspace_limit=problem.workspace_limit or 0,
    )
    # A batch of 0 is the C ABI's default of 1, which was not asked for.
    if problem.batch == 0:
        structure.batch = -1
    structure.base.struct_size = ctypes.sizeof(GemmStructure)
    structure.base.family = Family.GEMM
    if 0 < problem.d_count <= MAX_DS:  # what is no count is refused by the runtime
        _fill_ds(structure, problem)
    if problem.weights is not None:
        structure.weights_n, structure.weights_k = granule_of(problem.weights)
    if problem.groups:
        _fill_groups(structure, problem)
    return structure


def granule_of(text: str) -> tuple[int, int]:
    """The n and k of ``16x8``."""
    found = _GRANULE.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise InvalidArgument(
            f"weights preshuffled as {quoted(text)} were asked for; it is columns and their "
            "neighbours along k that lie together, such as 16x8"
        )
    return int(found["n"]), int(found["k"])


def _fill_ds(structure: GemmStructure, problem: GemmProblem) -> None:
    structure.dtype_d = c_text(problem.dtype_d)
    structure.d_layout = c_text(problem.d_layout)
    structure.has_d_strides = True
    packed = (None,) * problem.d_count
    pairs = zip(problem.d_strides or packed, problem.d_batch_strides or packed, strict=True)
    for i, (stride, batch_stride) in enumerate(pairs):
        structure.stride_d[i] = _PACKED if stride is None else stride
        structure.batch_stride_d[i] = _PACKED if batch_stride is None else batch_stride


def _fill_groups(structure: GemmStructure, problem: GemmProblem) -> None:
    groups = (GemmGroupStructure * len(problem.groups))()
    for place, one in zip(groups, problem.groups, strict=True):
        place.m, place.n, place.k = one.m, one.n, one.k
        place.stride_a, place.stride_b, place.stride_c = one.stride_a, one.stride_b, one.stride_c
    structure.groups = groups  # which the structure then holds
    structure.group_count = len(problem.groups)

# SPDX-License-Identifier: MIT
"""Problems as the C ABI takes them."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ckdispatch.native.structures import GroupedConvStructure
from ckdispatch.problems.base import c_parts, c_text

if TYPE_CHECKING:
    from ckdispatch.grouped_conv.problem import GroupedConvProblem


def problem_structure(problem: GroupedConvProblem) -> GroupedConvStructure:
    """The ``ckd_grouped_conv_problem``."""
    structure = GroupedConvStructure(
        direction=c_text(problem.direction),
        n=problem.n,
        g=problem.g,
        c=problem.c,
        k=problem.k,
        ndim_spatial=len(problem.input),
        d_count=problem.bias,
        dtype_x=c_text(problem.dtype),
        dtype_w=c_text(problem.dtype_w),
        dtype_y=c_text(problem.dtype_y),
        layout=c_text(problem.layout),
        fused_op=c_text(problem.fused_op),
        split_k=c_parts(problem.split_k),
        alignment=problem.alignment,
        deterministic=problem.deterministic,
        workspace_limit=problem.workspace_limit or 0,
    )
    structure.base.struct_size = ctypes.sizeof(GroupedConvStructure)
    structure.base.family = problem.family
    for place, axis in zip(structure.axis, problem.sizes.axes, strict=False):
        place.input, place.filter, place.output = axis.input, axis.filter, axis.output
        place.stride, place.dilation = axis.stride, axis.dilation
        place.left_pad, place.right_pad = axis.left_pad, axis.right_pad
    return structure

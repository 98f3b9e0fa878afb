# SPDX-License-Identifier: MIT
"""Rules about what CK makes of the dtypes of A and B, whatever the GPU has."""

from __future__ import annotations

from ckgen.core.rules import Rule
from ckgen.core.target import Target
from ckgen.gemm.spec import GemmSpec, Layout, Pipeline

ONE_DTYPE_PIPELINES = (Pipeline.MEM, Pipeline.COMPV3)
"""Those whose policy has one dtype for both operands, which is that of A."""


def _packed_layout(spec: GemmSpec, target: Target) -> str | None:
    """Kernels carry packed elements in bytes, which a transposition would have to take apart."""
    packed = [dtype for dtype in (spec.dtype_a, spec.dtype_b) if target.arch.dtype(dtype).pack > 1]
    if not packed or spec.layout is Layout.RCR:
        return None
    return f"{packed[0]} does not go with the layout {spec.layout}, only with rcr"


def _mixed_dtypes(spec: GemmSpec, target: Target) -> str | None:
    """CK's universal policy takes the matrix instruction of ComputeDataType times ComputeDataType.

    Seen with fp8 x bf8 128x128x32 on gfx90a, compv3: 2 in B counts as 1.5, which is what the bits
    of 2 in E5M2 mean in E4M3. The policies of compv4 and compv6 name both dtypes and are right.
    """
    if spec.dtype_a is spec.dtype_b or spec.pipeline not in ONE_DTYPE_PIPELINES:
        return None
    return (
        f"the pipeline {spec.pipeline} multiplies {spec.dtype_a} x {spec.dtype_b} "
        f"as if B were of {spec.dtype_a} too"
    )


OPERAND_RULES: tuple[Rule, ...] = (
    Rule(
        "gemm.packed_layout",
        "A and B of a packed dtype such as pk_fp4 need contiguous k: the elements that share a byte "
        "are neighbours along k.",
        ("layout",),
        _packed_layout,
    ),
    Rule(
        "gemm.mixed_dtypes",
        "A and B of different dtypes need a pipeline that keeps them apart: mem and compv3 read B "
        "as if it were of A's dtype.",
        ("pipeline", "dtype_b"),
        _mixed_dtypes,
    ),
)

# SPDX-License-Identifier: MIT
"""Rules about what CK makes of the dtypes of A and B, whatever the GPU has."""

from __future__ import annotations

from ckgen.core.rules import Rule
from ckgen.core.target import Target
from ckgen.gemm.spec import GemmSpec, Pipeline

ONE_DTYPE_PIPELINES = (Pipeline.MEM, Pipeline.COMPV3)
"""Those whose policy has one dtype for both operands, which is that of A."""


def _packed_dtype(spec: GemmSpec, target: Target) -> str | None:
    """CK's warp GEMM of fp4 can be called with scales only.

    Seen with 64x64x256 on gfx950, compv3: «no matching function for call to object of type
    WarpGemmAttributeMfmaScaleImpl_f32_16x16x128_fp4» in the universal block GEMM, which has no
    scales to give; its loads and its LDS tiles do not take packed elements either.
    """
    packed = [dtype for dtype in (spec.dtype_a, spec.dtype_b) if target.arch.dtype(dtype).pack > 1]
    if not packed:
        return None
    return f"CK multiplies {packed[0]} only together with scales, which this GEMM does not have"


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
        "gemm.packed_dtype",
        "A and B must not be of a packed dtype such as pk_fp4: CK multiplies those only together "
        "with scales, in its MX kernels.",
        ("dtype_a", "dtype_b"),
        _packed_dtype,
    ),
    Rule(
        "gemm.mixed_dtypes",
        "A and B of different dtypes need a pipeline that keeps them apart: mem and compv3 read B "
        "as if it were of A's dtype.",
        ("pipeline", "dtype_b"),
        _mixed_dtypes,
    ),
)

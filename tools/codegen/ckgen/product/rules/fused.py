# SPDX-License-Identifier: MIT
"""Rules about operations that are applied to the product."""

from __future__ import annotations

from ckgen.core.rules import Purpose, Rules
from ckgen.core.target import Target
from ckgen.product.dtypes import INTEGERS
from ckgen.product.spec import Dtype, Epilogue, FusedOp, ProductSpec

OPERATIONS_OF_INTEGERS = (
    FusedOp.MULTI_D_ADD,
    FusedOp.MULTI_D_MULTIPLY,
    FusedOp.RELU,
    FusedOp.MULTI_D_ADD_RELU,
)

FUSED_RULES = Rules()


@FUSED_RULES.rule(
    "Fused operations on integer products are those that CK has for integers: sums, products and "
    "Relu.",
    ("fused_op",),
)
def fused_integers(spec: ProductSpec, target: Target) -> str | None:
    if spec.fused_op is FusedOp.PASS_THROUGH or spec.dtype_acc is not Dtype.INT32:
        return None
    if spec.fused_op in OPERATIONS_OF_INTEGERS:
        return None
    return f"CK has no {spec.fused_op} of int32, in which {spec.dtype_a} accumulates"


@FUSED_RULES.rule(
    "D tensors of integer products are integers, in which the operation is computed.",
    ("dtype_d",),
    Purpose.MEANING,
)
def d_integers(spec: ProductSpec, target: Target) -> str | None:
    if not spec.d_count or spec.dtype_acc is not Dtype.INT32 or spec.dtype_d in INTEGERS:
        return None
    return (
        f"D tensors of {spec.dtype_d} would lose their fractions, because {spec.dtype_a} "
        "accumulates in int32"
    )


@FUSED_RULES.rule(
    "The default epilogue applies an operation only together with D tensors, and keeps its result "
    "in their dtype, which must be C's or the accumulator's; cshuffle has no such limits.",
    ("epilogue", "dtype_d"),
)
def fused_epilogue(spec: ProductSpec, target: Target) -> str | None:
    if spec.fused_op is FusedOp.PASS_THROUGH or spec.epilogue is Epilogue.CSHUFFLE:
        return None
    if not spec.d_count:
        return f"the default epilogue ignores {spec.fused_op}, because it has no D tensors"
    if spec.dtype_d not in (spec.dtype_c, spec.dtype_acc):
        return (
            f"the default epilogue would round the result to {spec.dtype_d}, the dtype of the D "
            f"tensors, before it stores {spec.dtype_c}"
        )
    return None

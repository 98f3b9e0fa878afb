# SPDX-License-Identifier: MIT
"""The rules of GEMM, for the product that a convolution is underneath: A, B and C are its operands."""

from __future__ import annotations

from functools import partial

from ckgen.core.rules import Rule
from ckgen.core.target import Target
from ckgen.gemm.rules import GEMM_RULES
from ckgen.gemm.rules.preshuffle import PRESHUFFLE_PIPELINE_RULES, PRESHUFFLE_RULES
from ckgen.grouped_conv.spec import GroupedConvSpec

_NOT_OF_CONVOLUTIONS = {
    "gemm.d_dtype", "gemm.d_tensors", "gemm.d_unused", "gemm.fused_op_variant",
    "gemm.parts_variant", "gemm.persistent_anyway", "gemm.persistent_pipeline",
    "gemm.persistent_variant",
    "gemm.stream_k_shallow", "gemm.compv5_layout", "gemm.compv5_epilogue", "gemm.compv5_variant",
    "gemm.packed_layout",
    *(rule.id for rule in (*PRESHUFFLE_PIPELINE_RULES, *PRESHUFFLE_RULES)),
}  # fmt: skip
"""Those about what the product of a convolution never has."""

_FIELDS = {
    "dtype_a": ("dtype_x", "dtype_w", "dtype_y"),
    "dtype_b": ("dtype_x", "dtype_w"),
    "dtype_c": ("dtype_x", "dtype_w", "dtype_y"),
    "layout": (),
    "pad_m": (),
    "variant": (),
    "dtype_d": (),
}
"""What can be repaired instead of a field of the product; other fields are the convolution's too."""


def _check(rule: Rule, spec: GroupedConvSpec, target: Target) -> str | None:
    return rule.check(spec.implicit_gemm, target)


def _of_product(rule: Rule) -> Rule:
    fields = [mine for field in rule.fields for mine in _FIELDS.get(field, (field,))]
    return Rule(
        f"grouped_conv.{rule.id.removeprefix('gemm.')}",
        rule.sentence,
        tuple(dict.fromkeys(fields)),
        partial(_check, rule),
        rule.purpose,
    )


PRODUCT_RULES: tuple[Rule, ...] = tuple(
    _of_product(rule) for rule in GEMM_RULES if rule.id not in _NOT_OF_CONVOLUTIONS
)

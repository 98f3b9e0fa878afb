# SPDX-License-Identifier: MIT
"""The rules of the GEMM family: those of a product, and its own."""

from ckgen.core.rules import Rule
from ckgen.gemm.rules.preshuffle import PRESHUFFLE_RULES, SCHEDULER_RULES
from ckgen.gemm.rules.traits import PACKED_RULES, TRAIT_RULES
from ckgen.gemm.rules.variants import D_RULES, VARIANT_RULES
from ckgen.product.rules import rules_of

GEMM_RULES: tuple[Rule, ...] = (
    *rules_of(
        "gemm",
        repaired_by={"operand_layout": ("layout",), "preshuffled": ("variant",)},
        before={
            "dtype_combination": SCHEDULER_RULES,
            "mixed_dtypes": PACKED_RULES,
            "block_size": TRAIT_RULES,
            "fused_epilogue": D_RULES,
        },
    ),
    *VARIANT_RULES,
    *PRESHUFFLE_RULES,
)

__all__ = ["GEMM_RULES"]

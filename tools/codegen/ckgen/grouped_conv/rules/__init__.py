# SPDX-License-Identifier: MIT
"""The rules of the grouped convolution family: its own, and those of a product."""

from ckgen.core.rules import Rule
from ckgen.grouped_conv.rules.directions import DIRECTION_RULES
from ckgen.grouped_conv.rules.vectors import VECTOR_RULES
from ckgen.product.rules import rules_of

GROUPED_CONV_RULES: tuple[Rule, ...] = (
    *DIRECTION_RULES,
    *VECTOR_RULES,
    *rules_of(
        "grouped_conv",
        repaired_by={
            "dtype_b": ("dtype_x", "dtype_w"),
            "dtype_c": ("dtype_x", "dtype_w", "dtype_y"),
            "dtype_d": ("dtype_y",),
            **dict.fromkeys(("operand_layout", "pad_m", "preshuffled"), ()),
        },
    ),
)

__all__ = ["GROUPED_CONV_RULES"]

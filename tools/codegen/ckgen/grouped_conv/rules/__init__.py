# SPDX-License-Identifier: MIT
"""The rules of the grouped convolution family: those of its product, and its own."""

from ckgen.core.rules import Rule
from ckgen.grouped_conv.rules.directions import DIRECTION_RULES
from ckgen.grouped_conv.rules.product import PRODUCT_RULES
from ckgen.grouped_conv.rules.vectors import VECTOR_RULES

GROUPED_CONV_RULES: tuple[Rule, ...] = (*DIRECTION_RULES, *VECTOR_RULES, *PRODUCT_RULES)

__all__ = ["GROUPED_CONV_RULES"]

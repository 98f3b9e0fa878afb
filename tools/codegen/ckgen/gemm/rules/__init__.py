# SPDX-License-Identifier: MIT
"""The rules of the GEMM family; each lives once, and every user of them takes them from here."""

from ckgen.core.rules import Rule
from ckgen.gemm.rules.epilogue import EPILOGUE_RULES
from ckgen.gemm.rules.hardware import HARDWARE_RULES
from ckgen.gemm.rules.memory import MEMORY_RULES
from ckgen.gemm.rules.operands import OPERAND_RULES
from ckgen.gemm.rules.preshuffle import PRESHUFFLE_PIPELINE_RULES, PRESHUFFLE_RULES
from ckgen.gemm.rules.shape import SHAPE_RULES
from ckgen.gemm.rules.split_k import SPLIT_K_RULES
from ckgen.gemm.rules.traits import TRAIT_RULES
from ckgen.gemm.rules.variants import VARIANT_RULES

GEMM_RULES: tuple[Rule, ...] = (
    *PRESHUFFLE_PIPELINE_RULES,
    *HARDWARE_RULES,
    *OPERAND_RULES,
    *TRAIT_RULES,
    *SHAPE_RULES,
    *MEMORY_RULES,
    *EPILOGUE_RULES,
    *SPLIT_K_RULES,
    *VARIANT_RULES,
    *PRESHUFFLE_RULES,
)

__all__ = ["GEMM_RULES"]

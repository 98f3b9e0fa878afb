# SPDX-License-Identifier: MIT
"""The rules of the GEMM family; each lives once, and every user of them takes them from here."""

from ckgen.core.rules import Rule
from ckgen.gemm.rules.epilogue import EPILOGUE_RULES
from ckgen.gemm.rules.hardware import HARDWARE_RULES
from ckgen.gemm.rules.memory import MEMORY_RULES
from ckgen.gemm.rules.shape import SHAPE_RULES
from ckgen.gemm.rules.split_k import SPLIT_K_RULES
from ckgen.gemm.rules.traits import TRAIT_RULES

GEMM_RULES: tuple[Rule, ...] = (
    *HARDWARE_RULES,
    *TRAIT_RULES,
    *SHAPE_RULES,
    *MEMORY_RULES,
    *EPILOGUE_RULES,
    *SPLIT_K_RULES,
)

__all__ = ["GEMM_RULES"]

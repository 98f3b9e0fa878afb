# SPDX-License-Identifier: MIT
"""The rules of the attention family: what is computed, for which head sizes, how,
and on which GPU.
"""

from ckgen.core.rules import Rule
from ckgen.fmha.rules.geometry import GEOMETRY_RULES
from ckgen.fmha.rules.hardware import HARDWARE_RULES
from ckgen.fmha.rules.heads import HEAD_RULES
from ckgen.fmha.rules.pads import PAD_RULES
from ckgen.fmha.rules.pipelines import PIPELINE_RULES
from ckgen.fmha.rules.signature import SIGNATURE_RULES

FMHA_RULES: tuple[Rule, ...] = (
    *SIGNATURE_RULES,
    *PIPELINE_RULES,
    *HEAD_RULES,
    *GEOMETRY_RULES,
    *HARDWARE_RULES,
    *PAD_RULES,
)

__all__ = ["FMHA_RULES"]

# SPDX-License-Identifier: MIT
"""What a test of a rule needs: a spec on each side of what the rule allows."""

from __future__ import annotations

from dataclasses import dataclass

from ckgen.core.target import Target
from ckgen.gemm.spec import GemmSpec
from codegen_support import target

GFX942 = target("gfx942")


@dataclass(frozen=True)
class Case:
    """A spec that a rule accepts, one that it refuses, and what it says about the latter.

    ``alone``: no other rule refuses it, so that only this rule keeps it out.
    """

    rule: str
    accepts: GemmSpec
    refuses: GemmSpec
    says: str
    where: Target = GFX942
    alone: bool = True

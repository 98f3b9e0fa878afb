# SPDX-License-Identifier: MIT
"""Attention and its gradients, as the package knows them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ckdispatch.family import Family

if TYPE_CHECKING:
    from ckdispatch.fmha.config import FmhaConfig
    from ckdispatch.fmha.problem import FmhaProblem
    from ckdispatch.fmha.result import AttentionGradients, AttentionResult

__all__ = ["AttentionGradients", "AttentionResult", "FmhaConfig", "FmhaProblem"]

FAMILY = Family(
    name="fmha",
    config="FmhaConfig",
    problem="FmhaProblem",
    public={
        "AttentionGradients": "result",
        "AttentionResult": "result",
        "FmhaConfig": "config",
        "FmhaProblem": "problem",
    },
    form="An attention is fmha, sequences x rows of q x keys, heads, the head size, and words:\n"
    "fmha 2x130x270 h8/2 d128 fp16 causal window=64:0 lse",
    example="fmha 2x130x270 h8/2 d128 fp16 causal",
    example_kernels="fmha_fwd_fp16_essential",
    begins=re.compile(r"fmha(?!\S)", re.ASCII),
)

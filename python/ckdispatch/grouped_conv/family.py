# SPDX-License-Identifier: MIT
"""Grouped convolutions and their gradients, as the package knows them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ckdispatch.family import Family

if TYPE_CHECKING:
    from ckdispatch.grouped_conv.config import GroupedConvConfig
    from ckdispatch.grouped_conv.problem import GroupedConvProblem

__all__ = ["GroupedConvConfig", "GroupedConvProblem"]

FAMILY = Family(
    name="grouped_conv",
    config="GroupedConvConfig",
    problem="GroupedConvProblem",
    public={"GroupedConvConfig": "config", "GroupedConvProblem": "problem"},
    form="A convolution is n, g, c, k, the extents of input and filter, and words:\n"
    "n8 g1 c64 k128 56x56 3x3 stride=2 pad=1 backward_data",
    example="n8 g1 c64 k128 56x56 3x3 pad=1 fp16",
    example_kernels="grouped_conv_fwd_fp16_2d_essential",
    begins=re.compile(r"n\d+(?!\S)", re.ASCII),
    extents=2,
)

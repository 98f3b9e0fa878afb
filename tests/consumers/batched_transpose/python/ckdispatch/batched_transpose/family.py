# SPDX-License-Identifier: MIT
"""Batched transposes, as the package knows them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ckdispatch.family import Family

if TYPE_CHECKING:
    from ckdispatch.batched_transpose.config import BatchedTransposeConfig
    from ckdispatch.batched_transpose.problem import BatchedTransposeProblem

__all__ = ["BatchedTransposeConfig", "BatchedTransposeProblem"]

FAMILY = Family(
    name="batched_transpose",
    config="BatchedTransposeConfig",
    problem="BatchedTransposeProblem",
    public={"BatchedTransposeConfig": "config", "BatchedTransposeProblem": "problem"},
    form="A batched transpose is the number and the extents of its matrices, and a dtype: "
    "transpose 8x64x128 fp16",
    example="transpose 8x64x128 fp16",
    example_kernels="transposes",
    begins=re.compile(r"transpose(?!\S)", re.ASCII),
)

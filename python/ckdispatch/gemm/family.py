# SPDX-License-Identifier: MIT
"""Matrix products, as the package knows them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ckdispatch.family import Family

if TYPE_CHECKING:
    from ckdispatch.gemm.config import GemmConfig
    from ckdispatch.gemm.problem import GemmGroup, GemmProblem
    from ckdispatch.gemm.weights import PreshuffledWeights, preshuffle

__all__ = ["GemmConfig", "GemmGroup", "GemmProblem", "PreshuffledWeights", "preshuffle"]

FAMILY = Family(
    name="gemm",
    config="GemmConfig",
    problem="GemmProblem",
    public={
        "GemmConfig": "config",
        "GemmGroup": "problem",
        "GemmProblem": "problem",
        "PreshuffledWeights": "weights",
        "preshuffle": "weights",
    },
    form="A matrix product is MxNxK and words: 512x256x1024 fp16 rcr batch=2 split_k=4",
    example="512x256x1024 fp16 rcr",
    example_kernels="gemm_fp16_rcr_essential",
    begins=re.compile(r"\d+x", re.ASCII),
)

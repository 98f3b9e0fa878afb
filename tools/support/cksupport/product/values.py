# SPDX-License-Identifier: MIT
"""How large the random numbers may be that are multiplied, so that results show what is wrong with
them.
"""

from __future__ import annotations

import math

import numpy as np
from ckgen.product.spec import Dtype, FusedOp, ProductSpec, SplitK

_SATURATED = 4.0
"""Activations are flat beyond this, and would hide what is wrong with the product."""
_LARGEST_FACTOR, _LARGEST_SUMMAND = 3, 2**24


def factor_limits(spec: ProductSpec, depth: int) -> tuple[float, float]:
    """The largest float, and the largest integer, of A and B if ``depth`` products are added up."""
    scale, largest = 2.0, math.inf
    if spec.fused_op is not FusedOp.PASS_THROUGH:
        scale = math.sqrt(_SATURATED / math.sqrt(depth))
    if spec.dtype_c is Dtype.FP16 and (spec.split_k is SplitK.ATOMIC or spec.d_count):
        # Parts of a sum that fits may be too large for C, to which they are added, and so may
        # a product of which D tensors make less: the cshuffle epilogue holds it as C's dtype.
        largest = math.isqrt(int(np.finfo(np.float16).max) // depth)
    return scale, largest


def d_limit(spec: ProductSpec) -> int:
    """The largest integer of a D tensor: the result still fits into the accumulator."""
    return _LARGEST_FACTOR if spec.fused_op is FusedOp.MULTI_D_MULTIPLY else _LARGEST_SUMMAND

# SPDX-License-Identifier: MIT
"""A layer of a network in one launch, max(0, a * b + bias), with a kernel that fuses all of it,
checked. It takes kernels of the variant `multi_d` with the operation MultiDAddRelu.
"""

from __future__ import annotations

import ckdispatch
import numpy as np
from ckdispatch.errors import Mismatch
from program import Results, example, whole_numbers


def compute(dispatcher: ckdispatch.Dispatcher) -> Results:
    """The reference of `validate` knows the operation; here it is also done step by step."""
    a, weights, bias = whole_numbers(96, 72), whole_numbers(80, 72), whole_numbers(80)
    result = dispatcher.gemm(a, weights.T, bias=bias, fused_op="Relu", validate=True)
    yield result

    by_steps = np.maximum(0, a.astype(np.float32) @ weights.T.astype(np.float32) + bias)
    if not np.array_equal(result.out, by_steps.astype(np.float16)):
        raise Mismatch("the layer differs from the same computed step by step")
    yield f"in {result.plan.launches} launch, as step by step"


if __name__ == "__main__":
    example(__doc__, compute)

# SPDX-License-Identifier: MIT
"""Multiplies a batch of matrices, with weights of their own and with shared ones, checked. With a
kernel of the variant `batched` it is one launch, with others one for each matrix.
"""

from __future__ import annotations

import ckdispatch
from program import Results, example, whole_numbers


def multiply(dispatcher: ckdispatch.Dispatcher) -> Results:
    """Three products of 48 x 80 with sums of 64."""
    a = whole_numbers(3, 48, 64)
    own, shared = whole_numbers(3, 80, 64), whole_numbers(80, 64)
    for weights in (own, shared):
        result = dispatcher.gemm(a, weights.swapaxes(-1, -2), validate=True)
        yield result
        yield f"launches: {result.plan.launches}"


if __name__ == "__main__":
    example(__doc__, multiply)

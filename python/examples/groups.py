# SPDX-License-Identifier: MIT
"""Multiplies matrices of different sizes, such as those of the experts of a network, checked. With
a kernel of the variant `grouped` it is one launch, with others one for each product.
"""

from __future__ import annotations

import ckdispatch
from program import Results, example, whole_numbers


def multiply(dispatcher: ckdispatch.Dispatcher) -> Results:
    """Each expert has weights of its own, and as many rows as came to it."""
    pairs = [(whole_numbers(rows, 72), whole_numbers(64, 72).T) for rows in (40, 8, 104)]
    result = dispatcher.grouped_gemm(pairs, validate=True)
    yield result
    yield f"launches: {result.plan.launches}"


if __name__ == "__main__":
    example(__doc__, multiply)

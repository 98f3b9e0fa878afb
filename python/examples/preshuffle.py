# SPDX-License-Identifier: MIT
"""Puts weights into the order of the matrix instructions, once, and multiplies with them often,
checked. It takes kernels of the variant `preshuffle`.
"""

from __future__ import annotations

import ckdispatch
from program import Results, example, whole_numbers


def multiply(dispatcher: ckdispatch.Dispatcher) -> Results:
    """Which order that is follows from the kernels and the GPU: it is the dispatcher's answer."""
    weights = whole_numbers(128, 256)
    shuffled = ckdispatch.preshuffle(weights.T, dispatcher)
    columns, run = shuffled.block
    yield f"blocks of {columns} columns, with {run} neighbours along k of each"

    # On the device, so that no call copies them.
    shuffled = shuffled.on(dispatcher)
    for rows in (64, 17):
        yield dispatcher.gemm(whole_numbers(rows, 256), shuffled, validate=True)


if __name__ == "__main__":
    example(__doc__, multiply)

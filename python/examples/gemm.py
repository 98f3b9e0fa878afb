# SPDX-License-Identifier: MIT
"""Multiplies two matrices with the best kernel of a set, checks the product and times it."""

from __future__ import annotations

from program import Results, command_line, opened, product_of, run, whole_numbers


def multiply() -> Results:
    """Layers of networks keep weights as [n, k], whose transpose is the B that kernels read."""
    options = command_line(__doc__, sizes="256x192x128").parse_args()
    sizes = product_of(options.sizes)
    dispatcher = opened(options)

    a = whole_numbers(sizes.m, sizes.k)
    weights = whole_numbers(sizes.n, sizes.k)
    result = dispatcher.gemm(a, weights.T, timing=True, validate=True)
    yield result
    yield f"the {'simulator' if result.simulated else 'GPU'} needed {result.milliseconds:.3g} ms"


if __name__ == "__main__":
    run(multiply)

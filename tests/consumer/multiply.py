# SPDX-License-Identifier: MIT
"""Multiplies matrices with the kernels of this project: multiply [DEVICE]"""

from __future__ import annotations

import sys

import ckdispatch
import numpy as np


def whole_numbers(rows: int, columns: int) -> np.ndarray:
    """From -2 to 4, so that the product is exact."""
    return (np.arange(rows * columns).reshape(rows, columns) % 7 - 2).astype(np.float16)


def main() -> None:
    device = sys.argv[1] if len(sys.argv) > 1 else "auto"
    registry = ckdispatch.Registry.load("my_gemms")
    dispatcher = ckdispatch.Dispatcher(registry, device)
    for m, n, k in ((128, 192, 256), (200, 136, 72)):
        a, weights = whole_numbers(m, k), whole_numbers(n, k)
        result = dispatcher.gemm(a, weights.T, validate=True)
        total = result.out.astype(np.int64).sum()
        print(f"{m}x{n}x{k}: {total} by {result.kernel} on {result.device}")


if __name__ == "__main__":
    main()

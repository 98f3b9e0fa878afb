# SPDX-License-Identifier: MIT
"""Multiplies OCP bits by FNUZ bits on gfx942.

Prints whether arrays are refused, and the ratio of the result to the product. A program of its own,
because a process simulates one GPU.
"""

from __future__ import annotations

import sys

import numpy as np
from ckdispatch import Dispatcher, GemmProblem, Registry
from ckdispatch.errors import InvalidArgument
from ckdispatch.reference.dtypes import convert


def main() -> None:
    registry = Registry(name="encodings")
    registry.add_library(sys.argv[1])
    dispatcher = Dispatcher(registry, "sim:gfx942")
    random = np.random.default_rng(0)
    # Numbers that both encodings hold.
    a = random.integers(1, 8, (64, 64)).astype(np.float32)
    b = random.integers(1, 8, (64, 64)).astype(np.float32)
    ocp, fnuz = convert(a, "fp8", "ocp"), convert(b, "fp8", "fnuz")
    try:
        dispatcher.gemm(ocp, convert(b, "fp8", "ocp"))
        print("taken")
    except InvalidArgument:
        print("refused")
    left = dispatcher.to_device(ocp.view(fnuz.dtype))
    right = dispatcher.to_device(fnuz, column_major=True)
    product = dispatcher.empty((64, 64), "fp16")
    problem = GemmProblem(64, 64, 64, dtype="fp8", layout="rcr")
    dispatcher.run(problem, left, right, product, kernel=sys.argv[2])
    dispatcher.synchronize()
    ratio = product.numpy().astype(np.float64) / (a.astype(np.float64) @ b)
    print(*np.unique(ratio))


if __name__ == "__main__":
    main()

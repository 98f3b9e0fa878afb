# SPDX-License-Identifier: MIT
"""What the examples of convolutions share."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from typing import Any

import ckdispatch
import numpy as np
from ckdispatch.errors import CkDispatchError


def example(
    what: str | None, compute: Callable[[ckdispatch.Dispatcher], ckdispatch.Result]
) -> None:
    """Computes with what the command line names, and says what, by which kernel and how exactly."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument(
        "kernels", help="a manifest of kernels, or the name of a set among the program's files"
    )
    parser.add_argument(
        "device",
        nargs="?",
        default="auto",
        help="such as hip:0 or sim:gfx942 (default: the first GPU, or else the simulator)",
    )
    options = parser.parse_args()
    try:
        registry = ckdispatch.Registry.load(options.kernels)
        result = compute(ckdispatch.Dispatcher(registry, options.device))
    except CkDispatchError as error:
        sys.exit(f"error: {error}")
    print(f"{result.out.shape} by {result.kernel} on {result.device}")
    for change in result.changes:
        print(change)
    print(result.comparison)


def whole_numbers(*shape: int) -> np.ndarray[Any, Any]:
    """From -2 to 4, channels last."""
    return (np.arange(math.prod(shape)).reshape(shape) % 7 - 2).astype(np.float16)

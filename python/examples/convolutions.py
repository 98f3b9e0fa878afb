# SPDX-License-Identifier: MIT
"""What the examples of convolutions share."""

from __future__ import annotations

import math
import sys
from typing import Any

import ckdispatch
import numpy as np


def dispatcher() -> ckdispatch.Dispatcher:
    """Of the kernels that the command line names: a manifest, or a set among the program's files.

    For the device that it names, or else the first GPU, or else the simulator.
    """
    _, kernels, *device = sys.argv
    return ckdispatch.Dispatcher(ckdispatch.Registry.load(kernels), *device)


def whole_numbers(*shape: int) -> np.ndarray[Any, Any]:
    """From -2 to 4, channels last."""
    return (np.arange(math.prod(shape)).reshape(shape) % 7 - 2).astype(np.float16)


def tell(result: ckdispatch.Result) -> None:
    """What was computed, by what, and how far it was from the reference."""
    print(f"{result.out.shape} by {result.kernel} on {result.device}")
    for change in result.changes:
        print(change)
    print(result.comparison)

# SPDX-License-Identifier: MIT
"""What the examples of convolutions share."""

from __future__ import annotations

import math
import sys
from typing import Any

import ckdispatch
import numpy as np

_SETS = {
    "forward": "grouped_conv_fwd_fp16_2d_essential",
    "backward_data": "grouped_conv_bwd_data_fp16_2d_essential",
    "backward_weight": "grouped_conv_bwd_weight_fp16_2d_essential",
}


def dispatcher(direction: str) -> ckdispatch.Dispatcher:
    """For the device that the command line names, or else the first GPU, or else the simulator."""
    device = sys.argv[1] if len(sys.argv) > 1 else "auto"
    return ckdispatch.Dispatcher(ckdispatch.Registry.load(_SETS[direction]), device)


def whole_numbers(*shape: int) -> np.ndarray[Any, Any]:
    """From -2 to 4, channels last."""
    return (np.arange(math.prod(shape)).reshape(shape) % 7 - 2).astype(np.float16)


def tell(result: ckdispatch.Result) -> None:
    """What was computed, by what, and how far it was from the reference."""
    print(f"{result.out.shape} by {result.kernel} on {result.device}")
    for change in result.changes:
        print(change)
    print(result.comparison)
